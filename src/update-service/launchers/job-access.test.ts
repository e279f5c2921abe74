import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobFileOf } from './job-access.ts';
import type { JobType, LaunchOrder } from './launcher.ts';

test('jobs on servers are told how patient to be, and discoveries where images are kept', async () => {
  const patience = { followMs: 1000 };
  const store = { kind: 'folder', folder: '/srv/images', publicUrl: 'http://images.test', maxBytes: 1 } as const;
  const parts = { updateService: { url: 'http://127.0.0.1:1' }, bmcOf: async () => undefined, patience, store };
  const told = async (type: JobType) => {
    const order = { jobId: 'job-1', token: 'token', type } as LaunchOrder;
    const file = await jobFileOf(order, parts);
    return [file.patience, file.store];
  };
  assert.deepEqual(await told('update'), [patience, undefined]);
  assert.deepEqual(await told('scan'), [patience, undefined]);
  assert.deepEqual(await told('discovery'), [undefined, store]);
});
