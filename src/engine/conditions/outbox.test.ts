import assert from 'node:assert/strict';
import { test } from 'node:test';
import { held, setUpEngine } from '../testing/rig.ts';

test('events come in the order in which things happened, in pages, each once', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  for (let n = 0; n < 5; n++) await rig.create(`model/${n}`, 'catalogueLookup');
  const seen = [...(await rig.engine.eventsAfter(0, 3))];
  for (const lease of await rig.lease('w1')) await rig.engine.worker.report(held(lease), { state: 'succeeded' });
  for (;;) {
    const more = await rig.engine.eventsAfter(seen.at(-1)?.seq ?? 0, 4);
    if (more.length === 0) break;
    seen.push(...more);
  }
  assert.deepEqual(
    seen.map((one) => one.seq),
    Array.from({ length: 16 }, (_, n) => n + 1),
  );
  for (const ones of Map.groupBy(seen, (one) => one.conditionId).values()) {
    if (ones[0]?.conditionId === undefined) continue;
    assert.deepEqual(
      ones.map((one) => one.event),
      ['created', 'leased', 'finalized'],
    );
  }
});

test('two followers at once see the same numbers', async (t) => {
  const rig = await setUpEngine(t);
  const second = await rig.another();
  const readAll = async (engine: typeof second) =>
    (await engine.eventsAfter(0, 1000)).map((one) => [one.seq, one.conditionId]);
  for (let n = 0; n < 20; n++) {
    const created = rig.create(`model/${n}`, 'catalogueLookup');
    const [a, b] = await Promise.all([readAll(rig.engine), readAll(second), created]);
    const shorter = Math.min(a.length, b.length);
    assert.deepEqual(a.slice(0, shorter), b.slice(0, shorter));
  }
  const events = await readAll(second);
  assert.deepEqual(
    events.map(([seq]) => seq),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
});

test('a report without news for people is no event, and an order that fails leaves none', async (t) => {
  const rig = await setUpEngine(t, { limits: { pending: 1 } });
  await rig.online('w1');
  await rig.create('model/a', 'catalogueLookup');
  await assert.rejects(rig.create('model/b', 'catalogueLookup'));
  const lease = await rig.leaseOne('w1');
  await rig.engine.worker.report(held(lease), { progress: { step: 1 } });
  await rig.engine.worker.report(held(lease), { status: { step: 'one' } });
  const events = await rig.engine.eventsAfter(0, 100);
  assert.deepEqual(
    events.map((one) => one.event),
    ['worker-online', 'created', 'leased', 'reported'],
  );
  assert.deepEqual(events.at(-1)?.detail, { controller: 'w1', status: { step: 'one' } });
});

test('events that nobody asked for for long get their numbers in order, in portions', async (t) => {
  const rig = await setUpEngine(t);
  await rig.database.write(async (tx) => {
    for (let n = 0; n < 1700; n++) {
      await tx.run(
        `INSERT INTO events (id, happened_at, rev, event, detail) VALUES (?, ?, 0, 'reported', '{}')`,
        ...[`e${String((n * 7919) % 1700).padStart(4, '0')}`, (n * 7919) % 1700],
      );
    }
  });
  const second = await rig.another();
  const before = rig.database.counts.transactions;
  const [one, two] = await Promise.all([rig.engine.eventsAfter(0, 5000), second.eventsAfter(0, 5000)]);
  assert.deepEqual(
    one.map((event) => [event.seq, event.at]),
    Array.from({ length: 1700 }, (_, n) => [n + 1, n]),
  );
  assert.deepEqual(two, one);
  assert.ok(rig.database.counts.transactions - before >= 8, 'all were numbered at once');
});

test('a store that is told of a greater number counts on from there, never back, and what happened before stays before', async (t) => {
  const rig = await setUpEngine(t);
  await rig.create('model/a', 'catalogueLookup');
  await rig.engine.numberAfter(5000);
  await rig.engine.numberAfter(10);
  await rig.create('model/b', 'catalogueLookup');
  const events = await rig.engine.eventsAfter(0, 100);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [1, 5001],
  );
  assert.equal(await rig.engine.lastEvent(), 5001);
});
