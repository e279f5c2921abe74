import assert from 'node:assert/strict';
import { type BenchMachine, wrongPassword } from './host-bench.ts';
import type { HostStage } from './host-stage.ts';
import { refusedLogin } from './register-steps.ts';

/** Gives the BMCs of hosts in use another password, and says so in their Secrets. */
export function changePassword(stage: HostStage): Promise<void> {
  return stage.onEach(async (machine) => {
    const mark = stage.mark(machine);
    machine.changePassword();
    await tellPassword(stage, machine);
    for (const online of [false, true]) {
      await stage.apply(stage.hostOf(machine, { image: machine.image, online }));
      await stage.untilPowered(machine, online);
    }
    assert.deepEqual(stage.states(machine, mark), ['provisioned']);
    assert.deepEqual(stage.errors(machine, mark), []);
  });
}

/** Puts the password of the BMC into the Secret, and waits until it was tried and found right. */
async function tellPassword(stage: HostStage, machine: BenchMachine): Promise<void> {
  const { diary } = stage.parts;
  const versionOf = () => diary.latest(machine.name)?.status?.goodCredentials?.credentialsVersion;
  const old = versionOf();
  const told = (await diary.events(machine.name)).get('BMCAccessValidated') ?? 0;
  await stage.apply(stage.secretOf(machine));
  await stage.untilSo(
    machine,
    'the new credentials',
    ({ status }) => versionOf() !== old && status?.errorMessage === '',
  );
  await stage.untilTold(machine, 'BMCAccessValidated', told + 1);
}

/** Puts another password than that of the BMC into the Secrets of hosts in use, and then the right one. */
export function mistypePassword(stage: HostStage): Promise<void> {
  const { diary } = stage.parts;
  return stage.onEach(async (machine) => {
    const mark = stage.mark(machine);
    const good = diary.latest(machine.name)?.status?.goodCredentials;
    await stage.apply(stage.secretOf(machine, { ...machine.login(), password: wrongPassword }));
    const failed = await stage.untilSo(
      machine,
      'a registration error',
      ({ status }) => status?.errorType === 'registration error',
    );
    assert.match(failed.status?.errorMessage ?? '', refusedLogin);
    assert.deepEqual(failed.status?.goodCredentials, good, 'what was refused is not good');
    assert.equal(stage.condition(machine, 'Ready'), 'False Error');
    await tellPassword(stage, machine);
    assert.deepEqual(stage.states(machine, mark), ['provisioned']);
    assert.equal(stage.condition(machine, 'Ready'), 'True Provisioned');
    await stage.checkNode(machine, 'active');
    assert.equal(await machine.isPoweredOn(), true);
  });
}

interface Before {
  readonly mark: number;
  /** Of its node in Ironic. */
  readonly id: string;
  /** What was told of it, with how often. */
  readonly told: ReadonlyMap<string, number>;
}

/** Stops Ironic, takes the images off hosts while it is away, and starts it again. */
export async function loseIronic(stage: HostStage): Promise<void> {
  const { ironic, meeting, machines, diary } = stage.parts;
  const before = new Map<BenchMachine, Before>();
  await stage.onEach(async (machine) => {
    const { uuid: id } = await stage.checkNode(machine, 'active');
    before.set(machine, { mark: stage.mark(machine), id, told: await diary.events(machine.name) });
  });
  await meeting.meet(() => ironic.stop());
  await stage.onEach((machine) => stage.apply(stage.hostOf(machine)));
  await meeting.meet(stage.parts.outage);
  await stage.onEach(async (machine) => {
    const { mark, id, told } = before.get(machine) ?? assert.fail();
    const host = await stage.untilMoved(machine, mark, 'available');
    assert.deepEqual(stage.states(machine, mark), ['provisioned', 'deprovisioning', 'available']);
    assert.deepEqual(stage.errors(machine, mark), []);
    assert.equal(host.status?.provisioning?.image?.url ?? '', '');
    assert.equal((await stage.checkNode(machine, 'available')).uuid, id);
    for (const reason of ['DeprovisioningStarted', 'DeprovisioningComplete']) {
      await stage.untilTold(machine, reason, (told.get(reason) ?? 0) + 1);
    }
    await stage.untilPowered(machine, true);
  });
  assert.equal((await stage.nodes()).length, machines.length);
}
