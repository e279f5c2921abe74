import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handDriven, handOrder } from './testing/hand-driven.ts';
import { hostOf, inventoryOf, macOf, startedAgents } from './testing/started-agents.ts';

const { deployment: current } = handOrder;
const order = { isRetry: false };

describe('a host whose machine is not known by the id that was noted', () => {
  test('gets the one that boots from its MAC', async (t) => {
    const started = await startedAgents(t);
    const { body } = await started.introduce(inventoryOf(1));
    const imported = await started.agents.provisioners.of(hostOf(1, 'agent-gone')).importHost?.(order);
    assert.deepEqual(imported, { kind: 'done', value: { id: String(body.id) } });
  });

  test('gets neither other hardware with that MAC nor the machine of another host', async (t) => {
    const started = await startedAgents(t);
    await started.introduce(inventoryOf(1));
    const marks = { macs: [macOf(1, 0)], serialNumber: 'S-of-before' };
    const other = started.agents.provisioners.of({ ...hostOf(1, 'agent-gone'), marks });
    assert.equal((await other.importHost?.(order))?.kind, 'unregistered');
    await handDriven(started, 2);
    const rival = started.agents.provisioners.of({ ...hostOf(2, 'agent-gone'), name: 'rival' });
    const refused = await rival.importHost?.(order);
    assert.match(refused?.kind === 'failed' ? refused.message : '', /two hosts cannot have one/);
  });

  test('waits where it runs nothing, and is taken over as it is where it does', async (t) => {
    const started = await startedAgents(t);
    const it = started.agents.provisioners.of(hostOf(1, 'agent-gone'));
    assert.equal((await it.importHost?.(order))?.kind, 'unregistered');
    assert.equal((await it.importHost?.({ ...order, current }))?.kind, 'done');
    assert.equal((await it.provision(handOrder)).kind, 'done', 'nothing is written anew');
    assert.equal((await started.introduce(inventoryOf(1))).status, 409);
  });

  test('comes back after it was detached while it ran its image', async (t) => {
    const started = await startedAgents(t);
    const { provisioner, deploy, provision, deprovision } = await handDriven(started, 1);
    await deploy();
    assert.equal((await provisioner.detach({ isForced: false })).kind, 'done');
    assert.equal((await provisioner.look()).kind, 'unregistered');
    assert.equal((await provisioner.importHost?.({ ...order, current }))?.kind, 'done');
    assert.equal((await provision()).kind, 'done');
    assert.equal((await deprovision()).kind, 'busy', 'it has to be erased like any other');
  });
});
