import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handDriven } from './testing/hand-driven.ts';
import { startedAgents } from './testing/started-agents.ts';

test('a host in use is detached in one write: half of it would be a machine in use that nobody has', async (t) => {
  const started = await startedAgents(t);
  const { provisioner, deploy } = await handDriven(started, 1);
  await deploy();
  const { mock } = t.mock.method(started.database, 'write');
  assert.equal((await provisioner.detach({ isForced: false })).kind, 'done');
  assert.equal(mock.callCount(), 1);
  assert.deepEqual(await started.agents.source.list(), { kind: 'done', value: [] });
});
