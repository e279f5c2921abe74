import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Engine } from '../engine.ts';
import { isEngineError } from '../errors.ts';
import type { KindDefinition } from '../kinds.ts';
import { held, kind } from './rig.ts';

/** For tests: kinds of which one has limits of its own. */
export const limitedKinds: readonly KindDefinition[] = [
  kind('scan', { sharing: 'shared', limits: { active: 2, pending: 3 } }),
  kind('update'),
];

type Subtest = Pick<TestContext, 'test'>;

/** For tests: what limits of a kind promise, on engines that share a store. */
export async function tryKindLimits(t: Subtest, engines: readonly [Engine, Engine]): Promise<void> {
  const [one, other] = engines;
  const orderOf = (name: string, target: string) => ({
    target,
    client: 'test',
    orders: [{ kind: name, parameters: {} }],
  });
  await one.worker.online({ id: 'w1', kinds: ['scan', 'update'], facilities: [] });
  await t.test('past the limit of its kind nothing is stored, and other kinds are let in', async () => {
    const asked = Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? one : other).create(orderOf('scan', `model/${n}`)).catch((error: unknown) => error),
    );
    const answers = await Promise.all(asked);
    const refused = answers.filter((each) => isEngineError(each, 'kindQueueFull'));
    assert.equal(refused.length, 7);
    assert.equal((await one.list({ kind: 'scan' })).conditions.length, 3);
    assert.equal((await one.create(orderOf('update', 'model/99'))).outcome, 'created');
    const [first] = (await one.list({ kind: 'scan' })).conditions;
    const again = await other.create(orderOf('scan', first?.target ?? ''));
    assert.equal(again.outcome, 'existing', 'what is there already takes no room');
  });
  await t.test('no more of a kind are active than it allows, and the rest says why it waits', async () => {
    await other.worker.online({ id: 'w2', kinds: ['scan'], facilities: [] });
    const [mine, theirs] = await Promise.all([
      one.worker.lease('w1', { max: 10, waitMs: 0 }),
      other.worker.lease('w2', { max: 10, waitMs: 0 }),
    ]);
    const scans = [...mine, ...theirs].filter(({ condition }) => condition.kind === 'scan');
    assert.equal(scans.length, 2);
    const rest = (await one.list({ kind: 'scan', states: ['pending'] })).conditions;
    assert.deepEqual(
      rest.map(({ reason }) => [reason?.code, /kind scan/.test(reason?.message ?? '')]),
      [['LimitReached', true]],
    );
    const [ended] = scans;
    assert.ok(ended);
    await one.worker.report(held(ended), { state: 'succeeded' });
    assert.equal((await other.worker.lease('w2', { max: 10, waitMs: 0 })).length, 1);
  });
}
