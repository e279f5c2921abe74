import {
  type AdminServer,
  type AgentTarget,
  type DataCentre,
  type DataCentreOptions,
  FleetError,
  fleetIdentity,
  keepState,
  ListenError,
  personalityNames,
  startAdminServer,
  startDataCentre,
} from '../../../simulator/index.ts';
import { dataDirFlag } from '../data-dir/data-dir-flag.ts';
import { CliError, usageError } from '../errors.ts';
import { readSecretFile } from '../install-service/secret-url.ts';
import type { Settings } from '../settings.ts';
import { runUntilInterrupted } from '../stop.ts';
import type { Terminal } from '../terminal.ts';
import { type ExportedFiles, exportFleet, prepareExport } from './export-fleet.ts';
import { readRules } from './running-simulator.ts';
import { adminFileOf, authorityFileOf, openSimulatorFolder, type SimulatorFolder } from './simulator-folder.ts';

/** What a simulated data centre is started with. */
export type SimulatorSettings = Settings<
  'dataDir' | 'racks' | 'servers' | 'seed' | 'speed' | 'faults' | 'bmcHost' | 'bmcPort' | 'personalities' | 'plainHttp'
> & {
  /** How many of the servers, the last ones, try the network where their disk is empty. */
  readonly discoverable?: number;
  /** Whom agents report to from the start. */
  readonly agent?: AgentTarget | undefined;
};

/** What `rackwright simulate` is told. */
export type SimulateSettings = SimulatorSettings &
  Settings<'export' | 'discoverable' | 'agentUrl' | 'agentTokenFile' | 'agentCa'>;

/** A data centre with the door through which it is disturbed. */
export interface RunningSimulator {
  readonly dataCentre: DataCentre;
  readonly adminUrl: string;
  /** True when it went on from an earlier run. */
  readonly isResumed: boolean;
  close(): Promise<void>;
}

/** Runs `rackwright simulate` until it is told to stop. */
export async function runSimulator(settings: SimulateSettings, terminal: Terminal): Promise<void> {
  if (settings.export !== undefined) prepareExport(settings.export);
  const servers = settings.servers + settings.discoverable;
  const simulator = await startSimulator({ ...settings, servers, agent: agentOf(settings) }, terminal);
  const { bmcs, hosts } = simulator.dataCentre;
  try {
    if (settings.export !== undefined) {
      // Nobody was told of those that introduce themselves.
      const told = { ...simulator.dataCentre, bmcs: bmcs.slice(0, settings.servers) };
      terminal.out(exportNote(settings.export, exportFleet(told, settings.export)));
    }
    terminal.out(greeting(simulator, settings, terminal));
    for (const host of hosts.slice(settings.servers)) host.bootForDiscovery();
  } catch (error) {
    await simulator.close();
    throw error;
  }
  await runUntilInterrupted(terminal, () => simulator.close());
}

function agentOf({ agentUrl, agentTokenFile, agentCa, discoverable }: SimulateSettings): AgentTarget | undefined {
  if (agentUrl === undefined) {
    if (discoverable > 0)
      throw usageError('--discoverable needs --agent-url: whom do those servers introduce themselves to');
    return undefined;
  }
  if (agentTokenFile === undefined)
    throw usageError('--agent-url goes with --agent-token-file, which holds a boot token');
  const [token = ''] = readSecretFile(agentTokenFile, '--agent-token-file').split('\n');
  const ca = agentCa === undefined ? {} : { caPem: readSecretFile(agentCa, '--agent-ca') };
  return { kind: 'rackwright', url: agentUrl, token: token.trim(), ...ca };
}

function exportNote(folder: string, { written, removed }: ExportedFiles): string {
  const stale =
    removed === 0 ? '' : ` ${count(removed, 'file')} of an earlier export, not part of this fleet, removed.`;
  return `${folder}: ${count(written, 'file')} that describe the fleet; they hold the passwords of its BMCs.${stale}\n`;
}

