import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome, Provisioners } from '../provisioner.ts';
import { createDemoProvisioners } from '../testing/demo/index.ts';
import { handDriven, handOrder } from './testing/hand-driven.ts';
import { type StartedAgents, startedAgents } from './testing/started-agents.ts';

const bmc = {
  ...{ address: 'redfish://bmc', isCertificateUnchecked: false },
  credentials: { username: 'admin', password: 'secret' },
};
const goes: Outcome = { kind: 'continue', afterMs: 1000, hasStarted: true };
const done: Outcome = { kind: 'done', value: undefined };
const broken: Outcome = { kind: 'failed', message: 'the BMC has no Pxe' };

/** Demo hosts whose BMCs answer so to the wish to start from the network, one after the other. */
function bmcsThatSay(...answers: Outcome[]): Provisioners & { readonly left: Outcome[] } {
  const demo = createDemoProvisioners();
  const bootFromNetwork = async (): Promise<Outcome> => answers.shift() ?? assert.fail('it was started once too often');
  return { ...demo, left: answers, of: (host) => ({ ...demo.of(host), bootFromNetwork }) };
}

async function managed(started: StartedAgents) {
  const machine = await handDriven(started, 1);
  const it = started.agents.provisioners.of({ ...machine.host, bmc });
  const deprovision = (isRetry = false) => it.deprovision({ isRetry, cleaningMode: 'metadata' });
  return { ...machine, provision: () => it.provision(handOrder), deprovision };
}

describe('a machine whose agent is silent and whose BMC is known', () => {
  test('is started from the network to be provisioned, once', async (t) => {
    const beside = bmcsThatSay(goes, done);
    const started = await startedAgents(t, { beside, times: { silenceMs: 60_000 } });
    const { introduce, ask, provision } = await managed(started);
    await started.clock.advance(60_000);
    for (const _ of [1, 2, 3, 4]) assert.equal((await provision()).kind, 'continue');
    assert.equal(beside.left.length, 0);
    const fresh = String((await introduce()).body.token);
    assert.equal((await ask(fresh)).body.name, 'standby.prepare_image');
    assert.equal((await provision()).kind, 'continue');
  });

  test('is not started again while its agent writes, however silent that is', async (t) => {
    const started = await startedAgents(t, { beside: bmcsThatSay(), times: { silenceMs: 60_000 } });
    const { ask, provision } = await managed(started);
    assert.equal((await provision()).kind, 'continue');
    assert.equal((await ask()).body.name, 'standby.prepare_image');
    await started.clock.advance(60_000);
    assert.equal((await provision()).kind, 'continue');
  });

  test('is started from the network to be given back, and nobody is believed before that', async (t) => {
    const beside = bmcsThatSay(broken, goes, done);
    const started = await startedAgents(t, { beside });
    const { introduce, ask, deploy, deprovision } = await managed(started);
    await deploy();
    assert.deepEqual(await deprovision(), broken);
    assert.equal((await introduce()).status, 409, 'what runs there could be the one who asks');
    assert.equal((await deprovision(true)).kind, 'continue');
    assert.equal((await introduce()).status, 409);
    assert.equal((await deprovision()).kind, 'busy');
    const fresh = String((await introduce()).body.token);
    assert.equal((await deprovision()).kind, 'continue');
    assert.equal((await ask(fresh)).body.name, 'clean.execute_clean_step');
  });

  test('and whose agent does not come even then has failed, and is started once more', async (t) => {
    const beside = bmcsThatSay(done, done);
    const started = await startedAgents(t, { beside, times: { bootMs: 60_000 } });
    const { deploy, deprovision } = await managed(started);
    await deploy();
    assert.equal((await deprovision()).kind, 'busy');
    await started.clock.advance(60_000);
    const failed = await deprovision();
    assert.match(failed.kind === 'failed' ? failed.message : failed.kind, /has not come/);
    assert.equal((await deprovision(true)).kind, 'failed');
    assert.equal(beside.left.length, 0);
  });
});
