import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiServer } from '../../apiserver/index.ts';
import { createFirmwareAdmission, type FirmwareAdmission } from '../../firmware/index.ts';
import { createHostAdmission, type HostAdmission } from '../../hosts/index.ts';
import {
  backoffDelay,
  type CertifiedKey,
  createClient,
  inProcessAdmission,
  type KubeClient,
  KubeError,
  sleep,
  systemClock,
} from '../../kube/index.ts';
import { createNetworkAdmission, type NetworkAdmission } from '../../network/index.ts';
import { type AuditExport, createMetrics, type Tracer } from '../../telemetry/index.ts';
import type { ServedConsole } from '../console/cluster-console.ts';
import { openConsole } from '../console/open-console.ts';
import { servePlainConsole } from '../console/plain-console.ts';
import { CliError } from '../errors.ts';
import { chooseProvisioner } from '../hosts/choose-provisioner.ts';
import type { CertificateSettings } from '../install-service/certificate.ts';
import { Closing } from '../install-service/closing.ts';
import { egressOf } from '../install-service/egress.ts';
import type { Beside, RunningWork, WorkSettings } from '../install-service/start-work.ts';
import type { AuditSettings } from '../observe/open-audit.ts';
import { openWitnesses } from '../observe/open-witnesses.ts';
import { planRoutes, type ServerAddress } from '../plan-service/plan-routes.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type ApiLimitSettings, apiLimits } from './api-limit-settings.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { type Installed, installKinds } from './install-kinds.ts';
import type { RackSurroundings, SimulatedRack } from './simulated-rack.ts';
import { withdrawWebhooks } from './withdraw-webhooks.ts';

/** An embedded API server that serves all our kinds. */
export interface EmbeddedPlane {
  readonly server: ApiServer;
  readonly installed: Installed;
  /** Undefined when no servers are simulated. */
  readonly rack: SimulatedRack | undefined;
  readonly work: RunningWork;
  /** Where browsers of this machine find the console. */
  readonly consoleUrl: string;
  close(): Promise<void>;
}

/** What the embedded plane with all that is beside it is started with. */
export type EmbeddedPlaneSettings = WorkSettings &
  CertificateSettings &
  ApiLimitSettings &
  AuditSettings &
  Settings<'simulate' | 'discoverable' | 'spares' | 'tracesEndpoint' | 'consolePort'>;

/**
 * Starts the embedded API server, installs the kinds and roles, and starts what works; /readyz says ok from then on. What keeps them from
 * being installed, such as somebody's webhook that does not answer, can only be mended while the server runs: so it goes
 * on, says why it is not ready, and tries again.
 */
export async function startEmbeddedPlane(settings: EmbeddedPlaneSettings, terminal: Terminal): Promise<EmbeddedPlane> {
  let missing: string | undefined = 'the kinds are being installed';
  const admission = createFirmwareAdmission();
  const networkAdmission = createNetworkAdmission();
  const hostAdmission = createHostAdmission();
  const witnesses = await openWitnesses(settings, terminal);
  const { audit, tracer } = witnesses;
  let address: ReturnType<ServerAddress>;
  const console = openConsole();
  const server = await startEmbeddedServer(settings, terminal, {
    readiness: { 'rackwright-kinds': () => missing },
    admission: inProcessAdmission([...admission.rules, ...networkAdmission.rules, ...hostAdmission.rules]).hooks,
    limits: apiLimits(settings),
    egress: egressOf(settings),
    ...witnesses.ofServer,
    routes: planRoutes({ address: () => address, settings }),
    front: (request, response) => console.handle(request, response),
  });
  const { url, caPem, adminToken } = server;
  address = { server: url, caPem };
  const client = await createClient({ server: url, caPem, token: adminToken });
  let plain: ServedConsole | undefined;
  try {
    plain = await servePlainConsole(console, { url, caPem }, settings);
    const installed = await installUntilDone(client, terminal, (why) => {
      missing = `the kinds could not be installed: ${why}`;
      terminal.err(`${missing}\nThe server is up at ${url} and tries again until they are.\n`);
    });
    missing = 'the simulated rack is being started';
    const rack =
      settings.simulate + settings.discoverable + settings.spares > 0
        ? await startRack(settings, { client, terminal, admission: hostAdmission })
        : undefined;
    missing = 'the work engine and the REST services are being started';
    const work = await startWorkHere(
      settings,
      { server, rack, audit, tracer, admission, networkAdmission, hostAdmission },
      terminal,
    );
    console.setRest(work.handle);
    missing = undefined;
    const { url: consoleUrl, close: closeConsole } = plain;
    const close = async () => {
      await closeConsole();
      await work.close();
      await rack?.close();
      await server.close();
      await witnesses.close();
    };
    return { server, installed, rack, work, consoleUrl, close };
  } catch (error) {
    await plain?.close();
    await server.close();
    await witnesses.close();
    throw error;
  } finally {
    await client.close();
  }
}