function greeting(
  { dataCentre, adminUrl, isResumed }: RunningSimulator,
  settings: SimulatorSettings,
  terminal: Terminal,
): string {
  const where = dataDirFlag(settings.dataDir, terminal);
  const { fabric, bmcs, fleet } = dataCentre;
  const [first] = bmcs;
  const { servers, racks, seed } = fleet;
  const lines = [
    `A data centre of ${count(servers, 'server')} in ${count(racks, 'rack')} with ${count(fabric.switches.length, 'switch', 'switches')}, seed ${seed}. In a real second, ${count(settings.speed, 'simulated second')} pass.`,
    isResumed ? 'It goes on where it was.' : 'All servers are as they come out of the box.',
    '',
    `  First BMC     ${first?.url}/redfish/v1/`,
    `  Admin API     ${adminUrl}   token in ${adminFileOf(settings.dataDir)}`,
    ...(dataCentre.caPem === undefined ? [] : [`  Authority     ${authorityFileOf(settings.dataDir)}   for --bmc-ca`]),
    '',
    'Type next, in another terminal:',
    `  npx rackwright simulate status${where}`,
    `  npx rackwright simulate login ${first?.name}${where}`,
    `  npx rackwright simulate log ${first?.name}${where}`,
    `  npx rackwright simulate faults FILE${where}`,
    '',
    'Ctrl-C stops it; started again it goes on where it was.',
  ];
  return `${lines.join('\n')}\n`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * Starts the data centre and its admin API, leaves the address of the latter in the data directory, and keeps the state
 * there.
 */
export async function startSimulator(settings: SimulatorSettings, terminal: Terminal): Promise<RunningSimulator> {
  const order = await readOrder(settings, terminal);
  const folder = await openSimulatorFolder(settings.dataDir, terminal);
  try {
    return await startInFolder(order, folder, terminal);
  } catch (error) {
    folder.close();
    throw explainStart(error);
  }
}

async function startInFolder(
  order: DataCentreOptions,
  folder: SimulatorFolder,
  terminal: Terminal,
): Promise<RunningSimulator> {
  const snapshot = await folder.readState(fleetIdentity(order));
  const dataCentre = await startDataCentre({ ...order, ...(snapshot === undefined ? {} : { snapshot }) });
  const keeper = keepState({
    dataCentre,
    file: folder.stateFile,
    onError: (error) => terminal.err(`rackwright: ${folder.stateFile} cannot be written: ${String(error)}\n`),
  });
  try {
    await keeper.save();
    const admin = await startAdmin(dataCentre, folder);
    folder.rememberAdmin(admin);
    if (dataCentre.caPem !== undefined) folder.showAuthority(dataCentre.caPem);
    const close = async (): Promise<void> => {
      await admin.close();
      await dataCentre.close();
      await keeper.close().finally(() => folder.close());
    };
    return { dataCentre, adminUrl: admin.url, isResumed: snapshot !== undefined, close };
  } catch (error) {
    keeper.stop();
    await dataCentre.close();
    throw error;
  }
}

/** On the port of the last run, unless that is taken by now. */
async function startAdmin(dataCentre: DataCentre, { lastAdminPort: port }: SimulatorFolder): Promise<AdminServer> {
  if (port === undefined) return startAdminServer(dataCentre);
  try {
    return await startAdminServer(dataCentre, { port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startAdminServer(dataCentre);
  }
}

async function readOrder(settings: SimulatorSettings, terminal: Terminal): Promise<DataCentreOptions> {
  const { racks, bmcHost, discoverable = 0 } = settings;
  return {
    seed: settings.seed,
    servers: settings.servers,
    speed: settings.speed,
    faults: settings.faults === undefined ? [] : await readRules(settings.faults, terminal),
    personalities: checkPersonalities(settings.personalities),
    isPlain: settings.plainHttp,
    port: settings.bmcPort,
    ...(settings.agent === undefined ? {} : { agent: settings.agent }),
    ...(discoverable === 0 ? {} : { doesFallBackToNetwork: (index) => index >= settings.servers - discoverable }),
    ...(racks === undefined ? {} : { racks }),
    ...(bmcHost === undefined ? {} : { host: bmcHost, addressing: 'port' as const }),
  };
}

function checkPersonalities(asked: readonly string[] | undefined): readonly (typeof personalityNames)[number][] {
  if (asked === undefined) return personalityNames;
  const unknown = asked.filter((name) => !personalityNames.some((each) => each === name));
  if (unknown.length > 0) {
    throw usageError(`--personalities: ${unknown.join(', ')} is not known; there are ${personalityNames.join(', ')}`);
  }
  return personalityNames.filter((name) => asked.includes(name));
}

/** What keeps a data centre from starting, in words for the terminal; other errors come back as they are. */
function explainStart(error: unknown): unknown {
  if (error instanceof FleetError) return usageError(error.message);
  if (!(error instanceof ListenError)) return error;
  if (error.code !== 'EADDRINUSE') return new CliError('failed', error.message, { cause: error });
  const taken = error.message.replace(/: choose .*$/, '');
  return new CliError('port-in-use', `${taken}; choose another with --bmc-port, or 0 for any free one`, {
    cause: error,
  });
}
