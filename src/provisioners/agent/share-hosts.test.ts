import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostIdentity, Outcome, Provisioners } from '../provisioner.ts';
import { createDemoProvisioners } from '../testing/demo/index.ts';
import { handOrder } from './testing/hand-driven.ts';
import { hostOf, inventoryOf, macOf, registration, startedAgents } from './testing/started-agents.ts';

const credentials = { username: 'admin', password: 'secret' };
const bmc = { address: 'redfish://bmc', isCertificateUnchecked: false, credentials };
const byHand = (number: number): HostIdentity => ({ ...hostOf(number), bmc });

/** Demo hosts whose BMCs are those of the machine of that number. */
function bmcsOf(number: number): Provisioners {
  const demo = createDemoProvisioners();
  const marks = { macs: [macOf(number, 0)], serialNumbers: [`S${number}`] };
  return { ...demo, of: (host) => ({ ...demo.of(host), readMarks: async () => ({ kind: 'done', value: marks }) }) };
}

const idIn = (outcome: Outcome<{ readonly id: string }>): string =>
  outcome.kind === 'done' ? outcome.value.id : assert.fail(JSON.stringify(outcome));

describe('a host that is registered by hand, with its BMC', () => {
  test('is that of the agent that has told of its machine, which then writes its disk', async (t) => {
    const started = await startedAgents(t, { beside: bmcsOf(1) });
    const { id, token } = (await started.introduce(inventoryOf(1))).body;
    const all = started.agents.allHosts;
    assert.equal(idIn(await all.of(byHand(1)).register(registration)), id);
    const registered = all.of({ ...byHand(1), id: String(id) });
    const inspected = await registered.inspect({ isRetry: false, isRefresh: false, isForced: false, bootMode: 'UEFI' });
    assert.equal(inspected.kind === 'done' ? inspected.value.hostname : inspected.kind, 'machine-1');
    assert.equal((await registered.provision(handOrder)).kind, 'continue');
    const command = await started.ask('GET', `/${String(id)}/command`, { token: String(token) });
    assert.equal(command.body.name, 'standby.prepare_image');
    // Its power is that of the BMC.
    assert.equal((await registered.look()).kind, 'done');
  });

  test('whose BMC is that of another machine is refused, and its machine stays free once it is deleted', async (t) => {
    const started = await startedAgents(t, { beside: bmcsOf(9) });
    await started.introduce(inventoryOf(1));
    const host = started.agents.allHosts.of(byHand(1));
    const refused = await host.register(registration);
    assert.match(refused.kind === 'failed' ? refused.message : refused.kind, /is that of another machine/);
    assert.equal((await host.remove()).kind, 'done');
    const again = await started.introduce(inventoryOf(1));
    const other = started.agents.allHosts.of({ ...hostOf(1), name: 'other' });
    assert.equal(idIn(await other.register(registration)), again.body.id);
  });

  test('is looked after by its BMC where no agent has told of its machine, and stays there when one comes', async (t) => {
    const started = await startedAgents(t, { beside: bmcsOf(1) });
    const all = started.agents.allHosts;
    const id = idIn(await all.of(byHand(1)).register(registration));
    assert.doesNotMatch(id, /^agent-/);
    assert.equal((await started.introduce(inventoryOf(1))).status, 201);
    assert.equal(idIn(await all.of({ ...byHand(1), id }).register(registration)), id);
  });

  test('is looked after by its BMC where its MAC is that of a machine of another host', async (t) => {
    const started = await startedAgents(t, { beside: bmcsOf(1) });
    await started.introduce(inventoryOf(1));
    const all = started.agents.allHosts;
    const first = idIn(await all.of(hostOf(1)).register(registration));
    assert.match(first, /^agent-/);
    const second = idIn(await all.of({ ...byHand(1), name: 'second' }).register(registration));
    assert.doesNotMatch(second, /^agent-/);
  });

  test('is given up by both where its id was never written down', async (t) => {
    const started = await startedAgents(t, { beside: bmcsOf(1) });
    const { id } = (await started.introduce(inventoryOf(1))).body;
    const host = started.agents.allHosts.of(byHand(1));
    assert.equal(idIn(await host.register(registration)), id);
    assert.equal((await host.detach({ isForced: false })).kind, 'done');
    const other = started.agents.allHosts.of({ ...hostOf(1), name: 'other' });
    assert.equal(idIn(await other.register(registration)), id, 'the machine is free');
  });
});

test('a host without a BMC is that of its agent, also before one has come', async (t) => {
  const started = await startedAgents(t, { beside: bmcsOf(1) });
  const outcome = await started.agents.allHosts.of(hostOf(1)).register(registration);
  assert.match(outcome.kind === 'busy' ? outcome.message : outcome.kind, /boot the host from the network/);
});
