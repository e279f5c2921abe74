import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiServer } from '../../apiserver/index.ts';
import { type Bus, connectNatsBus, createLocalBus } from '../../engine/index.ts';
import { createClient, type KubeClient, systemClock } from '../../kube/index.ts';
import { createKubeAuthorizer } from '../../rest/index.ts';
import { createLogger, type Logger, noMetrics } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { claimStore } from './claim-store.ts';
import { enrolRack, offerOlder, type Rack, rackFacility } from './enrol-rack.ts';
import { createFirmwareCatalogue } from './firmware-catalogue.ts';
import { createInventorySink } from './inventory-sink.ts';
import { engineFolderOf, explainStore, type OpenStore, openStore } from './open-store.ts';
import { createRackImages } from './rack-images.ts';
import { restFileOf } from './rest-address.ts';
import { createServerDirectory } from './server-directory.ts';
import { type RunningFlasher, readTrust, startFlasher } from './start-flasher.ts';
import { bothInfo, bothRoutes, openWorkPlane, runLoop, serveRest, type WorkPlane } from './work-plane.ts';

/** What the work plane of `rackwright up` is started with. */
export type EmbeddedWorkSettings = Settings<
  | 'dataDir'
  | 'host'
  | 'port'
  | 'restPort'
  | 'databaseUrl'
  | 'natsUrl'
  | 'speed'
  | 'facilities'
  | 'concurrency'
  | 'bmcCa'
>;

/** The work plane of `rackwright up`: engine, inventory, their REST services, and flashers. */
export interface EmbeddedWork {
  readonly url: string;
  close(): Promise<void>;
}

/** Things that are open, to be closed in the opposite order. */
class Closing {
  readonly #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

/** Starts the work plane beside an embedded API server. */
export async function startEmbeddedWork(
  settings: EmbeddedWorkSettings,
  beside: { readonly server: ApiServer; readonly rack: Rack | undefined },
  terminal: Terminal,
): Promise<EmbeddedWork> {
  const open = new Closing();
  try {
    const logger = createLogger({ level: 'error', name: 'rackwright', write: (line) => terminal.err(line) });
    const { url, caPem, adminToken } = beside.server;
    const client = await createClient({ server: url, caPem, token: adminToken });
    open.add(() => client.close());
    return await startParts({ settings, rack: beside.rack, client, logger, open, terminal });
  } catch (error) {
    await open.close();
    throw explainStore(error);
  }
}

interface Starting {
  readonly settings: EmbeddedWorkSettings;
  readonly rack: Rack | undefined;
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly open: Closing;
  readonly terminal: Terminal;
}

async function startParts(starting: Starting): Promise<EmbeddedWork> {
  const { settings, rack, client, logger, open, terminal } = starting;
  const { dataDir, host } = settings;
  const store = await openStore(settings, terminal);
  open.add(() => store.close());
  const bus = await openBus(settings, logger);
  open.add(() => bus.close());
  mkdirSync(engineFolderOf(dataDir), { recursive: true, mode: 0o700 });
  const parts = { store, bus, logger, credentialKeys: join(engineFolderOf(dataDir), 'credentials.key') };
  const plane = await openWorkPlane(parts);
  open.add(() => plane.close());
  await claimStore(client, plane.engine.storeId);
  if (rack !== undefined) await enrolRack(plane.service, rack);
  const loop = await runLoop(plane, parts);
  open.add(() => loop.stop());
  for (const flasher of await startFlashers(starting, { plane, bus, store })) open.add(() => flasher.stop());
  const rest = await serveRest({
    info: bothInfo,
    routes: bothRoutes(plane, logger),
    authorizer: createKubeAuthorizer({ client, clock: systemClock }),
    certificate: readServerCertificate(dataDir),
    host,
    port: settings.restPort ?? (settings.port === 0 ? 0 : settings.port + 1),
    portOption: settings.restPort === undefined ? '--port (REST is one above it) or --rest-port' : '--rest-port',
    logger,
    missing: () => [],
  });
  open.add(() => rest.close());
  const file = restFileOf(dataDir);
  writeFileSync(file, `${JSON.stringify({ url: rest.url })}\n`, { mode: 0o600 });
  open.add(() => rmSync(file, { force: true }));
  if (rack !== undefined) open.add(completeCatalogue(plane, rack, logger));
  return { url: rest.url, close: () => open.close() };
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

/** The bus that is named, or else one in this process. */
export function openBus({ natsUrl }: Settings<'natsUrl'>, logger: Logger): Promise<Bus> {
  if (natsUrl === undefined) return Promise.resolve(createLocalBus({ logger }));
  return connectNatsBus({ url: natsUrl, clock: systemClock, logger, metrics: noMetrics });
}

/** One for the simulated rack, whose time is faster, and one for real facilities where some are named. */
async function startFlashers(
  { settings, rack, logger }: Starting,
  { plane, bus, store }: { readonly plane: WorkPlane; readonly bus: Bus; readonly store: OpenStore },
): Promise<RunningFlasher[]> {
  const { service, engine } = plane;
  const shared = {
    bus,
    logger,
    port: engine.worker,
    catalogue: createFirmwareCatalogue(service),
    inventorySink: createInventorySink(service),
    dataDir: settings.dataDir,
    concurrency: settings.concurrency,
  };
  // The lock on the store shows that an earlier life of this process is over: its work is taken up at once.
  const idOf = (name: string): { id?: string } => (store.isShared ? {} : { id: `flasher/embedded/${name}` });
  const flashers: RunningFlasher[] = [];
  if (rack !== undefined) {
    const { caPem } = rack.dataCentre;
    const servers = createServerDirectory(service, () =>
      caPem === undefined ? { kind: 'system' } : { kind: 'ca', caPem },
    );
    const images = createRackImages(rack.adminUrl);
    const ofRack = { servers, facilities: [rackFacility], rack: { images, speed: settings.speed } };
    flashers.push(await startFlasher({ ...shared, ...ofRack, ...idOf('simulated') }));
  }
  if (settings.facilities !== undefined) {
    const trust = readTrust(settings.bmcCa);
    const servers = createServerDirectory(service, () => trust);
    flashers.push(await startFlasher({ ...shared, servers, facilities: settings.facilities, ...idOf('facilities') }));
  }
  await Promise.all(flashers.map(({ online }) => online));
  return flashers;
}

/** The certificate of the API server is good for its neighbour too: same addresses, same authority. */
function readServerCertificate(dataDir: string) {
  const read = (name: string): string => readFileSync(join(dataDir, 'pki', name), 'utf8');
  return { certificatePem: read('server.crt'), privateKeyPem: read('server.key') };
}
