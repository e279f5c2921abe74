import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handDriven } from './testing/hand-driven.ts';
import { startedAgents } from './testing/started-agents.ts';

test('giving back a machine whose agent never comes fails after a while, and goes on when it comes after all', async (t) => {
  const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
  const { introduce, ask, end, deploy, deprovision } = await handDriven(started, 1);
  await deploy();
  assert.equal((await deprovision()).kind, 'busy');
  await started.clock.advance(59_999);
  assert.equal((await deprovision()).kind, 'busy');
  await started.clock.advance(1);
  for (const isRetry of [false, true, true]) {
    const failed = await deprovision(isRetry);
    assert.match(failed.kind === 'failed' ? failed.message : failed.kind, /boot the host from the network/);
  }
  const fresh = String((await introduce()).body.token);
  assert.equal((await deprovision(true)).kind, 'continue');
  await end(await ask(fresh), fresh);
  assert.equal((await deprovision()).kind, 'done');
});
