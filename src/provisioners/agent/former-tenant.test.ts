import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handDriven } from './testing/hand-driven.ts';
import { startedAgents } from './testing/started-agents.ts';

describe('who runs on a machine, and has found the token of its agent there,', () => {
  test('can ask for nothing, renew nothing and prove nothing with it (security.md: attacker-on-host)', async (t) => {
    const started = await startedAgents(t);
    const { id, token, introduce, ask, deploy, provisioner } = await handDriven(started, 1);
    await deploy();
    assert.equal((await ask()).status, 401);
    assert.equal((await started.ask('POST', `/${id}/token`, { token })).status, 401);
    assert.equal((await introduce({ earlier: { id, token } })).status, 409);
    const seen = await provisioner.look();
    assert.equal(seen.kind === 'done' ? seen.value.isPoweredOn : seen.kind, undefined, 'nobody was heard');
  });

  test('gets neither the erasure of its disk nor the data of the next one (security.md: attacker-on-host)', async (t) => {
    const started = await startedAgents(t);
    const { token, introduce, ask, end, deploy, deprovision, provision } = await handDriven(started, 1);
    await deploy();
    for (const _ of [1, 2])
      assert.equal((await deprovision()).kind, 'busy', 'it waits for an agent that introduces itself');
    assert.equal((await ask()).status, 401);
    assert.equal((await deprovision()).kind, 'busy');
    const again = await introduce();
    assert.equal(again.status, 200);
    const fresh = String(again.body.token);
    assert.equal((await deprovision()).kind, 'continue');
    assert.equal((await ask(token)).status, 401);
    const erasure = await ask(fresh);
    assert.equal(erasure.body.name, 'clean.execute_clean_step');
    assert.equal((await end(erasure, fresh)).status, 200);
    assert.equal((await deprovision()).kind, 'done');
    assert.equal((await provision()).kind, 'continue');
    assert.equal((await ask(token)).status, 401);
    assert.equal((await ask(fresh)).body.name, 'standby.prepare_image');
  });

  test('has nothing of it either where it was there before its host', async (t) => {
    const started = await startedAgents(t);
    const { id, token, introduce, ask, provisioner } = await handDriven(started, 1);
    assert.equal((await provisioner.adopt({ isRetry: false })).kind, 'done');
    assert.equal((await ask()).status, 401);
    assert.equal((await introduce({ earlier: { id, token } })).status, 409);
  });
});
