import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import { sleep } from '../../kube/index.ts';
import type { Bmc, ComponentType } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { setPower } from '../power/index.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { findRunningUpdate, type StartedUpdate } from './index.ts';
import { startInstall } from './start-install.ts';
import { finishInstall, slotsOf } from './testing/install-until-verified.ts';
import { goalFor, startRig, type UpdateRig } from './testing/update-rig.ts';
import { hpeTree, openbmcTree, type Tree } from './testing/vendor-trees.ts';

const minute = 60_000;

/** Sends an image, and no more. */
async function begin(rig: UpdateRig, bmc: Bmc, component: ComponentType): Promise<StartedUpdate> {
  const needsHostOff = (await bmc.root()).vendor === 'openbmc' && component === 'bios';
  if (needsHostOff) await setPower(bmc, { target: 'off' });
  return startInstall(bmc, (await goalFor(bmc, await rig.release(component))).order);
}

for (const personality of personalityNames) {
  for (const component of ['bmc', 'bios'] as const) {
    test(`${personality}: an update of the ${component} is seen by others while it goes on, and neither before nor after`, async (t) => {
      const rig = await startRig(t, personality);
      const match = await rig.asProcess(async (bmc) => slotsOf(bmc, await rig.release(component)));
      const { version } = await rig.release(component);
      const started = await rig.asProcess(async (bmc) => {
        assert.equal(await findRunningUpdate(bmc), undefined);
        return begin(rig, bmc, component);
      });
      await rig.asProcess(async (bmc) => {
        const seen = await findRunningUpdate(bmc);
        assert.ok(seen, rig.machine.log.text());
        assert.ok(seen.message.length > 10, seen.message);
        const found = await finishInstall(bmc, started, { version, match });
        assert.equal(found.kind, 'installed', JSON.stringify(found));
        assert.equal(await findRunningUpdate(bmc), undefined, rig.machine.log.text());
      });
    });
  }
}

const staged: readonly (readonly [PersonalityName, ComponentType])[] = [
  ['dell-idrac9', 'bios'],
  ['hpe-ilo5', 'bios'],
  ['hpe-ilo6', 'nic'],
  ['lenovo-xcc', 'bios'],
];
for (const [personality, component] of staged) {
  test(`${personality}: a ${component} that waits for a restart of the host is not waited for by others`, async (t) => {
    const rig = await startRig(t, personality);
    await rig.asProcess(async (bmc) => {
      await begin(rig, bmc, component);
      await sleep(bmc.clock, 20 * minute);
      const waiting = rig.machine.updates.all.filter(({ waitsFor }) => waitsFor === 'reset');
      assert.equal(waiting.length, 1, rig.machine.log.text());
      assert.equal(await findRunningUpdate(bmc), undefined);
    });
  });
}

const tasks = '/redfish/v1/TaskService/Tasks';

/** A BMC with these tasks, as far as its kind of tree goes. */
function withTasks(tree: Tree, ...all: readonly JsonObject[]): Tree {
  const named = all.map((body, at) => [`${tasks}/${at}`, { '@odata.id': `${tasks}/${at}`, ...body }] as const);
  const Members = named.map(([path]) => ({ '@odata.id': path }));
  return { ...tree, [tasks]: { Members, 'Members@odata.count': Members.length }, ...Object.fromEntries(named) };
}

function iloIn(state: string): Tree {
  const service = hpeTree['/redfish/v1/UpdateService'] ?? {};
  return { ...hpeTree, '/redfish/v1/UpdateService': { ...service, Oem: { Hpe: { State: state } } } };
}

async function seenIn(tree: Tree): Promise<string | undefined> {
  return (await findRunningUpdate(createScriptedBmc({ tree }).bmc))?.message;
}

test('an iLO that shows no task of its update is asked for the state of its updater', async () => {
  for (const state of ['Uploading', 'Verifying', 'Writing', 'Updating']) {
    assert.match((await seenIn(withTasks(iloIn(state)))) ?? '', new RegExp(`updater is ${state}`));
  }
  for (const state of ['Idle', 'Complete', 'Error']) assert.equal(await seenIn(withTasks(iloIn(state))), undefined);
});

test('only updates count, and only those that go on by themselves', async () => {
  const update = (TaskState: string, more: JsonObject = {}) => ({ Name: 'Firmware update', TaskState, ...more });
  const see = (body: JsonObject) =>
    seenIn(withTasks(openbmcTree, { Name: 'Export of a log', TaskState: 'Running' }, body));
  for (const state of ['Running', 'Starting-up', 'Validating']) assert.ok(await see(update(state)), state);
  for (const state of ['New', 'Pending', 'Suspended', 'UserIntervention', 'Completed', 'Exception']) {
    assert.equal(await see(update(state)), undefined, state);
  }
  assert.equal(await see({ Name: 'Reset of the host', TaskState: 'Running' }), undefined);
});
