import assert from 'node:assert/strict';
import type { KubeObject } from '../../../src/kube/index.ts';
import { until } from '../../real/ironic/until.ts';
import { type BenchMachine, wrongPassword } from './host-bench.ts';
import { patienceMs, type SeenHost, stateOf } from './host-diary.ts';
import type { HostStage } from './host-stage.ts';

const detached = 'baremetalhost.metal3.io/detached';

/** Gives hosts an image, and restarts Ironic when it is at it. */
export async function provisionWithRestart(stage: HostStage): Promise<void> {
  const { ironic, meeting } = stage.parts;
  const before = new Map<BenchMachine, { readonly mark: number; readonly id: string }>();
  // All begin together, so that the restart finds none of them long done.
  await meeting.meet(async () => {});
  await stage.onEach(async (machine) => {
    const { uuid: id } = await stage.checkNode(machine, 'available');
    before.set(machine, { mark: stage.mark(machine), id });
    await stage.apply(stage.hostOf(machine, { image: machine.image }));
    await until({
      what: `${machine.name}: the beginning of its deployment in Ironic`,
      timeoutMs: patienceMs,
      look: async () => ((await stage.nodeOf(machine))?.provision_state === 'available' ? undefined : true),
      detail: () => stage.detail(),
    });
  });
  await meeting.meet(() => ironic.restart());
  await stage.onEach(async (machine) => {
    const { mark, id } = before.get(machine) ?? assert.fail();
    const host = await untilProvisioned(stage, machine, mark);
    assert.equal(host.status?.provisioning?.image?.url, machine.image.url);
    assert.equal((await stage.checkNode(machine, 'active')).uuid, id);
    assert.equal((await stage.nodes()).length, stage.parts.machines.length);
    await stage.untilTold(machine, 'ProvisioningComplete', 1);
    assert.equal(stage.condition(machine, 'Ready'), 'True Provisioned');
    await stage.untilPowered(machine, true);
  });
}

/** A deployment that Ironic gave up at its restart is tried again after a while; at once where somebody touches the host. */
async function untilProvisioned(stage: HostStage, machine: BenchMachine, mark: number): Promise<SeenHost> {
  const isOver = (host: SeenHost): boolean => stateOf(host) === 'provisioned' || host.status?.errorType !== undefined;
  const seen = await stage.untilSo(machine, 'the end of its deployment', isOver);
  if (seen.status?.errorType !== undefined) {
    assert.equal(seen.status.errorType, 'provisioning error');
    await stage.cli(['annotate', 'bmh', machine.name, 'example.com/tried-again=yes']);
  }
  return stage.untilMoved(machine, mark, 'provisioned');
}

/** Lets Ironic forget hosts in use, and takes them back. */
export function detachAndAttach(stage: HostStage): Promise<void> {
  const { ironic, namespace } = stage.parts;
  return stage.onEach(async (machine) => {
    const { name } = machine;
    const mark = stage.mark(machine);
    const { uuid } = await stage.checkNode(machine, 'active');
    const changes = machine.powerChanges();
    await stage.cli(['annotate', 'bmh', name, `${detached}=`]);
    await stage.untilSo(machine, 'detached', ({ status }) => status?.operationalStatus === 'detached');
    assert.equal(await stage.nodeOf(machine), undefined);
    assert.equal(stage.condition(machine, 'Ready'), 'False Detached');
    await stage.cli(['annotate', 'bmh', name, `${detached}-`]);
    const isTaken = (id: string | undefined): boolean => id !== undefined && id !== '' && id !== uuid;
    await stage.untilSo(
      machine,
      'another node',
      ({ status }) => status?.operationalStatus === 'OK' && isTaken(status.provisioning?.ID),
    );
    await untilAdopted(stage, machine);
    await ironic.waitForState(`${namespace}~${name}`, 'active');
    await stage.checkNode(machine, 'active');
    assert.deepEqual(stage.states(machine, mark), ['provisioned']);
    assert.deepEqual(stage.errors(machine, mark), []);
    assert.equal(await machine.isPoweredOn(), true);
    assert.equal(machine.powerChanges(), changes, 'its power was switched');
  });
}

/** A node goes by way of several states in which it rests for a moment. */
function untilAdopted(stage: HostStage, machine: BenchMachine): Promise<true> {
  return until({
    what: `${machine.name}: the end of its adoption`,
    timeoutMs: patienceMs,
    everyMs: 300,
    look: async () => ((await stage.nodeOf(machine))?.provision_state === 'active' ? true : undefined),
    detail: () => stage.detail(),
  });
}

/** Deletes hosts; what must not be told was told to nobody. */
export async function leave(stage: HostStage, secrets: readonly string[]): Promise<void> {
  const { diary, plane, namespace } = stage.parts;
  await stage.onEach(async (machine) => {
    const { name } = machine;
    const mark = stage.mark(machine);
    await stage.cli(['delete', 'bmh', name]);
    // What was waited for by another connection may be ahead of the diary.
    await until({
      what: `${name}: its end in the diary`,
      timeoutMs: patienceMs,
      look: async () => (diary.latest(name) === undefined ? true : undefined),
    });
    assert.deepEqual(stage.states(machine, mark), ['available', 'powering off before delete', 'deleting']);
    assert.equal(await stage.nodeOf(machine), undefined);
    assert.equal(await machine.isPoweredOn(), false);
    await until({
      what: `${name}: the end of its Secret, which it owned`,
      timeoutMs: patienceMs,
      look: async () => ((await stage.run(['get', 'secret', `${name}-bmc`])).code === 1 ? true : undefined),
    });
  });
  assert.deepEqual(await stage.nodes(), []);
  const { items } = await diary.client.resource<KubeObject>(eventsRef).list({ namespace });
  const told = plane.printed() + JSON.stringify(items);
  for (const secret of [...secrets, wrongPassword]) assert.ok(!told.includes(secret), 'a password was told');
}

const eventsRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };
