import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostIdentity, Outcome, Provisioner, Provisioners } from '../provisioner.ts';
import { createDemoProvisioners } from '../testing/demo/index.ts';
import { handOrder } from './testing/hand-driven.ts';
import { hostOf, inventoryOf, registration, type StartedAgents, startedAgents } from './testing/started-agents.ts';

const bmc = {
  ...{ address: 'redfish://bmc', isCertificateUnchecked: false },
  credentials: { username: 'admin', password: 'secret' },
};
const goes: Outcome = { kind: 'continue', afterMs: 1000, hasStarted: true };
const done: Outcome = { kind: 'done', value: undefined };
const broken: Outcome = { kind: 'failed', message: 'the BMC has no Pxe' };
const look = { isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' } as const;

/** Demo hosts whose BMCs answer so to the wish to start from the network, one after the other. */
function bmcsThatSay(...answers: Outcome[]): Provisioners & { readonly left: Outcome[] } {
  const demo = createDemoProvisioners();
  const bootFromNetwork = async (): Promise<Outcome> => answers.shift() ?? assert.fail('it was started once too often');
  return { ...demo, left: answers, of: (host) => ({ ...demo.of(host), bootFromNetwork }) };
}

/** A host that somebody registered with its BMC, and whose machine was never here. */
async function registered(started: StartedAgents): Promise<Provisioner> {
  const host: HostIdentity = { ...hostOf(1), bmc };
  const outcome = await started.agents.allHosts.of(host).register(registration);
  assert.ok(outcome.kind === 'done', JSON.stringify(outcome));
  assert.match(outcome.value.id, /^agent-/);
  return started.agents.allHosts.of({ ...host, id: outcome.value.id });
}

const hostnameIn = (outcome: Awaited<ReturnType<Provisioner['inspect']>>): string | undefined =>
  outcome.kind === 'done' ? outcome.value.hostname : assert.fail(JSON.stringify(outcome));

describe('a host with a BMC whose machine was never here', () => {
  test('is started from the network to be inspected, once, and tells what its agent has told', async (t) => {
    const beside = bmcsThatSay(goes, done);
    const started = await startedAgents(t, { beside });
    const host = await registered(started);
    assert.deepEqual(await host.inspect(look), { kind: 'continue', afterMs: 5000 });
    const begun = await host.inspect(look);
    assert.equal(begun.kind === 'continue' && begun.hasStarted, true);
    assert.equal((await host.inspect(look)).kind, 'continue');
    assert.equal((await started.introduce(inventoryOf(1))).status, 200);
    assert.equal(hostnameIn(await host.inspect(look)), 'machine-1');
    assert.equal(hostnameIn(await host.inspect(look)), 'machine-1', 'it is known from then on');
    assert.equal(beside.left.length, 0);
  });

  test('is inspected also where its agent comes before its BMC has said that it was started', async (t) => {
    const started = await startedAgents(t, { beside: bmcsThatSay(goes) });
    const host = await registered(started);
    assert.equal((await host.inspect(look)).kind, 'continue');
    assert.equal((await started.introduce(inventoryOf(1))).status, 200);
    assert.equal(hostnameIn(await host.inspect(look)), 'machine-1');
  });

  test('and whose agent does not come has failed, and is started again when it is tried anew', async (t) => {
    const beside = bmcsThatSay(broken, done, done);
    const started = await startedAgents(t, { beside, times: { bootMs: 60_000 } });
    const host = await registered(started);
    assert.deepEqual(await host.inspect(look), broken);
    assert.equal((await host.inspect({ ...look, isRetry: true })).kind, 'continue');
    await started.clock.advance(60_000);
    const late = await host.inspect(look);
    assert.match(late.kind === 'failed' ? late.message : late.kind, /agent has not come yet/);
    const again = await host.inspect({ ...look, isRetry: true });
    assert.equal(again.kind === 'continue' && again.hasStarted, true);
    assert.equal(beside.left.length, 0);
  });

  test('is inspected anew by being started anew: what it told before does not count', async (t) => {
    const started = await startedAgents(t, { beside: bmcsThatSay(done, done) });
    const host = await registered(started);
    await host.inspect(look);
    await started.introduce(inventoryOf(1));
    assert.equal(hostnameIn(await host.inspect(look)), 'machine-1');
    await started.clock.advance(1000);
    assert.equal((await host.inspect({ ...look, isRefresh: true })).kind, 'continue');
    assert.equal((await host.inspect(look)).kind, 'continue');
    await started.introduce(inventoryOf(1, { hostname: 'renamed' }));
    assert.equal(hostnameIn(await host.inspect(look)), 'renamed');
  });

  test('is started for an image at once where its BMC says that it is off, and not only when its agent was silent', async (t) => {
    const beside = bmcsThatSay(done, done);
    const started = await startedAgents(t, { beside });
    const host = await registered(started);
    await host.inspect(look);
    await started.introduce(inventoryOf(1));
    await host.inspect(look);
    const off = { target: 'off', mode: 'hard', isForced: false, isRetry: false } as const;
    assert.equal((await host.setPower(off)).kind, 'done');
    assert.equal((await host.look()).kind, 'done');
    for (const _ of [1, 2]) assert.equal((await host.provision(handOrder)).kind, 'continue');
    assert.equal(beside.left.length, 0);
    assert.equal((await started.introduce(inventoryOf(1))).status, 200);
  });
});
