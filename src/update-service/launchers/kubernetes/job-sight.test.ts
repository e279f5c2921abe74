import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeJob, KubePod } from './job-objects.ts';
import { sightOf } from './job-sight.ts';

const failed: KubePod = {
  status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 8, reason: 'Error' } } }] },
};
const working: KubePod = { status: { phase: 'Running', containerStatuses: [{ state: {} }] } };
const over: KubeJob = { status: { conditions: [{ type: 'Failed', status: 'True' }] } };

test('a pod that a cluster started beside the one that works says nothing of the job by its end', () => {
  for (const job of [{}, over]) assert.deepEqual(sightOf(job, [failed, working]), { state: 'running' });
  assert.equal(sightOf(over, [failed]).state, 'gone');
  const ended: KubePod = { status: { ...failed.status, phase: 'Running' } };
  assert.equal(sightOf({}, [ended]).state, 'gone', 'its container ended, which the pod does not say yet');
});
