import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTable, type Facts, takeStep } from '../../kube/index.ts';
import { type ServicePhase, serviceTable } from './service-table.ts';

type ServiceFacts = Facts<(typeof serviceTable)['facts']>;

const fine: ServiceFacts = {
  ...{ use: 'ours', wanted: 'yes', change: 'some' },
  ...{ reboot: 'no', ability: 'yes', work: 'unasked' },
};

/** What is done from a state on; its provisioner is asked only where something is given up, and is done with it then. */
function wayFrom(state: ServicePhase, facts: Partial<ServiceFacts>): readonly string[] {
  if (state === 'none') return [];
  const work = state === 'giving up' ? 'done' : 'unasked';
  const { position, actions, isTaken } = takeStep(serviceTable, { state, since: 0 }, { ...fine, work, ...facts }, 0);
  assert.ok(isTaken, `there is no way out of ${state}`);
  return [...actions, ...wayFrom(position.state, facts)];
}

describe('the table of live updates', () => {
  it('reaches every state, leaves every one, and never doubts which row to take', () => {
    assert.deepEqual(checkTable(serviceTable), []);
  });

  for (const [what, facts, way] of [
    ['that nothing is wanted for any more', { wanted: 'no' }, ['give-up', 'let-be']],
    ['that is to be detached', { use: 'leaving' }, ['give-up', 'let-be']],
    ['that was let go of', { use: 'left' }, ['abandon']],
  ] as const) {
    it(`has a way out of every state for a host ${what}`, () => {
      assert.deepEqual(wayFrom('servicing', facts), way);
      assert.deepEqual(wayFrom('failed', facts), way);
      assert.deepEqual(wayFrom('giving up', facts), way.slice(-1));
    });
  }

  it('begins nothing for a host that is not ours to service, whatever is wanted', () => {
    for (const use of ['leaving', 'left'] as const) {
      const facts: ServiceFacts = { ...fine, use, reboot: 'asked' };
      assert.equal(takeStep(serviceTable, { state: 'none', since: 0 }, facts, 0).isTaken, false);
    }
  });
});
