import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultLimits } from '../settings.ts';
import type { Transaction } from '../store/index.ts';
import { setUpEngine } from '../testing/rig.ts';
import { createBudget } from './budget.ts';
import { findCandidates } from './candidates.ts';

test('a search walks along the index of what is ready and sorts nothing, however many wait', async (t) => {
  const rig = await setUpEngine(t);
  const worker = { id: 'w', kinds: ['firmwareInstall', 'inventoryOOB'], facilities: ['fc1', 'fc2'] };
  const asked: { sql: string; values: readonly (string | number | null)[] }[] = [];
  await rig.database.read(async (tx) => {
    const spy: Transaction = {
      first: (sql, ...values) => tx.first(sql, ...values),
      run: (sql, ...values) => tx.run(sql, ...values),
      all: (sql, ...values) => {
        asked.push({ sql, values });
        return tx.all(sql, ...values);
      },
      now: tx.now,
    };
    const active = [{ facility: 'fc1', modelKey: 'dell/r750', n: 1 }];
    const budget = createBudget({ ...defaultLimits, activePerModel: 1 }, active);
    await findCandidates(spy, worker, { budget, most: 10 });
  });
  assert.equal(asked.length, 1);
  const [{ sql, values } = assert.fail()] = asked;
  const plan = await rig.database.write((tx) => tx.all(`EXPLAIN QUERY PLAN ${sql}`, ...values));
  const details = plan.map((row) => String(row.detail));
  const searches = details.filter((one) => /\bconditions\b/.test(one));
  assert.equal(searches.length, 6, 'one for each facility, none among them, and kind');
  for (const one of searches)
    assert.match(one, /SEARCH conditions USING INDEX conditions_ready \(facility=\? AND kind=\?\)/);
  assert.deepEqual(
    details.filter((one) => one.includes('TEMP B-TREE')),
    [],
  );
});

test('a budget counts each limit on its own, and takes at once', () => {
  const limits = { ...defaultLimits, active: 4, activePerFacility: 3, activePerModel: 2 };
  const budget = createBudget(limits, [{ facility: 'a', modelKey: 'm', n: 1 }]);
  assert.equal(budget.take({ facility: 'a', modelKey: 'm' }), true);
  assert.equal(budget.take({ facility: 'a', modelKey: 'm' }), false);
  assert.match(budget.obstacle({ facility: 'b', modelKey: 'm' }) ?? '', /2 conditions are active on m/);
  assert.equal(budget.take({ facility: 'a', modelKey: 'n' }), true);
  assert.deepEqual([budget.fullFacilities, budget.fullModels], [['a'], ['m']]);
  assert.equal(budget.take({ facility: 'b', modelKey: '' }), true);
  assert.equal(budget.room, 0);
  assert.match(budget.obstacle({ facility: 'c', modelKey: '' }) ?? '', /4 conditions are active, the limit of all/);
});
