import type { Command } from 'commander';
import { addService } from '../install-service/stand-alone/commands.ts';
import { webhooksSettings } from '../install-service/stand-alone/setting-names.ts';
import type { Terminal } from '../terminal.ts';

/** Adds `rackwright webhooks`. */
export function addWebhooksCommand(program: Command, terminal: Terminal): void {
  addService(program, terminal, {
    name: 'webhooks',
    summary: 'answer what an API server asks about our kinds',
    description:
      'Serves admission and conversion of all kinds for the API server of a cluster, and tells it whom to trust for that. Several can run at once: each answers.',
    settings: webhooksSettings,
    run: async (settings) => (await import('./run-webhooks.ts')).runWebhooks(settings, terminal),
  });
}
