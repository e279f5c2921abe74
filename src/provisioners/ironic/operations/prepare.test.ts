import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestBench, targetsOf } from '../testing/index.ts';

const wanted = { isRetry: false, isWanted: true, settings: { ProcTurboMode: 'Disabled' } };

for (const state of ['cleaning', 'clean wait'] as const) {
  test(`a node in ${state} is at what was asked for, unless it is Ironic itself that cleans it`, async (t) => {
    const bench = await createTestBench(t);
    for (const [target, isUnderWay] of [
      ['manageable', true],
      ['available', undefined],
    ] as const) {
      await bench.node(state, { target_provision_state: target });
      const outcome = await bench.at().prepare(wanted);
      assert.equal(outcome.kind === 'continue' ? outcome.isUnderWay : outcome, isUnderWay);
      assert.deepEqual(bench.changes(), []);
    }
  });
}

test('a preparation whose first answer is lost is seen to be under way by the next', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('manageable');
  // Nobody hears this one.
  await bench.at().prepare(wanted);
  const outcome = await bench.at().prepare(wanted);
  assert.equal(outcome.kind === 'continue' ? outcome.isUnderWay : outcome, true);
  assert.deepEqual(targetsOf(bench.changes()), ['clean']);
});
