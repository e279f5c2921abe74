/** Looks after hosts without an Ironic: controllers, engine and workers on one store, as in `rackwright up`. It is killed without warning. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGates } from '../../src/bmc/index.ts';
import { openEngineExternalWork } from '../../src/cli/hosts/engine-external-work.ts';
import {
  createEngine,
  createLocalBus,
  externalWork,
  openSqliteDatabase,
  startSweeping,
} from '../../src/engine/index.ts';
import { createArtifactCache, createFlasher, flasherKinds, type ServerDirectory } from '../../src/flasher/index.ts';
import { startHostControllers } from '../../src/hosts/index.ts';
import { createClient, systemClock } from '../../src/kube/index.ts';
import { createEngineDesk, createRedfishProvisioners, openHostRecords } from '../../src/provisioners/index.ts';
import { createLogger, silentLogger } from '../../src/telemetry/index.ts';
import { createFastClock } from '../recovery/fast-time.ts';
import type { FleetServer, Release } from '../recovery/fleet.ts';
import { facility, fastTimes, kindTimes } from '../recovery/run-times.ts';
import type { ControllersOrder, ControllersReport } from './order.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as ControllersOrder;
const { logPath, dataDir } = order;
const clock = createFastClock(order.tempo);
const logger =
  logPath === undefined
    ? silentLogger
    : createLogger({ level: 'warn', name: String(process.pid), write: (line) => appendFileSync(logPath, line) });
const servers = JSON.parse(readFileSync(order.fleetPath, 'utf8')) as FleetServer[];
/** Enough that only the limit of hosts keeps any of them waiting. */
const workersAtOnce = 2000;
/** What ships, or what suits fast time. */
const times =
  order.isAsShipped === true
    ? { kinds: {}, engine: {}, gates: {}, poll: {} }
    : { kinds: kindTimes, engine: fastTimes.engine, gates: fastTimes.gate, poll: { pollMs: 200 } };

mkdirSync(dataDir, { recursive: true });
const database = await openSqliteDatabase({ path: join(dataDir, 'engine.db'), clock });
const kinds = [...flasherKinds(times.kinds), externalWork];
const bus = createLocalBus({ logger });
const engine = await createEngine({ database, kinds, clock, bus, settings: times.engine, logger });
await enrol();
startSweeping(engine, { clock, everyMs: 30_000 });
const gates = createGates({ clock, logger, settings: times.gates });
createFlasher({
  ...{ port: engine.worker, bus, gates, clock, logger, facilities: [facility], concurrency: workersAtOnce },
  // One process has the file, so its lock shows that the life before is over.
  id: 'flasher/embedded/hosts',
  servers: directory(),
  catalogue: { readSet: async () => undefined },
  artifacts: await createArtifactCache({ folder: join(dataDir, 'images'), maxBytes: 2 ** 30, clock, logger }),
  inventorySink: { write: async () => undefined },
});
const releases = servers.flatMap((server) => server.releases);
const provisioners = createRedfishProvisioners({
  trustOf: () => ({ kind: 'system', allowsHttp: true }),
  ...{ gates, clock, limit: order.limit, ...times.poll },
  records: await openHostRecords(database),
  desk: createEngineDesk(engine),
  catalogue: {
    find: async ({ url, model }) => {
      const release = releases.find((each) => each.url === url && each.models.includes(model));
      return release === undefined ? undefined : firmwareOf(release);
    },
  },
});
const client = await createClient({ kubeconfig: order.kubeconfig });
const controllers = startHostControllers({
  ...{ client, provisioners, logger },
  clock: systemClock,
  random: Math.random,
  openExternalWork: () => openEngineExternalWork({ engine, clock, logger }),
});
await controllers.whenSynced();
process.stdout.write(`${JSON.stringify({ say: 'ready' })}\n`);
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage();
  const report: ControllersReport = {
    say: 'report',
    bmcRequests: gates.states.reduce((sum, { requests }) => sum + requests, 0),
    cpuMs: (user + system) / 1000,
    maxRssMiB: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
// Whoever started this process is done with it.
process.kill(process.pid, 'SIGKILL');

async function enrol(): Promise<void> {
  for (const { uuid, url, manufacturer, model } of servers) {
    const id = uuid.toLowerCase();
    if ((await engine.machines.get(id)) !== undefined) continue;
    const machine = { id, facility, bmcId: id, manufacturer, model, hold: undefined };
    await engine.machines.put(machine, [{ kind: 'bmc-address', value: url }]);
  }
}

function firmwareOf({ component, version, vendor, softwareId, models, url, sha256 }: Release) {
  return {
    ...{ id: `${softwareId}-${version}`, vendor, component, version, URL: url, software_id: softwareId },
    checksum: `sha256:${sha256}`,
    models: [...models],
  };
}

function directory(): ServerDirectory {
  const known = new Map(servers.map((server) => [`server/${server.uuid.toLowerCase()}`, server]));
  return {
    async find(target) {
      const server = known.get(target);
      if (server === undefined) return undefined;
      const { url, username, password, systemPath } = server;
      const credentials = async () => ({ username, password });
      return { endpoint: { origin: url, credentials, trust: { kind: 'system', allowsHttp: true } }, systemPath };
    },
  };
}
