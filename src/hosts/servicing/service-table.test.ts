import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTable, rowsFrom } from '../../kube/index.ts';
import { serviceTable } from './service-table.ts';

describe('the table of live updates', () => {
  it('reaches every state, leaves every one, and never doubts which row to take', () => {
    assert.deepEqual(checkTable(serviceTable), []);
  });

  it('has a way out of every state for a host that nothing is wanted for any more', () => {
    for (const state of ['servicing', 'failed', 'giving up'] as const) {
      assert.ok(
        rowsFrom(serviceTable, state).some(({ isAbort }) => isAbort === true),
        state,
      );
    }
  });
});
