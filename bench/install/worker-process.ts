import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createGates, type TlsTrust } from '../../src/bmc/index.ts';
import { type Row, targetOf } from '../../src/engine/index.ts';
import { createArtifactCache, createFlasher, type Flasher } from '../../src/flasher/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import type { BenchServer, WorkEnd, WorkerCommand, WorkerCost, WorkerOrder } from './fleet.ts';
import { settingsFor } from './install-settings.ts';
import { directoryOf, openPlane } from './plane.ts';

/** A worker for the bench, put together as `rackwright up` is: for each command it gets on a line, one line with figures. */
const order = JSON.parse(process.argv[2] ?? '{}') as WorkerOrder;
const facility = 'bench';
const logger = createLogger({
  level: 'error',
  name: `bench ${process.pid}`,
  write: (line) => void process.stderr.write(line),
});
const plane = await openPlane(order, logger);
const { database, engine, service, bus } = plane;
const cache = await createArtifactCache({ folder: join(order.folder, 'images'), maxBytes: 2 ** 30, logger });
const gates = createGates({ clock: systemClock, logger });
const trust: TlsTrust =
  order.caPem === undefined ? { kind: 'system', allowsHttp: true } : { kind: 'ca', caPem: order.caPem };
let flasher: Flasher | undefined;
let began = marked();
/** Statements of the bench itself. */
let ownStatements = 0;

process.once('SIGTERM', () => void stop());
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line) as WorkerCommand);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function obey(command: WorkerCommand): Promise<object> {
  switch (command.do) {
    case 'enrol':
      return forAll(command.servers, enrol);
    case 'order':
      return forAll(command.servers, placeOrder);
    case 'start':
      return start();
    case 'mark':
      mark();
      return Promise.resolve({});
    case 'await':
      return awaitAll(command.conditions, command.skip ?? 0);
    case 'cost':
      return Promise.resolve(cost());
  }
}

function mark(): void {
  began = marked();
  ownStatements = 0;
}

function marked() {
  return {
    wallTime: Date.now(),
    cpu: process.cpuUsage(),
    counts: database.counts,
    requests: countRequests(),
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
  };
}

/** Sixteen at a time, as several clients would. */
async function forAll(servers: readonly BenchServer[], act: (server: BenchServer) => Promise<void>): Promise<object> {
  const queue = servers.values();
  const work = async (): Promise<void> => {
    for (const server of queue) await act(server);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return {};
}

async function enrol(server: BenchServer): Promise<void> {
  const { id, name, vendor, model, serial, bmcAddress, username, password } = server;
  await service.servers.create({ id, name, facility, vendor, model, serial, bmcAddress });
  await service.credentials.put(id, 'bmc', { username, password });
}

async function placeOrder({ id, firmware }: BenchServer): Promise<void> {
  const orders = [
    { kind: 'firmwareInstall', parameters: { firmwares: [{ ...firmware, models: firmware.models as string[] }] } },
  ];
  const { outcome } = await engine.create({ target: targetOf(id), client: 'bench', orders });
  if (outcome !== 'created') throw new Error(`the order for ${id} was not taken: ${outcome}`);
}

async function start(): Promise<object> {
  mark();
  flasher = createFlasher({
    gates,
    bus,
    logger,
    port: engine.worker,
    servers: directoryOf(service, trust),
    // Orders of the bench bring their images with them, and it asks for no inventories.
    catalogue: { readSet: async () => undefined },
    inventorySink: { write: async () => {} },
    artifacts: cache,
    facilities: [facility],
    concurrency: order.parallel,
    settings: settingsFor(order.flashMs),
  });
  await flasher.worker.online;
  return { online: true };
}

async function awaitAll(conditions: number, skip: number): Promise<WorkEnd> {
  for (;;) {
    ownStatements += 1;
    // Inventories that follow installs are conditions, too.
    const count = `SELECT count(*) AS n FROM conditions WHERE kind = 'firmwareInstall' AND finalized_at IS NOT NULL`;
    const row = await database.read((tx) => tx.first(count));
    if (Number(row?.n) >= conditions) break;
    await delay(250);
  }
  const sql = `SELECT c.machine_id, c.state, c.finalized_at, c.reason_code, c.reason_message, min(e.happened_at) AS leased_at
    FROM conditions c LEFT JOIN events e ON e.condition_id = c.id AND e.event = 'leased'
    WHERE c.kind = 'firmwareInstall' GROUP BY c.id, c.machine_id, c.state, c.finalized_at, c.reason_code, c.reason_message ORDER BY c.finalized_at`;
  ownStatements += 1;
  const measured = (await database.read((tx) => tx.all(sql))).slice(skip);
  const failed = measured.filter(({ state }) => state !== 'succeeded');
  const secondsOf = (row: Row, from: number): number => (Number(row.finalized_at) - from) / 1000;
  return {
    seconds: Math.max(...measured.map((row) => secondsOf(row, began.wallTime))),
    succeeded: measured.length - failed.length,
    failures: failed.map((row) => `${row.reason_code}: ${row.reason_message}`),
    took: Object.fromEntries(measured.map((row) => [String(row.machine_id), secondsOf(row, Number(row.leased_at))])),
  };
}

function cost(): WorkerCost {
  const { user, system } = process.cpuUsage(began.cpu);
  const { statements, retries } = database.counts;
  return {
    cpuMs: (user + system) / 1000,
    statements: statements - began.counts.statements - ownStatements,
    retries: retries - began.counts.retries,
    requests: countRequests() - began.requests,
    idleRssMiB: began.rssMiB,
    maxRssMiB: process.resourceUsage().maxRSS / 1024,
  };
}

function countRequests(): number {
  return gates.states.reduce((sum, { requests }) => sum + requests, 0);
}

async function stop(): Promise<void> {
  await flasher?.stop({ graceMs: 1000 });
  await gates.close();
  await cache.close();
  await plane.close();
  process.exit(0);
}
