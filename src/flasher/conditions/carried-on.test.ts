import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, type JsonObject, openSqliteDatabase } from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { flasherKinds } from './kinds.ts';

const firmware: JsonObject = {
  id: 'fw-1',
  vendor: 'hpe',
  version: '3.10',
  URL: 'https://images.example/bios.bin',
  component: 'bios',
  checksum: `sha256:${'a'.repeat(64)}`,
  models: ['DL380'],
};

test('ten workers that die in one flash end it, and whoever asks for the same again goes on from their last step', async (t) => {
  const clock = createFakeClock();
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const kinds = flasherKinds();
  const engine = await createEngine({ database, kinds, clock });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const machine = { id: 'm0', facility: 'fc1', bmcId: 'b0', manufacturer: 'HPE', model: 'DL380', hold: undefined };
  await engine.machines.put(machine, []);
  const worker = { id: 'w1', kinds: kinds.map(({ kind }) => kind), facilities: ['fc1'] };
  const ask = async () => {
    const orders = [{ kind: 'firmwareInstall', parameters: { firmwares: [firmware] } }];
    const outcome = await engine.create({ target: 'server/m0', client: 'BareMetalHost fleet/h', orders });
    const [condition] = outcome.outcome === 'created' ? outcome.conditions : [];
    assert.ok(condition, outcome.outcome);
    return condition;
  };
  const first = await ask();
  for (let life = 1; life <= 10; life += 1) {
    await engine.worker.online(worker);
    const [lease] = await engine.worker.lease('w1', { max: 1, waitMs: 0 });
    assert.ok(lease, `life ${life}`);
    const told = { progress: { state: 'following', life }, isCancelUnsafe: true };
    await engine.worker.report({ conditionId: first.id, token: lease.token }, told);
    // Past its lease, and past the quiet after it.
    await clock.advance(60 * 60_000);
    await engine.sweep();
  }
  const ended = await engine.get(first.id);
  assert.match(
    ended?.reason?.message ?? '',
    /^10 leases ended .* in the middle of a flash: look at the device; asked for/,
  );
  const second = await ask();
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.progress, { state: 'following', life: 10 });
});
