import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  type DataCentre,
  fleetManifests,
  personalityNames,
  startAdminServer,
  startDataCentre,
} from '../../../simulator/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { runUntilInterrupted } from '../stop.ts';
import type { Terminal } from '../terminal.ts';
import { fleetNamespace } from './fleet-namespace.ts';
import { forgetAdmin, readRules, rememberAdmin } from './running-simulator.ts';

/** What a simulated data centre is started with. */
export type SimulatorSettings = Settings<
  | 'dataDir'
  | 'racks'
  | 'servers'
  | 'seed'
  | 'speed'
  | 'faults'
  | 'export'
  | 'simulatorHost'
  | 'simulatorPort'
  | 'personalities'
  | 'plain'
>;

/** A data centre with the door through which it is disturbed. */
export interface RunningSimulator {
  readonly dataCentre: DataCentre;
  readonly adminUrl: string;
  close(): Promise<void>;
}

/** Runs `rackwright simulate` until it is told to stop. */
export async function runSimulator(settings: SimulatorSettings, terminal: Terminal): Promise<void> {
  const simulator = await startSimulator(settings, terminal);
  const { dataCentre, adminUrl } = simulator;
  if (settings.export !== undefined) exportFleet(dataCentre, settings.export, terminal);
  const [first] = dataCentre.bmcs;
  terminal.out(
    `${[
      `A data centre of ${dataCentre.bmcs.length} servers and ${dataCentre.fabric.switches.length} switches, seed ${dataCentre.seed}, ${settings.speed} times as fast as the real one.`,
      '',
      `  First BMC     ${first?.url}/redfish/v1/`,
      `  Admin API     ${adminUrl}   token in ${join(settings.dataDir, 'simulator.json')}`,
      '',
      'Type next, in another terminal:',
      '  npx rackwright simulate status',
      `  npx rackwright simulate login ${first?.name}`,
      `  npx rackwright simulate log ${first?.name}`,
      '  npx rackwright simulate faults FILE',
      '',
      'Ctrl-C stops it.',
    ].join('\n')}\n`,
  );
  await runUntilInterrupted(terminal, () => simulator.close());
}

/** Starts the data centre and its admin API, and leaves the address of the latter in the data directory. */
export async function startSimulator(settings: SimulatorSettings, terminal: Terminal): Promise<RunningSimulator> {
  const dataCentre = await start(settings, terminal);
  const admin = await startAdminServer(dataCentre);
  rememberAdmin(settings.dataDir, admin);
  return {
    dataCentre,
    adminUrl: admin.url,
    close: async () => {
      forgetAdmin(settings.dataDir);
      await admin.close();
      await dataCentre.close();
    },
  };
}

async function start(settings: SimulatorSettings, terminal: Terminal): Promise<DataCentre> {
  const { racks, simulatorHost } = settings;
  const faults = settings.faults === undefined ? [] : await readRules(settings.faults, terminal);
  try {
    return await startDataCentre({
      seed: settings.seed,
      servers: settings.servers,
      speed: settings.speed,
      faults,
      personalities: checkPersonalities(settings.personalities),
      isPlain: settings.plain,
      port: settings.simulatorPort,
      ...(racks === undefined ? {} : { racks }),
      ...(simulatorHost === undefined ? {} : { host: simulatorHost, addressing: 'port' as const }),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CliError('port-in-use', `${(error as Error).message}; choose another with --bmc-port`, { cause: error });
  }
}

function checkPersonalities(asked: readonly string[] | undefined): readonly (typeof personalityNames)[number][] {
  if (asked === undefined) return personalityNames;
  const unknown = asked.filter((name) => !personalityNames.some((each) => each === name));
  if (unknown.length > 0) {
    throw usageError(`--personalities: ${unknown.join(', ')} is not known; there are ${personalityNames.join(', ')}`);
  }
  return personalityNames.filter((name) => asked.includes(name));
}

function exportFleet(dataCentre: DataCentre, folder: string, terminal: Terminal): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = fleetManifests({ namespace: fleetNamespace, bmcs: dataCentre.bmcs, fabric: dataCentre.fabric });
  for (const [name, documents] of files) writeFileSync(join(folder, name), yamlOf(documents), { mode: 0o600 });
  terminal.out(`${folder}: ${files.size} files that describe the fleet; they hold the passwords of its BMCs.\n`);
}

function yamlOf(documents: readonly object[]): string {
  return documents.map((each) => `---\n${stringify(each, { version: '1.1', aliasDuplicateObjects: false })}`).join('');
}
