import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { backoffDelay, createClient, type KubeClient, KubeError, sleep, systemClock } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { EmbeddedWork, EmbeddedWorkSettings } from '../install-service/embedded-work.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { converterOfKinds } from './in-process-conversion.ts';
import { type Installed, installKinds } from './install-kinds.ts';
import { explainListenError } from './listen-error.ts';
import type { SimulatedRack } from './simulated-rack.ts';

/** What the embedded API server is started with. */
export type EmbeddedSettings = Settings<'dataDir' | 'host' | 'port'>;

/** Starts the embedded API server without installing anything into it. */
export async function startEmbeddedServer(
  settings: EmbeddedSettings,
  terminal: Terminal,
  readiness: Readonly<Record<string, () => string | undefined>> = {},
): Promise<ApiServer> {
  try {
    return await startApiServer({
      dataDir: settings.dataDir,
      host: settings.host,
      port: settings.port,
      converterFor: converterOfKinds(),
      readiness,
      onFault: (error) =>
        terminal.err(`rackwright: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`),
    });
  } catch (error) {
    throw explainListenError(error, settings);
  }
}

/** An embedded API server that serves all our kinds. */
export interface EmbeddedPlane {
  readonly server: ApiServer;
  readonly installed: Installed;
  /** Undefined when no servers are simulated. */
  readonly rack: SimulatedRack | undefined;
  readonly work: EmbeddedWork;
  close(): Promise<void>;
}

/** What the embedded plane with all that is beside it is started with. */
export type EmbeddedPlaneSettings = EmbeddedWorkSettings & Settings<'simulate'>;

/**
 * Starts the embedded API server, installs the kinds and roles, and starts what works; /readyz says ok from then on. What keeps them from
 * being installed, such as somebody's webhook that does not answer, can only be mended while the server runs: so it goes
 * on, says why it is not ready, and tries again.
 */
export async function startEmbeddedPlane(settings: EmbeddedPlaneSettings, terminal: Terminal): Promise<EmbeddedPlane> {
  let missing: string | undefined = 'the kinds are being installed';
  const server = await startEmbeddedServer(settings, terminal, { 'rackwright-kinds': () => missing });
  const { url, caPem, adminToken } = server;
  const client = await createClient({ server: url, caPem, token: adminToken });
  try {
    const installed = await installUntilDone(client, terminal, (why) => {
      missing = `the kinds could not be installed: ${why}`;
      terminal.err(`${missing}\nThe server is up at ${url} and tries again until they are.\n`);
    });
    missing = 'the simulated rack is being started';
    const rack = settings.simulate > 0 ? await startRack(settings, client, terminal) : undefined;
    missing = 'the work engine and the REST services are being started';
    const work = await startWork(settings, { server, rack }, terminal);
    missing = undefined;
    const close = async () => {
      await work.close();
      await rack?.close();
      await server.close();
    };
    return { server, installed, rack, work, close };
  } catch (error) {
    await server.close();
    throw error;
  } finally {
    await client.close();
  }
}

async function startRack(
  settings: EmbeddedPlaneSettings,
  client: KubeClient,
  terminal: Terminal,
): Promise<SimulatedRack> {
  const { startSimulatedRack } = await import('./simulated-rack.ts');
  return startSimulatedRack(settings, client, terminal);
}

/** Starts what works beside the API server; a rack that was started for it goes with it when it cannot. */
async function startWork(
  settings: EmbeddedPlaneSettings,
  beside: { readonly server: ApiServer; readonly rack: SimulatedRack | undefined },
  terminal: Terminal,
): Promise<EmbeddedWork> {
  try {
    const { startEmbeddedWork } = await import('../install-service/embedded-work.ts');
    return await startEmbeddedWork(settings, beside, terminal);
  } catch (error) {
    await beside.rack?.close();
    throw error;
  }
}

async function installUntilDone(
  client: KubeClient,
  terminal: Terminal,
  tell: (why: string) => void,
): Promise<Installed> {
  const signal = terminal.interrupted;
  for (let attempt = 1, told = ''; ; attempt++) {
    try {
      return await installKinds(client, { isReplacingOthers: true, conversion: 'in-process', signal });
    } catch (error) {
      const isMendable = error instanceof KubeError || error instanceof CliError;
      if (!isMendable || signal.aborted) throw error;
      if (error.message !== told) tell(error.message);
      told = error.message;
      await sleep(systemClock, backoffDelay({ baseMs: 500, maxMs: 15_000 }, attempt, Math.random), signal);
    }
  }
}
