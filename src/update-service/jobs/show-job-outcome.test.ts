import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../engine/index.ts';
import { showJob } from './show-job.ts';

const ended = (status: Condition['status'], kind = 'firmwareInstall'): Condition =>
  ({
    ...{ id: 'c1', unit: 'c1', unitIndex: 0, target: 'server/s1', kind, state: 'succeeded', parameters: {}, status },
    ...{
      lock: '1',
      priority: 0,
      facility: 'f',
      client: 'test',
      fencingToken: 1,
      leases: 1,
      createdAt: 0,
      updatedAt: 0,
    },
    ...({ progress: {} } as Partial<Condition>),
  }) as Condition;

const skipped = {
  firmware_id: 'f1',
  vendor: 'hpe',
  component: 'nic',
  version: '2',
  why: 'other-vendor',
  message: 'no',
};

test('a job says in one word how its update ended, and what it skipped and why', () => {
  const shown = showJob(ended({ result: 'partial', skipped: [skipped], message: '1 installed' }), {
    strategy: 'redfish',
  });
  assert.equal(shown.result, 'partial');
  assert.deepEqual(shown.skipped, [
    { name: 'nic', manufacturer: 'hpe', version: '2', reason: 'other-vendor', message: 'no' },
  ]);
});

test('a status of another strategy, or of a scan, is shown without an outcome', () => {
  const foreign = showJob(ended({ result: 'splendid', skipped: 'none' }), { strategy: 'vendor-cli' });
  assert.deepEqual([foreign.result, foreign.skipped], ['', []]);
  assert.equal(showJob(ended({ result: 'partial' }, 'inventoryOOB'), { strategy: 'redfish' }).result, undefined);
});
