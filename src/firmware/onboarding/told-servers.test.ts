import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import { createEngine, createLocalBus, openSqliteDatabase } from '../../engine/index.ts';
import { createFakeClock, type EventDraft, type EventSubject, systemClock } from '../../kube/index.ts';
import { createServerservice, isInventoryError } from '../../serverservice/index.ts';
import { serverIndexers } from '../fleet/objects.ts';
import { createTable } from '../fleet/table.ts';
import type { InventoryMirror } from '../ports.ts';
import { type ApiRig, startApi, startControllers, uuidOf } from '../testing/rig.ts';
import { aServer, noOwnership } from '../testing/server-seen.ts';
import { createServerserviceMirror } from './mirror-to-serverservice.ts';
import { createToldServersController } from './told-servers.ts';

async function setUp(t: TestContext) {
  const api = await startApi();
  t.after(() => api.close());
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  const engine = await createEngine({ database, kinds: [], clock: systemClock, bus: createLocalBus({}) });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const credentialKeys = [{ id: 'k', secret: randomBytes(32) }] as const;
  const service = await createServerservice({ database, machines: engine.machines, credentialKeys });
  const inner = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
  const changes = new Set<() => void>();
  const rung = async <T>(change: Promise<T>): Promise<T> => {
    const outcome = await change;
    for (const ring of changes) ring();
    return outcome;
  };
  const mirror: InventoryMirror = {
    ...inner,
    put: (server, signal) => rung(inner.put(server, signal)),
    remove: (id, name) => rung(inner.remove(id, name)),
  };
  /** Looks again whenever the inventory was told something. */
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (;;) {
      const next = Promise.withResolvers<void>();
      changes.add(next.resolve);
      if (await isSo()) return;
      await next.promise;
      changes.delete(next.resolve);
    }
  };
  const isKnown = (name: string): Promise<boolean> =>
    service.servers.get(uuidOf(name)).then(
      () => true,
      (error: unknown) => {
        if (isInventoryError(error, 'notFound')) return false;
        throw error;
      },
    );
  return { api, service, mirror, until, isKnown };
}

async function putInline({ servers }: ApiRig, name: string): Promise<void> {
  const bmc = {
    address: `${name}.example`,
    protocol: { name: 'Redfish', port: 443 },
    bmcSecretRef: { name: 'none' },
  } as const;
  const spec = { systemUUID: uuidOf(name), bmc };
  await servers.create({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name }, spec });
  const status = { manufacturer: 'Dell Inc.', model: 'R750', serialNumber: `SN-${name}` };
  await servers.status.patch({ name }, { type: 'merge', body: { status } });
}

test('a Server that was deleted while nobody watched leaves the inventory at the next start; what was enrolled by hand stays', async (t) => {
  const { api, service, mirror, until, isKnown } = await setUp(t);
  const first = await startControllers(api, { isOnboarding: true, mirror });
  for (const name of ['s1', 's2', 's3']) await putInline(api, name);
  await until(async () => (await isKnown('s1')) && (await isKnown('s2')) && (await isKnown('s3')));
  // Seen going, it goes at once.
  await api.servers.delete({ name: 's3' });
  await until(async () => !(await isKnown('s3')));
  await first.stop();
  await api.servers.delete({ name: 's1' });
  await service.servers.create({ id: uuidOf('by-hand'), name: 'by-hand', facility: 'fc1' });
  assert.equal(await isKnown('s1'), true);
  const second = await startControllers(api, { isOnboarding: true, mirror });
  try {
    await until(async () => !(await isKnown('s1')));
    assert.deepEqual([await isKnown('s2'), await isKnown('by-hand')], [true, true]);
  } finally {
    // Before the inventory goes, since whatever watches asks it.
    await second.stop();
  }
});

