import type { DataCentre, Host } from '../../../simulator/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type RunningSimulator, startSimulator } from '../simulate/run-simulator.ts';
import type { Terminal } from '../terminal.ts';
import {
  type CreatedRack,
  type CreateRackOptions,
  createRackObjects,
  findKnownPort,
  type MovedRack,
  moveRack,
} from './rack-objects.ts';

/** BMCs of the rack listen this far above the port of the API. */
const bmcPortOffset = 10;
const rackSeed = 1;

/** A simulated rack whose servers and switches the API server knows. */
export interface SimulatedRack extends RunningSimulator, MovedRack, CreatedRack {
  /** Servers that nobody was told of, and that are to be switched on: they are in the rack, but not in `dataCentre`. */
  readonly discoverable: readonly Host[];
  /** Every server, also those that nobody was told of: whoever learns the address of their BMC can use it. */
  readonly all: Pick<DataCentre, 'bmcs' | 'hosts'>;
  /** Changes whom agents report to. */
  setAgent: DataCentre['setAgent'];
}

type RackSettings = Settings<'dataDir' | 'port' | 'simulate' | 'speed'> & Partial<Settings<'discoverable' | 'spares'>>;

/** What is beside the rack. */
export interface RackSurroundings extends CreateRackOptions {
  readonly client: KubeClient;
  readonly terminal: Terminal;
}

/** Starts the rack of `rackwright up` and makes the objects that describe it, leaving those that are there alone. */
export async function startSimulatedRack(
  settings: RackSettings,
  { client, terminal, ...options }: RackSurroundings,
): Promise<SimulatedRack> {
  const simulator = await startAtAnyOf(await choosePorts(settings, client), settings, terminal);
  try {
    const dataCentre = registeredOf(simulator.dataCentre, settings.simulate);
    const moved = await moveRack(dataCentre, client);
    if (moved.astray.length > 0) terminal.err(explainAstray(moved.astray));
    const created = await createRackObjects(dataCentre, client, options);
    for (const [name, why] of created.refused) terminal.err(`The host ${name} of the rack was not made: ${why}\n`);
    const { setAgent, bmcs, hosts } = simulator.dataCentre;
    const discoverable = hosts.slice(settings.simulate, settings.simulate + (settings.discoverable ?? 0));
    return { ...simulator, dataCentre, discoverable, all: { bmcs, hosts }, setAgent, ...moved, ...created };
  } catch (error) {
    await simulator.close();
    throw error;
  }
}

/** The data centre as those see it who are told of its servers. */
function registeredOf(dataCentre: DataCentre, servers: number): DataCentre {
  if (servers >= dataCentre.bmcs.length) return dataCentre;
  return { ...dataCentre, bmcs: dataCentre.bmcs.slice(0, servers), hosts: dataCentre.hosts.slice(0, servers) };
}

/** Where the objects say that the BMCs are, so that nobody has to learn new addresses; else beside the port of the API. */
async function choosePorts(settings: RackSettings, client: KubeClient): Promise<readonly number[]> {
  const known = await findKnownPort(client);
  const beside = settings.port === 0 ? 0 : settings.port + bmcPortOffset;
  return known === undefined || known === beside ? [beside] : [known, beside];
}

async function startAtAnyOf(
  [port = 0, ...others]: readonly number[],
  settings: RackSettings,
  terminal: Terminal,
): Promise<RunningSimulator> {
  try {
    return await startAt(port, settings, terminal);
  } catch (error) {
    if (!(error instanceof CliError && error.outcome === 'port-in-use')) throw error;
    if (others.length > 0) return startAtAnyOf(others, settings, terminal);
    const text = `port ${port}, where the BMCs of the simulated rack would listen, is in use by another process; stop it, choose another --port (the BMCs are ${bmcPortOffset} above), or start without the rack with --simulate 0`;
    throw new CliError('port-in-use', text, { cause: error });
  }
}

function startAt(bmcPort: number, settings: RackSettings, terminal: Terminal): Promise<RunningSimulator> {
  const servers = settings.simulate + (settings.discoverable ?? 0) + (settings.spares ?? 0);
  return startSimulator(
    {
      dataDir: settings.dataDir,
      servers,
      discoverable: servers,
      seed: rackSeed,
      speed: settings.speed,
      bmcPort,
      plainHttp: false,
      racks: undefined,
      faults: undefined,
      bmcHost: undefined,
      personalities: undefined,
    },
    terminal,
  );
}

function explainAstray(astray: readonly string[]): string {
  const shown = astray.slice(0, 3).join(', ') + (astray.length > 3 ? ', ...' : '');
  return `${astray.length} objects of the simulated rack name IP addresses where its BMCs are not (${shown}). These cannot be changed: delete the objects, and they are made anew at the next start.\n`;
}
