import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition, JsonObject } from '../condition.ts';
import { held, kind, type Rig, setUpEngine } from '../testing/rig.ts';

const strikes = 3;

async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig> {
  const sharing = { sharing: 'exclusive', isDisruptive: true, maxLeases: strikes } as const;
  const kinds = [
    kind('firmwareInstall', { ...sharing, isCarriedOn: true }),
    kind('biosControl', sharing),
    kind('inventoryOOB', { sharing: 'shared' }),
  ];
  const rig = await setUpEngine(t, { kinds });
  await rig.addMachine('m0');
  return rig;
}

async function ask(rig: Rig, kinds: readonly string[], parameters: JsonObject = {}): Promise<Condition> {
  const orders = kinds.map((each) => ({ kind: each, parameters }));
  const outcome = await rig.engine.create({ target: 'server/m0', client: 'test', orders });
  assert.ok(outcome.outcome === 'created', outcome.outcome);
  const last = outcome.conditions.at(-1);
  assert.ok(last);
  return last;
}

/** Lets one worker after the other take it, store how far it is, and die. */
async function strikeOut(rig: Rig, id: string, report: { isCancelUnsafe: boolean }): Promise<Condition> {
  for (let life = 1; life <= strikes; life += 1) {
    await rig.online('w1');
    const lease = await rig.leaseOne('w1');
    assert.equal(lease.condition.id, id);
    await rig.engine.worker.report(held(lease), { progress: { state: 'following', life }, ...report });
    await rig.clock.advance(60_000);
    await rig.engine.sweep();
  }
  const ended = await rig.get(id);
  assert.deepEqual([ended.state, ended.reason?.code], ['failed', 'Unrunnable']);
  return ended;
}

const inTheMiddle = { isCancelUnsafe: true };

describe('work that was given up in the middle of a flash', () => {
  test('says so, and is gone on with where the same is asked for again', async (t) => {
    const rig = await setUp(t);
    const first = await ask(rig, ['firmwareInstall'], { set: 'a' });
    const ended = await strikeOut(rig, first.id, inTheMiddle);
    assert.match(
      ended.reason?.message ?? '',
      /in the middle of a flash: look at the device; asked for again, it goes on/,
    );
    const second = await ask(rig, ['firmwareInstall'], { set: 'a' });
    assert.deepEqual(second.progress, { state: 'following', life: strikes });
    await rig.online('w2');
    const lease = await rig.leaseOne('w2');
    assert.equal(lease.condition.leases, 1);
    assert.equal(lease.isCancelUnsafe, true);
    assert.deepEqual(lease.condition.progress, ended.progress);
    const events = await rig.engine.eventsAfter(0, 1000);
    const created = events.filter((each) => each.event === 'created' && each.conditionId === second.id);
    assert.deepEqual(
      created.map(({ detail }) => detail.goesOnWith),
      [first.id],
    );
  });

  test('is not cut off by a cancel before somebody has looked', async (t) => {
    const rig = await setUp(t);
    await strikeOut(rig, (await ask(rig, ['firmwareInstall'])).id, inTheMiddle);
    const second = await ask(rig, ['firmwareInstall']);
    const asked = await rig.engine.cancel(second.id, { client: 'test', isForced: false, doesInsist: false });
    assert.equal(asked.state, 'pending');
    assert.ok(asked.cancel);
  });

  test('is gone on with under the parameters it had: others are refused', async (t) => {
    const rig = await setUp(t);
    await strikeOut(rig, (await ask(rig, ['firmwareInstall'], { set: 'a' })).id, inTheMiddle);
    const { id, lock } = await ask(rig, ['firmwareInstall'], { set: 'a' });
    const change = rig.engine.change(id, { lock, parameters: { set: 'b' } });
    await assert.rejects(change, { code: 'illegalChange', message: /its work has begun/ });
    assert.deepEqual((await rig.get(id)).parameters, { set: 'a' });
  });

  test('is gone on with also after what came before it in its unit failed', async (t) => {
    const rig = await setUp(t);
    await strikeOut(rig, (await ask(rig, ['firmwareInstall'])).id, inTheMiddle);
    const second = await ask(rig, ['biosControl', 'firmwareInstall']);
    await rig.online('w2');
    const reason = { code: 'BadSettings', message: 'no such setting' };
    await rig.engine.worker.report(held(await rig.leaseOne('w2')), { state: 'failed', reason });
    assert.equal((await rig.get(second.id)).reason?.code, 'UnitFailed');
    assert.deepEqual((await ask(rig, ['firmwareInstall'])).progress, { state: 'following', life: strikes });
  });

  test('is begun anew where something else is asked for, or it was ended since', async (t) => {
    const rig = await setUp(t);
    await strikeOut(rig, (await ask(rig, ['firmwareInstall'], { set: 'a' })).id, inTheMiddle);
    const other = await ask(rig, ['firmwareInstall'], { set: 'b' });
    assert.deepEqual(other.progress, {});
    await rig.online('w2');
    await rig.engine.worker.report(held(await rig.leaseOne('w2')), { state: 'succeeded' });
    assert.deepEqual((await ask(rig, ['firmwareInstall'], { set: 'a' })).progress, {});
  });

  test('is begun anew where a worker had ended it with a reason of its own', async (t) => {
    const rig = await setUp(t);
    const first = await ask(rig, ['firmwareInstall']);
    await rig.online('w1');
    const lease = held(await rig.leaseOne('w1'));
    await rig.engine.worker.report(lease, { progress: { state: 'following' }, ...inTheMiddle });
    const reason = { code: 'ImageRefused', message: 'the BMC does not take it' };
    await rig.engine.worker.report(lease, { state: 'failed', reason });
    assert.equal((await rig.get(first.id)).state, 'failed');
    assert.deepEqual((await ask(rig, ['firmwareInstall'])).progress, {});
  });

  test('is begun anew where somebody insisted on its end', async (t) => {
    const rig = await setUp(t);
    const first = await ask(rig, ['firmwareInstall']);
    await rig.online('w1');
    await rig.engine.worker.report(held(await rig.leaseOne('w1')), {
      progress: { state: 'following' },
      ...inTheMiddle,
    });
    await rig.engine.cancel(first.id, { client: 'test', isForced: true, doesInsist: true });
    assert.deepEqual((await ask(rig, ['firmwareInstall'])).progress, {});
  });

  test('is begun anew where nothing had been begun, or its kind does not go on', async (t) => {
    const rig = await setUp(t);
    await strikeOut(rig, (await ask(rig, ['firmwareInstall'])).id, { isCancelUnsafe: false });
    assert.deepEqual((await ask(rig, ['firmwareInstall'])).progress, {});
    const other = await setUp(t);
    const ended = await strikeOut(other, (await ask(other, ['biosControl'])).id, inTheMiddle);
    assert.match(ended.reason?.message ?? '', /look at the device$/);
    assert.deepEqual((await ask(other, ['biosControl'])).progress, {});
  });
});
