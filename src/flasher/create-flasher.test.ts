import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createScaledClock, type PersonalityName, startDataCentre } from '../../simulator/index.ts';
import { createGates, type Gates } from '../bmc/index.ts';
import { createEngine, type JsonObject, openSqliteDatabase, startSweeping, type WorkerPort } from '../engine/index.ts';
import { createArtifactCache, startFileServer } from '../firmware-store/index.ts';
import { flasherKinds } from './conditions/kinds.ts';
import { createFlasher, type Flasher } from './create-flasher.ts';
import type { InstallSettings } from './install/settings.ts';
import type { Firmware } from './plan/firmware.ts';
import { makeRelease } from './testing/flasher-rig.ts';
import { createMortal, type Mortal } from './testing/mortal.ts';

const speed = 200;
const minute = 60_000;

/** A real engine and real flashers on simulated servers, in time that runs faster than the real one. */
async function setUp(context: TestContext, personalities: readonly PersonalityName[], leaseMs = 5 * minute) {
  const clock = createScaledClock({ speed, mostAtOnceMs: 100 });
  const dataCentre = await startDataCentre({
    seed: 11,
    servers: personalities.length,
    personalities,
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    clock,
  });
  const folder = await mkdtemp(join(tmpdir(), 'flasher-'));
  const files = await startFileServer(context);
  const artifacts = await createArtifactCache({ folder, maxBytes: 100_000_000 });
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const kinds = flasherKinds({ leaseMs, requestDeadlineMs: minute });
  const engine = await createEngine({ database, kinds, clock });
  const sweeping = startSweeping(engine, { clock, everyMs: 30_000 });
  const ends: (() => Promise<void>)[] = [];
  context.after(async () => {
    for (const end of ends) await end();
    await sweeping.stop();
    await engine.close();
    await database.close();
    await artifacts.close();
    await dataCentre.close();
    clock.close();
    await rm(folder, { recursive: true, force: true });
  });
  for (const [at, bmc] of dataCentre.bmcs.entries()) {
    const { model } = bmc.machine.hardware;
    const record = { id: `m${at}`, facility: 'fc1', bmcId: `bmc-${at}`, manufacturer: 'x', model, hold: undefined };
    assert.equal(await engine.machines.put(record, []), 'ok');
  }
  const credentialsOf = dataCentre.bmcs.map(({ username, password }) => async () => ({ username, password }));
  /** Which BMC is reached at the address of each server. */
  const cables = dataCentre.bmcs.map((_, at) => at);
  const servers = {
    async find(target: string) {
      const at = Number(/m(\d+)$/.exec(target)?.[1] ?? Number.NaN);
      const there = cables[at] ?? at;
      const [own, bmc, credentials] = [dataCentre.bmcs[at], dataCentre.bmcs[there], credentialsOf[there]];
      if (own === undefined || bmc === undefined || credentials === undefined) return undefined;
      const { uuid, serial } = own.machine.hardware;
      const endpoint = { origin: bmc.url, credentials, trust: { kind: 'system' as const, allowsHttp: true } };
      return { endpoint, machine: { uuid, serial } };
    },
  };
  const start = (mortal: Mortal = createMortal(), settings: Partial<InstallSettings> = {}): Flasher => {
    // This machine may be slow, and its time runs fast.
    const gates: Gates = createGates({ clock, settings: { deadlineMs: 20 * minute, connectMs: 20 * minute } });
    const flasher = createFlasher({
      port: mortalPort(engine.worker, mortal),
      servers,
      catalogue: { readSet: async () => undefined },
      inventorySink: { write: async () => {} },
      artifacts,
      facilities: ['fc1'],
      gates: mortal.gates(gates),
      clock,
      settings: {
        verify: { consecutiveReads: 2, deadlineMs: 15 * minute, poll: { first: 5000, most: 30_000 } },
        ...settings,
      },
    });
    ends.push(async () => {
      if (!mortal.isDead) await flasher.stop({ graceMs: minute });
      await gates.close();
    });
    return flasher;
  };
  const install = async (at: number, firmwares: readonly Firmware[]) => {
    const parameters = { firmwares: firmwares.map(toJson) };
    const order = { target: `server/m${at}`, client: 'test', orders: [{ kind: 'firmwareInstall', parameters }] };
    const created = await engine.create(order);
    assert.equal(created.outcome, 'created');
    const [condition] = created.outcome === 'created' ? created.conditions : [];
    assert.ok(condition);
    return condition.id;
  };
  /** Polls the store: what is waited for is a state, not a time. */
  const until = async (id: string, isThere: (status: JsonObject, state: string) => boolean) => {
    for (;;) {
      const condition = await engine.get(id);
      assert.ok(condition);
      if (isThere(condition.status, condition.state)) return condition;
      assert.ok(condition.finalizedAt === undefined, JSON.stringify(condition, null, 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { dataCentre, engine, start, install, until, files, cables };
}

function toJson(firmware: Firmware): JsonObject {
  const { id, vendor, version, component, url, checksum, models, softwareIds = [] } = firmware;
  return { id, vendor, version, component, URL: url, checksum, models: [...models], software_ids: [...softwareIds] };
}

/** The engine does not hear of a dead process any more. */
function mortalPort(port: WorkerPort, mortal: Mortal): WorkerPort {
  const whileAlive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (mortal.isDead) return new Promise(() => {});
    return call();
  };
  return {
    online: (worker) => whileAlive(() => port.online(worker)),
    heartbeat: (id) => whileAlive(() => port.heartbeat(id)),
    offline: (id) => whileAlive(() => port.offline(id)),
    lease: (id, options) => whileAlive(() => port.lease(id, options)),
    async report(lease, report) {
      const outcome = await whileAlive(() => port.report(lease, report));
      if (report.progress !== undefined) mortal.moment(`stored ${String(report.progress.state)}`);
      return outcome;
    },
    check: (lease) => whileAlive(() => port.check(lease)),
    release: (lease, why, options) => whileAlive(() => port.release(lease, why, options)),
    acquireSlot: (name, lease, signal) => whileAlive(() => port.acquireSlot(name, lease, signal)),
  };
}

test('a flasher takes orders of the engine and brings them to an end', { timeout: 120_000 }, async (context) => {
  const { dataCentre, start, install, until, files } = await setUp(context, ['lenovo-xcc', 'openbmc']);
  start();
  const wanted = await Promise.all(
    dataCentre.bmcs.map(({ machine }) => makeRelease(machine, { component: 'bios', put: files.put })),
  );
  const ids = await Promise.all(wanted.map((firmware, at) => install(at, [firmware])));
  for (const id of ids) {
    const { state, status, progress, leases } = await until(id, (_, now) => now === 'succeeded');
    assert.equal(state, 'succeeded');
    assert.equal(leases, 1, 'progress keeps the lease, which is shorter than the install');
    assert.equal(status.percent, 100);
    assert.equal(progress.state, 'succeeded');
  }
  for (const [at, { machine }] of dataCentre.bmcs.entries()) {
    assert.equal(machine.firmware.find(({ component }) => component === 'bios')?.version, wanted[at]?.version);
  }
});

test('when a flasher dies in a flash another one finishes it, and it is written once', {
  timeout: 120_000,
}, async (context) => {
  const { dataCentre, engine, start, install, until, files } = await setUp(context, ['lenovo-xcc']);
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  const firmware = await makeRelease(bmc.machine, { component: 'bios', put: files.put });
  const doomed = createMortal((what) => what === 'stored following');
  start(doomed);
  const id = await install(0, [firmware]);
  await until(id, () => doomed.isDead);
  start();
  const { state, leases, status } = await until(id, (_, now) => now === 'succeeded');
  assert.equal(state, 'succeeded');
  assert.ok(leases >= 2);
  assert.equal(status.percent, 100);
  const flashes = bmc.machine.log.events.filter(({ event }) => event === 'update.flash-begin');
  assert.equal(flashes.length, 1, bmc.machine.log.text());
  const events = await engine.eventsAfter(0, 1000);
  assert.ok(events.some(({ event }) => event === 'lease-expired'));
});

test('the end of a flash is heard where the BMC tells of it, and not waited for until the next look', {
  timeout: 120_000,
}, async (context) => {
  const never = 1_000_000 * minute;
  const { dataCentre, start, install, until, files } = await setUp(context, ['lenovo-xcc'], 4 * never);
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  // Looked at only every few years: without the events this test would not come to an end.
  start(createMortal(), { poll: { first: never, most: never }, followMs: 2 * never });
  const id = await install(0, [await makeRelease(bmc.machine, { component: 'bios', put: files.put })]);
  const { leases } = await until(id, (_, now) => now === 'succeeded');
  assert.equal(leases, 1);
});

test('looks that are set farther apart than a lease lasts do not cost the lease', {
  timeout: 120_000,
}, async (context) => {
  const { dataCentre, start, install, until, files } = await setUp(context, ['supermicro-x12']);
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  start(createMortal(), { poll: { first: 60 * minute, most: 60 * minute } });
  const id = await install(0, [await makeRelease(bmc.machine, { component: 'bios', put: files.put })]);
  const { leases } = await until(id, (_, now) => now === 'succeeded');
  assert.equal(leases, 1);
});

test('two servers whose cables were exchanged are not flashed for each other, and are once the addresses are right', async (context) => {
  const { dataCentre, start, install, until, files, cables } = await setUp(context, ['hpe-ilo5', 'hpe-ilo5']);
  const [first, second] = dataCentre.bmcs.map(({ machine }) => machine);
  assert.ok(first && second);
  const bios = await makeRelease(first, { component: 'bios', put: files.put });
  const isWritten = ({ log }: typeof first) => log.events.some(({ event }) => /^update\./.test(event));
  cables.reverse();
  start();
  const refused = await until(await install(0, [bios]), (_, state) => state === 'failed');
  assert.deepEqual([refused.reason?.code, refused.leases], ['OtherMachine', 1]);
  assert.match(
    refused.reason?.message ?? '',
    new RegExp(`has UUID ${first.hardware.uuid}.*${second.hardware.uuid}`, 'i'),
  );
  assert.match(String(refused.status.message), /another machine/);
  assert.deepEqual([isWritten(first), isWritten(second)], [false, false]);
  cables.reverse();
  await until(await install(0, [bios]), (_, state) => state === 'succeeded');
  assert.deepEqual([isWritten(first), isWritten(second)], [true, false]);
});
