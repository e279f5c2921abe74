import { rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { createGates, type Gates, type TlsTrust } from '../../bmc/index.ts';
import type { Database } from '../../engine/index.ts';
import type { FirmwareAdmission } from '../../firmware/index.ts';
import type { HostAdmission } from '../../hosts/index.ts';
import { type CertifiedKey, type KubeClient, makeDirectory, systemClock } from '../../kube/index.ts';
import type { NetworkAdmission, NetworkInformers } from '../../network/index.ts';
import type { Provisioners } from '../../provisioners/index.ts';
import { createKubeAuthorizer } from '../../rest/index.ts';
import type { FixtureRack } from '../../switches/index.ts';
import {
  type AuditExport,
  createLogger,
  type Logger,
  type MetricsRegistry,
  type Tracer,
} from '../../telemetry/index.ts';
import { type FirmwareHereSettings, startFirmwareHere } from '../firmware-plane/firmware-here.ts';
import { chooseProvisioner } from '../hosts/choose-provisioner.ts';
import { openRedfish } from '../hosts/open-redfish.ts';
import { type IsOfRack, onlyOfRack } from '../hosts/rack-provisioners.ts';
import { type ServedAgents, serveAgents } from '../hosts/serve-agents.ts';
import {
  type HostPlaneSettings,
  type RunningHosts,
  refuseLoneIronicSettings,
  startHosts,
} from '../hosts/start-hosts.ts';
import { startMachines } from '../machines/start-machines.ts';
import { ansibleOf, type NetworkPlaneSettings } from '../network/network-settings.ts';
import { startNetwork } from '../network/start-network.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { createBmcObjects } from './bmc-objects.ts';
import { type CertificateSettings, followCertificate } from './certificate.ts';
import { claimStore } from './claim-store.ts';
import { Closing } from './closing.ts';
import { egressOf } from './egress.ts';
import { type EmbeddedFlasherSettings, startEmbeddedFlashers } from './embedded-flashers.ts';
import { enrolRack, offerOlder, type Rack } from './enrol-rack.ts';
import { type JobLimitSettings, jobLimitsOf, type LimitSettings, limitsOf } from './limits.ts';
import { type NotifySettings, webhookOf } from './notify.ts';
import { type BusSettings, openBus } from './open-bus.ts';
import { openProbe } from './open-probe.ts';
import { engineFolderOf, explainStore, openStore } from './open-store.ts';
import { busCheck, createReadiness, storeCheck } from './readiness.ts';
import { restFileOf } from './rest-address.ts';
import { readTrust } from './start-flasher.ts';
import { bothInfo, bothRoutes, openWorkPlane, runLoop, serveRest, type WorkPlane } from './work-plane.ts';

/** What the work plane of `rackwright up` is started with. */
export type WorkSettings = EmbeddedFlasherSettings &
  BusSettings &
  LimitSettings &
  JobLimitSettings &
  NotifySettings &
  FirmwareHereSettings &
  HostPlaneSettings &
  NetworkPlaneSettings &
  CertificateSettings &
  Settings<
    'host' | 'port' | 'restPort' | 'databaseUrl' | 'databaseUrlFile' | 'credentialKeys' | 'logLevel' | 'logFormat'
  >;

/** How long the last request of a lost worker may go on when its process cannot have outlived its lock on the store. */
const ownRequestsMs = 2000;

/** The work plane of `rackwright up`: engine, inventory, their REST services, and flashers. */
export interface RunningWork {
  readonly url: string;
  /** Answers REST requests that came in by another port of this process. */
  readonly handle: RequestListener;
  /** Undefined where nothing is done about hosts. */
  readonly hosts: RunningHosts | undefined;
  /** Resolves when what is applied can be judged: the caches that admission looks at are full. */
  readonly ready: Promise<unknown>;
  /** Where agents introduce machines, where they do. */
  readonly agents?: Pick<ServedAgents, 'url' | 'tokenFile'> | undefined;
  close(): Promise<void>;
}

/** What is beside the work plane. */
export interface Beside {
  /** Of the Kubernetes API that is asked who may do what; stays open. */
  readonly client: KubeClient;
  readonly rack?: Rack | undefined;
  /** Which hosts are those of the rack. */
  readonly isOfRack?: IsOfRack | undefined;
  /** To serve with; without it only loopback addresses are listened on. */
  readonly certificate: CertifiedKey | undefined;
  /** Rules that look into the caches of the firmware controllers once these are full. */
  readonly admission: FirmwareAdmission;
  /** The same for switches and ports. */
  readonly networkAdmission: NetworkAdmission;
  /** The same for hosts, where something owns them. */
  readonly hostAdmission: HostAdmission | undefined;
  /** True for a cluster, where other processes may run controllers too. */
  readonly isCluster: boolean;
  /** Of this process; shown by the REST services. */
  readonly metrics: MetricsRegistry;
  /** Traces requests and the work that comes of them; stays open. */
  readonly tracer?: Tracer | undefined;
  /** Is told who changes what through the REST services; stays open. */
  readonly audit?: AuditExport | undefined;
  /** Is told where agents are listened for, before any host is looked after. */
  onAgents?(agents: Pick<ServedAgents, 'url' | 'tokenFile'>): Promise<void>;
  /** Makes the Kubernetes API ready for the controllers, once it is known that this store may work there. */
  prepare?(): Promise<void>;
}

/** Starts the work plane beside a Kubernetes API. */
export async function startWork(settings: WorkSettings, beside: Beside, terminal: Terminal): Promise<RunningWork> {
  const open = new Closing();
  try {
    const { logLevel: level = 'error', logFormat: format } = settings;
    const logger = createLogger({ level, format, write: (line) => terminal.err(line) });
    return await startParts({ settings, beside, logger, open, terminal });
  } catch (error) {
    await open.close();
    throw explainStore(error);
  }
}

interface Starting {
  readonly settings: WorkSettings;
  readonly beside: Beside;
  readonly logger: Logger;
  readonly open: Closing;
  readonly terminal: Terminal;
}

async function startParts(starting: Starting): Promise<RunningWork> {
  const { settings, open } = starting;
  const { client, rack, certificate, admission, isCluster } = starting.beside;
  const { dataDir, host } = settings;
  const parts = await openParts(starting);
  const plane = await openWorkPlane(parts);
  open.add(() => plane.close());
  await claimStore(client, plane.engine.storeId);
  await starting.beside.prepare?.();
  if (rack !== undefined) await enrolRack(plane.service, rack);
  const loop = await runLoop(plane, parts, webhookOf(settings));
  open.add(() => loop.stop());
  const { store, bus, logger, metrics } = parts;
  // One gate for each BMC, whoever of this process talks to it.
  const gates = doesReachBmcs(starting) ? createGates({ clock: systemClock, logger, metrics }) : undefined;
  if (gates !== undefined) open.add(() => gates.close());
  const { tracer } = starting.beside;
  const flasherParts = { plane, bus, rack, logger, metrics, tracer, gates, isShared: store.isShared };
  for (const flasher of await startEmbeddedFlashers(settings, flasherParts)) open.add(() => flasher.stop());
  const authorizer = createKubeAuthorizer({ client, clock: systemClock });
  const firmware = await startFirmwareHere(settings, {
    ...{ plane, parts, client, authorizer, rack, admission, isCluster, open },
    audit: starting.beside.audit,
    tracer: starting.beside.tracer,
  });
  const { networkAdmission } = starting.beside;
  const network = startNetwork({
    ...{ client, logger, metrics, open },
    admission: networkAdmission,
    ansible: ansibleOf(settings),
    isShared: isCluster,
    fixtures: rack === undefined ? undefined : await rackSwitchesOf(rack),
  });
  const native = gates === undefined ? undefined : await openNative(starting, { plane, parts, gates });
  const agents =
    native === undefined || chooseProvisioner(settings) === 'redfish'
      ? undefined
      : await serveAgentsHere(starting, parts, native);
  if (agents !== undefined) await starting.beside.onAgents?.(agents);
  const hosts = await startHostsHere(starting, {
    ...{ plane, parts, native: agents?.provisioners ?? native, network: network.informers },
  });
  const machines = await startMachines({
    ...{ client, logger, metrics, open },
    network: network.informers,
    isShared: isCluster,
  });
  const rest = await serveRest({
    info: bothInfo,
    routes: await bothRoutes(plane, { ...parts, enrolment: openEnrolment(starting) }),
    calls: firmware.calls,
    authorizer,
    certificate,
    host,
    port: settings.restPort ?? (settings.port === 0 ? 0 : settings.port + 1),
    portOption: settings.restPort === undefined ? '--port (REST is one above it) or --rest-port' : '--rest-port',
    logger,
    metrics,
    audit: starting.beside.audit,
    tracer: starting.beside.tracer,
    missing: createReadiness([
      ...[storeCheck(store.database), busCheck(bus), firmware.check, network.check, ...machines],
      ...(hosts === undefined ? [] : [hosts.check]),
    ]),
  });
  open.add(() => rest.close());
  open.add(followCertificate({ settings, rest, logger }));
  const file = restFileOf(dataDir);
  makeDirectory(dataDir, { mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ url: rest.url })}\n`, { mode: 0o600 });
  open.add(() => rmSync(file, { force: true }));
  if (rack !== undefined) open.add(completeCatalogue(plane, rack, logger));
  const ready = Promise.all([hosts?.ready, network.ready]);
  return { url: rest.url, handle: rest.handle, hosts, ready, agents, close: () => open.close() };
}

/** Whether hosts are looked after by their BMCs here. */
function doesReachBmcs({ settings, beside }: Pick<Starting, 'settings' | 'beside'>): boolean {
  const chosen = chooseProvisioner(settings);
  return chosen === 'rack' ? beside.isOfRack !== undefined : chosen !== 'ironic';
}

/** Disks are written by agents, all else is done by BMCs. Only hosts of the rack are, unless something was chosen. */
async function serveAgentsHere(
  { settings, beside, open }: Starting,
  { store, logger, metrics }: HostsHere['parts'],
  native: Provisioners,
): Promise<ServedAgents> {
  const { certificate, rack, isOfRack } = beside;
  const { database } = store;
  const served = await serveAgents(settings, {
    ...{ database, certificate, logger, metrics, open, beside: native, pollMs: pollMsOf(rack) },
  });
  const isChosen = chooseProvisioner(settings) !== 'rack' || isOfRack === undefined;
  return isChosen ? served : { ...served, provisioners: onlyOfRack(served.provisioners, isOfRack) };
}

/** Minutes of a simulated server pass in a second. */
function pollMsOf(rack: Rack | undefined): number | undefined {
  return rack === undefined ? undefined : 1000;
}

/** The simulator is loaded where there is a rack only. */
async function rackSwitchesOf({ dataCentre }: Rack): Promise<FixtureRack> {
  const { openRackSwitches } = await import('../network/rack-switches.ts');
  return openRackSwitches(dataCentre.fabric);
}

interface HostsHere {
  readonly plane: WorkPlane;
  readonly parts: {
    readonly store: { readonly database: Database };
    readonly logger: Logger;
    readonly metrics: MetricsRegistry;
  };
  /** What looks after hosts without an Ironic. */
  readonly native: Provisioners | undefined;
  readonly network: NetworkInformers;
}

/** Hosts are looked after where something owns them, and where nobody else may: on an API server of our own. */
async function startHostsHere(starting: Starting, here: HostsHere): Promise<RunningHosts | undefined> {
  const { settings, beside, open } = starting;
  const { client, hostAdmission, isCluster, rack } = beside;
  if (settings.ironicUrl === undefined) refuseLoneIronicSettings(settings);
  if (hostAdmission === undefined) return undefined;
  const { logger, metrics } = here.parts;
  return startHosts(settings, {
    ...{ client, logger, metrics, open },
    hasRack: rack !== undefined,
    engine: here.plane.engine,
    network: here.network,
    admission: hostAdmission,
    isShared: isCluster,
    native: here.native,
    trustOf: trustsOf(starting),
  });
}

/** What looks after hosts by their BMCs. */
function openNative(
  starting: Starting,
  { plane, parts, gates }: Pick<HostsHere, 'plane' | 'parts'> & { readonly gates: Gates },
): Promise<Provisioners> {
  const { database } = parts.store;
  const { engine, service, sealer } = plane;
  const { settings, beside } = starting;
  return openRedfish({
    ...{ gates, database, engine, sealer, firmware: service.firmware, trustOf: trustsOf(starting) },
    limit: settings.provisioningLimit,
    firmwareLinks: settings.firmwareLinks,
    egress: egressOf(settings),
    logger: starting.logger,
    pollMs: pollMsOf(beside.rack),
  });
}

async function openParts({ settings, beside, logger, open, terminal }: Starting) {
  const { dataDir } = settings;
  const { metrics } = beside;
  const tell = (message: string): void => terminal.err(`rackwright: ${message}\n`);
  const store = await openStore(settings, { fault: ({ message }) => tell(message), room: tell });
  open.add(() => store.close());
  const bus = await openBus(settings, { logger, metrics });
  open.add(() => bus.close());
  const credentialKeys = settings.credentialKeys ?? join(engineFolderOf(dataDir), 'credentials.key');
  makeDirectory(dirname(credentialKeys), { mode: 0o700 });
  return {
    store,
    bus,
    logger,
    metrics,
    credentialKeys,
    kinds: store.isShared ? {} : { requestDeadlineMs: ownRequestsMs },
    limits: limitsOf(settings),
    jobLimits: jobLimitsOf(settings),
    areUnverifiedAllowed: settings.allowUnverifiedFirmware,
    engineSettings: {},
  };
}

/** Enrolling asks the BMC which machine it is of, and makes its object on the plane beside. */
function openEnrolment({ settings, beside, logger, open }: Starting) {
  const { client } = beside;
  return {
    probe: openProbe(settings, { logger, open }, trustsOf({ settings, beside })),
    plane: createBmcObjects(client, logger),
  };
}

/** How the certificate of a BMC is checked: those of the rack against its own authority. */
function trustsOf({ settings, beside: { rack } }: Pick<Starting, 'settings' | 'beside'>): (origin: string) => TlsTrust {
  const trust = readTrust(settings);
  const caPem = rack?.dataCentre.caPem;
  const simulated = new Set(rack?.all.bmcs.map(({ url }) => new URL(url).origin) ?? []);
  return (origin) => (caPem !== undefined && simulated.has(origin) ? { kind: 'ca', caPem } : trust);
}

/** Goes on beside everything else; gives what ends it. */
function completeCatalogue({ service }: WorkPlane, rack: Rack, logger: Logger): () => Promise<void> {
  const ending = new AbortController();
  const done = offerOlder(service, rack, ending.signal).catch((error: unknown) => {
    logger.error('older firmware of the simulated rack is not in the catalogue', { error });
  });
  return () => {
    ending.abort();
    return done;
  };
}