test('one that cannot go now is tried again, and the inventory is asked again every so often', async () => {
  const clock = createFakeClock();
  const removed: string[] = [];
  let [asked, removals, frees] = [0, 0, 0];
  let isBusy = true;
  const mirror: InventoryMirror = {
    put: async () => ({ kind: 'ok' }),
    async remove(id) {
      removals += 1;
      if (isBusy) throw new Error('work on it goes on');
      removed.push(id);
    },
    async told() {
      asked += 1;
      if (asked === 1) throw new Error('the inventory is away');
      return removed.length === 0 ? [{ id: 'a', name: 'gone' }] : [];
    },
  };
  const onRemoved = (): void => {
    frees += 1;
  };
  const controller = createToldServersController(
    { mirror, servers: createTable([]), clock, everyMs: 3_600_000, watches: [], onRemoved },
    { clock, random: () => 0.5 },
  );
  controller.start();
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let turn = 0; !isSo(); turn++) {
      assert.ok(turn < 1000, 'it never came to be so');
      for (let breath = 0; breath < 5; breath++) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10_000);
    }
  };
  await until(() => removals >= 2);
  assert.ok(asked >= 2);
  isBusy = false;
  await until(() => removed.length === 1);
  assert.equal(frees, 1);
  await until(() => asked >= 3);
  assert.deepEqual(removed, ['a']);
  await controller.stop();
});

test('a Server whose machine has another record gets a warning, at the start and every so often, and stays', async () => {
  const clock = createFakeClock();
  const server = { ...aServer(), ownership: noOwnership };
  const events: string[] = [];
  const mirror: InventoryMirror = {
    put: async () => ({ kind: 'ok' }),
    remove: async () => assert.fail('its Server is there'),
    told: async () => [{ id: server.spec.systemUUID, name: server.metadata.name ?? '', duplicates: ['other'] }],
  };
  const recorder = {
    record: ({ kind, metadata }: EventSubject, { type, reason, message }: EventDraft) =>
      void events.push([kind, metadata?.name, type, reason, message].join(' ')),
    flush: async () => {},
    whenFewerWait: async () => {},
  };
  const controller = createToldServersController(
    {
      ...{ mirror, clock, everyMs: 3_600_000, watches: [], onRemoved: () => {} },
      servers: createTable([server], serverIndexers),
    },
    { clock, random: () => 0.5, recorder },
  );
  controller.start();
  for (let turn = 0; events.length < 2; turn++) {
    assert.ok(turn < 1000, 'nothing was told');
    for (let breath = 0; breath < 5; breath++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
  }
  await controller.stop();
  for (const event of events) {
    assert.match(event, /^Server \S+ Warning DuplicateMachine .* also the record other of the inventory/);
  }
});

test('a Server is warned as soon as work finds out that its machine has another record, and once', async (t) => {
  const clock = createFakeClock();
  const one = { ...aServer(), ownership: noOwnership };
  const id = one.spec.systemUUID.toLowerCase();
  const other = uuidOf('other');
  const twin = {
    ...one,
    metadata: { ...one.metadata, name: 'twin', uid: 'twin' },
    spec: { ...one.spec, systemUUID: other },
  };
  const events: string[] = [];
  const asked: (readonly string[])[] = [];
  let listener: ((id: string) => void) | undefined;
  let isFound = false;
  const mirror: InventoryMirror = {
    put: async () => ({ kind: 'ok' }),
    remove: async () => assert.fail('its Server is there'),
    told: async () => [],
    duplicatesOf: async (ids) => {
      asked.push(ids);
      return new Map(isFound ? [[id, [other]]] : []);
    },
    onWork: (given) => {
      listener = given;
      return () => {
        listener = undefined;
      };
    },
  };
  const recorder = {
    record: ({ metadata }: EventSubject, { reason }: EventDraft) => void events.push(`${metadata?.name} ${reason}`),
    flush: async () => {},
    whenFewerWait: async () => {},
  };
  const controller = createToldServersController(
    {
      ...{ mirror, clock, everyMs: 3_600_000, watches: [], onRemoved: () => {} },
      servers: createTable([one, twin], serverIndexers),
    },
    { clock, random: () => 0.5, recorder },
  );
  controller.start();
  t.after(() => controller.stop());
  const pass = async (): Promise<void> => {
    for (let breath = 0; breath < 50; breath++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5000);
    for (let breath = 0; breath < 50; breath++) await new Promise((resolve) => setImmediate(resolve));
  };
  listener?.(id);
  listener?.(id);
  await pass();
  assert.deepEqual([asked, events], [[[id]], []]);
  isFound = true;
  for (let times = 0; times < 3; times++) {
    listener?.(id);
    await pass();
  }
  assert.deepEqual(events.sort(), [`${one.metadata.name} DuplicateMachine`, 'twin DuplicateMachine']);
  await controller.stop();
  assert.equal(listener, undefined);
});
