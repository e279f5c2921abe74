/** One process of a run that works: an engine, a flasher, or both. It is killed and stopped without warning. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGates } from '../../src/bmc/index.ts';
import { conditionOrcRoutes, createRemoteWorkerPort, runConditionOrc } from '../../src/conditionorc/index.ts';
import {
  type Bus,
  connectNatsBus,
  createEngine,
  createLocalBus,
  createUnreliableBus,
  createWorker,
  type Database,
  type Engine,
  isEngineError,
  openPostgresDatabase,
  openSqliteDatabase,
  type WorkerPort,
} from '../../src/engine/index.ts';
import {
  createArtifactCache,
  defaultInstallSettings,
  flasherHandlers,
  flasherKinds,
  type ServerDirectory,
} from '../../src/flasher/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../src/rest/index.ts';
import { createLogger, noMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { seededRandom } from '../chaos/seeded-random.ts';
import { answerDesk } from './desk.ts';
import { createFastClock, onTempo } from './fast-time.ts';
import type { FleetServer } from './fleet.ts';
import type { Moment } from './moments.ts';
import { defaultTimes, facility, fastTimes, workerToken } from './run-times.ts';
import { unfence } from './unfence.ts';
import { say, Witness } from './witness.ts';
import type { DeskRequest, WorkOrder } from './work-order.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as WorkOrder;
const { tempo, role, name } = order;
const times = order.areDefaults === true ? defaultTimes : fastTimes;
const clock = createFastClock(tempo);
const { logPath } = order;
const logger =
  logPath === undefined
    ? silentLogger
    : createLogger({ level: 'info', name, write: (line) => appendFileSync(logPath, line) });
const drawn = seededRandom(order.seed);
const random = (): number => drawn.below(1_000_000) / 1_000_000;
const witness = new Witness({
  name,
  clock,
  passedPath: order.passedPath,
  moments: JSON.parse(readFileSync(order.momentsPath, 'utf8')) as Record<string, Moment[]>,
});
const servers = JSON.parse(readFileSync(order.fleetPath, 'utf8')) as FleetServer[];

const engine = role === 'remote-worker' ? undefined : await openEngine();
if (role !== 'orchestrator') await startFlasher(engine?.worker ?? remotePort());
say({
  say: 'ready',
  ...(engine === undefined ? {} : { workerApiUrl: role === 'orchestrator' ? await serve(engine) : '' }),
});
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as DeskRequest;
  if (engine !== undefined) void answerDesk(engine, request).then(say);
}
// Whoever started this process is done with it.
process.kill(process.pid, 'SIGKILL');

async function openDatabase(): Promise<Database> {
  if (order.databaseUrl === undefined) {
    mkdirSync(order.dataDir, { recursive: true });
    return openSqliteDatabase({ path: join(order.dataDir, 'engine.db'), clock });
  }
  const url = order.databaseUrl;
  const stalled = times.stalledMs === undefined ? {} : { stalledMs: times.stalledMs };
  const shared = await openPostgresDatabase({ url, clock: systemClock, poolSize: 6, ...stalled });
  return onTempo(shared, tempo, () => witness.writing());
}

async function openBus(): Promise<Bus> {
  const { natsUrl } = order;
  const bus =
    natsUrl === undefined
      ? createLocalBus({ logger })
      : await connectNatsBus({ url: natsUrl, clock: systemClock, random, logger, metrics: noMetrics });
  if (order.isBusUnreliable !== true) return bus;
  return createUnreliableBus(bus, { dropRate: 0.3, doubleRate: 0.3, delayMs: 200, random, clock: systemClock });
}

async function openEngine(): Promise<Engine> {
  const database = await openDatabase();
  const bus = await openBus();
  const made = await createEngine({
    database,
    bus,
    clock,
    random,
    logger,
    kinds: flasherKinds(times.kinds),
    settings: times.engine,
  });
  for (const { uuid, serial, manufacturer, model } of role === 'embedded' || role === 'orchestrator' ? servers : []) {
    const machine = { id: uuid, facility, bmcId: uuid, manufacturer, model, hold: undefined };
    if ((await made.machines.get(uuid)) === undefined)
      await made.machines.put(machine, [{ kind: 'serial', value: serial }]);
  }
  const sweeps = times.sweepMs === undefined ? {} : { everyMs: times.sweepMs };
  if (role !== 'worker') await runConditionOrc({ engine: made, database, bus, clock, random, logger, ...sweeps });
  return made;
}

/** The worker API, for workers that do not open the store. */
async function serve(made: Engine): Promise<string> {
  const rest = createRest({
    info: { title: 'conditionOrc', description: 'Of a run.', version: '1' },
    authorizer: createFixedAuthorizer({ [workerToken]: { name: 'worker', scopes: ['update:worker'] } }),
  });
  rest.add(...conditionOrcRoutes({ engine: made, clock }));
  return (await rest.listen({ host: '127.0.0.1', port: 0 })).url;
}

function remotePort(): WorkerPort {
  return createRemoteWorkerPort({ url: order.workerApiUrl ?? '', token: workerToken, clock });
}

async function startFlasher(port: WorkerPort): Promise<void> {
  const cache = await createArtifactCache({ folder: join(order.dataDir, 'images'), maxBytes: 2 ** 30, clock, logger });
  const gates = createGates({ clock, random, logger, settings: times.gate });
  const handlers = flasherHandlers({
    gates: witness.gates(gates),
    servers: directory(),
    catalogue: { readSet: async () => undefined },
    artifacts: cache,
    imageAddress: ({ url }) => ({ uri: url }),
    inventorySink: { write: async () => undefined },
    clock,
    random,
    logger,
    metrics: witness.metrics,
    settings: { ...defaultInstallSettings, ...times.install },
  });
  const watched = Object.fromEntries(Object.entries(handlers).map(([kind, handle]) => [kind, witness.handler(handle)]));
  // One process has the file, so its lock shows that the life before is over; elsewhere nobody knows.
  const id = role === 'embedded' ? 'flasher/embedded' : `flasher/${name}`;
  createWorker({
    port: witness.port(order.isUnfenced === true ? unfence(port) : port),
    identity: { id, kinds: Object.keys(handlers), facilities: [facility] },
    handlers: watched,
    concurrency: order.concurrency,
    clock,
    random,
    logger,
    ...times.worker,
  });
}

function directory(): ServerDirectory {
  const known = new Map(servers.map((server) => [`server/${server.uuid}`, server]));
  return {
    async find(target) {
      const server = known.get(target);
      if (server === undefined) return undefined;
      const { url, username, password, systemPath } = server;
      // A source of its own for each holder, so that each has a session of its own.
      const credentials = async () => ({ username, password });
      return { endpoint: { origin: url, credentials, trust: { kind: 'system', allowsHttp: true } }, systemPath };
    },
  };
}

process.on('unhandledRejection', (error) => {
  if (isEngineError(error, 'leaseLost')) say({ say: 'unhandled', message: error.message });
  throw error;
});
