import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionQuery } from '../engine.ts';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';

const retentionMs = 3_600_000;

/** Ten conditions on five targets, half of them ended and in the history. */
async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig & { readonly ids: readonly string[] }> {
  const rig = await setUpEngine(t, { settings: { retentionMs } });
  await rig.online('w1');
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await rig.create(`model/${n}`, 'catalogueLookup')).id);
  for (const lease of await rig.lease('w1')) await rig.engine.worker.report(held(lease), { state: 'succeeded' });
  rig.clock.advance(retentionMs);
  assert.equal((await rig.engine.sweep()).collected, 5);
  for (let n = 0; n < 5; n++) ids.push((await rig.create(`model/${n}`, 'inventoryOOB')).id);
  return { ...rig, ids };
}

async function all(rig: Rig, query: ConditionQuery): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await rig.engine.list({ ...query, ...(after === undefined ? {} : { after }) });
    ids.push(...page.conditions.map((one) => one.id));
    if (page.next === undefined) return ids;
    after = page.next;
  }
}

describe('a list of conditions', () => {
  test('comes newest first in pages that fit together, with or without the history', async (t) => {
    const rig = await setUp(t);
    const newest = rig.ids.toReversed();
    for (const limit of [1, 2, 3, 5, 10, 100]) {
      assert.deepEqual(await all(rig, { limit }), newest.slice(0, 5));
      assert.deepEqual(await all(rig, { limit, isWithHistory: true }), newest);
    }
  });

  test('is filtered by every member', async (t) => {
    const rig = await setUp(t);
    const [old, , , , , young = ''] = rig.ids;
    const cases: [ConditionQuery, (string | undefined)[]][] = [
      [{ target: 'model/0' }, [young]],
      [{ target: 'model/0', isWithHistory: true }, [young, old]],
      [{ kind: 'INVENTORYOOB', target: 'model/0' }, [young]],
      [{ states: ['succeeded'], target: 'model/0', isWithHistory: true }, [old]],
      [{ states: [] }, []],
      [{ controller: 'w1', target: 'model/0', isWithHistory: true }, [old]],
      [{ unit: young }, [young]],
      [{ facility: 'nowhere', isWithHistory: true }, []],
    ];
    for (const [query, expected] of cases) assert.deepEqual(await all(rig, query), expected, JSON.stringify(query));
  });

  test('refuses what it does not understand', async (t) => {
    const rig = await setUp(t);
    const states = ['dancing'] as unknown as ConditionQuery['states'] & object;
    for (const query of [{ states }, { after: 'x' }, { after: '' }, { limit: 0 }, { limit: 1.5 }]) {
      await assert.rejects(rig.engine.list(query), { code: 'badQuery' }, JSON.stringify(query));
    }
  });

  test('says why what could be leased is not', async (t) => {
    const rig = await setUp(t);
    await rig.engine.worker.offline('w1');
    const { conditions } = await rig.engine.list({ target: 'model/0' });
    assert.equal(conditions[0]?.reason?.code, 'NoWorker');
  });
});

test('a condition in the history reads like before, and can be removed', async (t) => {
  const rig = await setUpEngine(t, { settings: { retentionMs } });
  await rig.online('w1');
  const { id } = await rig.create('model/a', 'catalogueLookup', { deadlineMs: 5000 });
  await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'failed', status: { why: 'x' } });
  const before = await rig.get(id);
  rig.clock.advance(retentionMs);
  await rig.engine.sweep();
  assert.deepEqual(await rig.get(id), before);
  await rig.engine.remove(id);
  assert.equal(await rig.engine.get(id), undefined);
});