async function startRack(
  settings: EmbeddedPlaneSettings,
  beside: Omit<RackSurroundings, 'exampleImage'>,
): Promise<SimulatedRack> {
  const { startSimulatedRack } = await import('./simulated-rack.ts');
  const { exampleImageFor } = await import('./rack-objects.ts');
  return startSimulatedRack(settings, { ...beside, exampleImage: exampleImageFor(chooseProvisioner(settings)) });
}

/** Starts what works beside the API server, and waits until it lets hosts in; a rack that was started for it goes with it when it cannot. */
async function startWorkHere(
  settings: EmbeddedPlaneSettings,
  beside: {
    readonly server: ApiServer;
    readonly rack: SimulatedRack | undefined;
    readonly audit: AuditExport | undefined;
    readonly tracer: Tracer;
    readonly admission: FirmwareAdmission;
    readonly networkAdmission: NetworkAdmission;
    readonly hostAdmission: HostAdmission;
  },
  terminal: Terminal,
): Promise<RunningWork> {
  const { server, rack, audit, tracer, ...admissions } = beside;
  const open = new Closing();
  try {
    const metrics = createMetrics({ process: true });
    const { url, caPem, adminToken: token } = server;
    const client = await createClient({ server: url, caPem, token }, { metrics });
    open.add(() => client.close());
    const { readCertificate } = await import('../install-service/certificate.ts');
    const { startWork } = await import('../install-service/start-work.ts');
    const certificate = readCertificate(settings) ?? readServerCertificate(settings.dataDir);
    const { createIsOfRack } = await import('../hosts/rack-provisioners.ts');
    const isOfRack = rack === undefined ? undefined : createIsOfRack(rack.all.bmcs);
    const besides = { client, rack, isOfRack, certificate, metrics, audit, tracer, ...admissions, isCluster: false };
    const onAgents: Beside['onAgents'] = async (agents) => {
      if (rack !== undefined) await plugIn(rack, { server, agents });
    };
    const work = await startWork(settings, { ...besides, onAgents }, terminal);
    open.add(() => work.close());
    await work.ready;
    return { ...work, close: () => open.close() };
  } catch (error) {
    await open.close();
    await rack?.close();
    throw error;
  }
}

/** Switches on the servers that nobody has registered; from now on agents of the rack report here. */
async function plugIn(
  { setAgent, discoverable, all }: Pick<SimulatedRack, 'setAgent' | 'discoverable' | 'all'>,
  { server, agents }: { readonly server: ApiServer; readonly agents: NonNullable<RunningWork['agents']> },
): Promise<void> {
  const { newestToken } = await import('../hosts/serve-agents.ts');
  setAgent({ kind: 'rackwright', url: agents.url, token: newestToken(agents.tokenFile), caPem: server.caPem });
  // Those that were on when everything stopped have found no agent since.
  for (const host of all.hosts) host.retryNetworkBoot();
  for (const host of discoverable) host.bootForDiscovery();
}

/** The certificate of the API server is good for its neighbour too: same addresses, same authority. */
function readServerCertificate(dataDir: string): CertifiedKey {
  const read = (name: string): string => readFileSync(join(dataDir, 'pki', name), 'utf8');
  return { certificatePem: read('server.crt'), privateKeyPem: read('server.key') };
}

async function installUntilDone(
  client: KubeClient,
  terminal: Terminal,
  tell: (why: string) => void,
): Promise<Installed> {
  const signal = terminal.interrupted;
  for (let attempt = 1, told = ''; ; attempt++) {
    try {
      await withdrawWebhooks(client, signal);
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
