import type { Command } from 'commander';
import { addService } from '../install-service/stand-alone/commands.ts';
import { controllersSettings, updateServiceSettings } from '../install-service/stand-alone/setting-names.ts';
import type { Terminal } from '../terminal.ts';

/** Adds the parts of desired firmware as processes of their own. */
export function addFirmwareServiceCommands(program: Command, terminal: Terminal): void {
  addService(program, terminal, {
    name: 'update-service',
    summary: 'run the update service alone',
    description:
      'Runs the update service: takes requests to update, scan and discover firmware over gRPC, gRPC-Web and HTTP/JSON, and runs the jobs that do them by one strategy. Several can share one --database-url.',
    settings: updateServiceSettings,
    run: async (settings) => (await import('./run-update-service.ts')).runUpdateService(settings, terminal),
  });
  addService(program, terminal, {
    name: 'controllers',
    summary: 'run controllers alone',
    description:
      'Runs controllers for the objects of a cluster. Those of firmware read BMCs, make Servers and what belongs to them, and ask an update service for what is missing; those of hosts bring BareMetalHosts through their life with Ironic; those of the network set the ports of switches. Of several processes one works on each, and the others stand by.',
    settings: controllersSettings,
    run: async (settings) => (await import('../controllers/run-controllers.ts')).runControllers(settings, terminal),
  });
}
