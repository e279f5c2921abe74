import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { metal3ApiVersion } from '../api/index.ts';
import { type AnyKubeObject, createClient, parseKey, systemClock } from '../kube/index.ts';
import { createFixtureRack, type FixtureSwitchDevice } from '../switches/index.ts';
import { forceAnnotation, providerResources, resources } from './resources.ts';
import { startNetworkControllers } from './start.ts';
import {
  type ApiRig,
  type ControllerRig,
  eventsOf,
  link,
  onDevice,
  putConfiguration,
  putSwitch,
  quickSettings,
  startApi,
  startControllers,
  until,
  untilError,
  untilEvent,
  untilGone,
  untilState,
} from './testing/rig.ts';

describe('when switches fail', () => {
  const settings = { callMs: 200, verifyMs: 100 };
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    api = await startApi();
    rig = await startControllers(api, { settings });
    await putConfiguration(api, 'default/ten', { untaggedVLAN: 10 });
    await putConfiguration(api, 'default/eleven', { untaggedVLAN: 11 });
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  async function aSwitch(name: string, more: Parameters<typeof putSwitch>[2] = {}): Promise<FixtureSwitchDevice> {
    await putSwitch(api, `default/${name}`, more);
    await untilState(api, `default/${name}-1`, 'Idle');
    await until(api.switches, `default/${name}`, ({ status }) => status?.state === 'Running');
    const device = rig.rack.switchOf({ namespace: 'default', name });
    assert.ok(device !== undefined);
    return device;
  }

  test('a switch that is away holds up its own ports only, and nothing is lost when it is back', async () => {
    const away = await aSwitch('away');
    await aSwitch('here');
    away.faults.add({ fault: 'unreachable' });
    await link(api, 'default/away-1', 'default/ten');
    await untilError(api, 'default/away-1', 'SwitchUnreachable');
    await until(api.switches, 'default/away', ({ status }) => status?.error?.reason === 'SwitchUnreachable');
    await link(api, 'default/here-1', 'default/ten');
    await untilState(api, 'default/here-1', 'Active', 'ten');
    await link(api, 'default/away-1', 'default/eleven');
    away.faults.clear();
    await untilState(api, 'default/away-1', 'Active', 'eleven');
    assert.deepEqual(onDevice(rig.rack, 'default/away'), { untaggedVlan: 11 });
    const healthy = await until(api.switches, 'default/away', ({ status }) => status?.state === 'Running');
    assert.equal(healthy.status?.error, undefined);
  });

  test('a switch that never answers holds up nobody: calls end by themselves', async () => {
    const silent = await aSwitch('silent');
    await aSwitch('lively');
    silent.faults.add({ fault: 'silent' });
    await link(api, 'default/silent-1', 'default/ten');
    await link(api, 'default/lively-1', 'default/ten');
    await untilState(api, 'default/lively-1', 'Active', 'ten');
    const late = await untilError(api, 'default/silent-1', 'SwitchUnreachable');
    assert.match(late.status?.error?.message ?? '', /no answer within|did not answer within/);
    silent.faults.clear();
    await untilState(api, 'default/silent-1', 'Active', 'ten');
  });

  test('a switch that refuses is asked so often and no more, until something changes', async () => {
    const stubborn = await aSwitch('stubborn');
    stubborn.faults.add({ fault: 'refused', on: 'write' });
    await link(api, 'default/stubborn-1', 'default/ten');
    const spent = await until(
      api.ports,
      'default/stubborn-1',
      ({ status }) => status?.error?.attempts === 5 && status.error.nextAttempt === undefined,
    );
    assert.equal(spent.status?.error?.reason, 'ChangeRefused');
    assert.equal(spent.status?.state, 'Configuring');
    stubborn.faults.clear();
    await link(api, 'default/stubborn-1', 'default/eleven');
    await untilState(api, 'default/stubborn-1', 'Active', 'eleven');
  });

  test('a switch that says yes and does nothing is found out', async () => {
    const liar = await aSwitch('liar');
    liar.faults.add({ fault: 'ignored', on: 'write' });
    await link(api, 'default/liar-1', 'default/ten');
    await untilError(api, 'default/liar-1', 'ChangeNotSeen');
    liar.faults.clear();
    await untilState(api, 'default/liar-1', 'Active', 'ten');
  });

  test('a change whose answer was lost is read before it is made again', async () => {
    const lossy = await aSwitch('lossy');
    lossy.faults.add({ fault: 'answer-lost', on: 'write', times: 1 });
    await link(api, 'default/lossy-1', 'default/ten');
    await untilState(api, 'default/lossy-1', 'Active', 'ten');
    assert.equal(lossy.writes, 1);
  });

  test('a port that is unlinked while it is being set is clean only after that has ended', async (t) => {
    const slow = await aSwitch('slow');
    await rig.stop();
    rig = await startControllers(api, { rack: rig.rack });
    t.after(async () => {
      await rig.stop();
      rig = await startControllers(api, { rack: rig.rack, settings });
    });
    await until(api.switches, 'default/slow', ({ status }) => status?.state === 'Running');
    const held = slow.holdWrite();
    await link(api, 'default/slow-1', 'default/ten');
    await held.arrived;
    await link(api, 'default/slow-1', undefined);
    const { metadata } = await api.ports.get(parseKey('default/slow-1'));
    const unlinked = await until(
      api.ports,
      'default/slow-1',
      ({ status }) => (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    );
    assert.equal(unlinked.status?.state, 'Cleaning');
    held.release();
    await untilState(api, 'default/slow-1', 'Idle');
    assert.deepEqual(onDevice(rig.rack, 'default/slow'), {});
  });

  test('controllers that start while a change is under way do not call a port clean before that has ended', async (t) => {
    const late = await aSwitch('late');
    const held = late.holdWrite();
    await link(api, 'default/late-1', 'default/ten');
    await held.arrived;
    await rig.stop();
    await link(api, 'default/late-1', undefined);
    rig = await startControllers(api, { rack: rig.rack, settings: { settleMs: 3_600_000 } });
    t.after(async () => {
      await rig.stop();
      rig = await startControllers(api, { rack: rig.rack, settings });
    });
    const waiting = await until(api.ports, 'default/late-1', ({ status }) =>
      (status?.conditions ?? []).some(({ message }) => message.startsWith('The switch may still carry out a change')),
    );
    assert.equal(waiting.status?.state, 'Cleaning');
    held.release();
    await until(api.ports, 'default/late-1', () => late.portOf('Ethernet1')?.untaggedVlan === undefined);
  });

  test('a clean port that somebody sets at the switch is cleaned again', async () => {
    const touched = await aSwitch('touched');
    await link(api, 'default/touched-1', 'default/ten');
    await untilState(api, 'default/touched-1', 'Active', 'ten');
    await link(api, 'default/touched-1', undefined);
    await untilState(api, 'default/touched-1', 'Idle');
    touched.setPort('Ethernet1', { isDisabled: false, untaggedVlan: 66, taggedVlans: [], acl: [] });
    const told = await untilEvent(api, { about: 'default/touched-1', reason: 'ConfigurationDrifted' });
    assert.match(told, /Somebody changed Ethernet1 on the switch; it is cleaned: untaggedVlan 66 -> none/);
    await untilState(api, 'default/touched-1', 'Idle');
    assert.deepEqual(onDevice(rig.rack, 'default/touched'), {});
  });

  test('deleting an unreachable switch waits, and insisting ends it with a word about what was left', async () => {
    const lost = await aSwitch('lost');
    await link(api, 'default/lost-1', 'default/ten');
    await untilState(api, 'default/lost-1', 'Active', 'ten');
    lost.faults.add({ fault: 'unreachable' });
    await api.switches.delete(parseKey('default/lost'));
    await untilError(api, 'default/lost-1', 'SwitchUnreachable');
    await api.switches.get(parseKey('default/lost'));
    const body = { metadata: { annotations: { [forceAnnotation]: 'true' } } };
    await api.switches.patch(parseKey('default/lost'), { type: 'merge', body });
    await untilGone(api.switches, 'default/lost');
    await untilGone(api.ports, 'default/lost-1');
    await untilGone(api.fixtures, 'default/lost');
    assert.deepEqual(onDevice(rig.rack, 'default/lost'), { untaggedVlan: 10 });
    const left = await untilEvent(api, { about: 'default/lost-1', reason: 'LeftBehind' });
    assert.match(left, /Ethernet1 was left as it is \(untagged 10\)/);
  });

  test('the port that the switch is managed through is never changed', async () => {
    const device = await aSwitch('guarded');
    await link(api, 'default/guarded-1', 'default/ten');
    await untilState(api, 'default/guarded-1', 'Active', 'ten');
    const { writes } = device;
    const guard = { type: 'merge', body: { spec: { managementPort: 'Ethernet1' } } } as const;
    await api.switches.patch(parseKey('default/guarded'), guard);
    await link(api, 'default/guarded-1', 'default/eleven');
    await untilError(api, 'default/guarded-1', 'ManagementPort');
    await api.switches.delete(parseKey('default/guarded'));
    await untilGone(api.switches, 'default/guarded');
    assert.equal(device.writes, writes);
    assert.deepEqual(onDevice(rig.rack, 'default/guarded'), { untaggedVlan: 10 });
  });

  test('a Switch follows its list of ports: new ones appear, dropped ones are cleaned and go', async () => {
    await aSwitch('list', { spec: { ports: { 'list-1': { name: 'Ethernet1' }, 'list-2': { name: 'Ethernet2' } } } });
    await untilState(api, 'default/list-2', 'Idle');
    await link(api, 'default/list-2', 'default/ten');
    await untilState(api, 'default/list-2', 'Active', 'ten');
    const ports = { 'list-2': null, 'list-3': { name: 'Ethernet3' } };
    await api.switches.patch(parseKey('default/list'), { type: 'merge', body: { spec: { ports } } });
    await untilGone(api.ports, 'default/list-2');
    await untilState(api, 'default/list-3', 'Idle');
    assert.deepEqual(onDevice(rig.rack, 'default/list', 'Ethernet2'), {});
  });

  test('a port that is plugged elsewhere is cleaned where it was before it is set where it is', async () => {
    await aSwitch('moved');
    await link(api, 'default/moved-1', 'default/ten');
    await untilState(api, 'default/moved-1', 'Active', 'ten');
    const ports = { 'moved-1': { name: 'Ethernet9' } };
    await api.switches.patch(parseKey('default/moved'), { type: 'merge', body: { spec: { ports } } });
    await until(
      api.ports,
      'default/moved-1',
      ({ status }) => status?.state === 'Active' && status.physicalPortName === 'Ethernet9',
    );
    assert.deepEqual(onDevice(rig.rack, 'default/moved', 'Ethernet1'), {});
    assert.deepEqual(onDevice(rig.rack, 'default/moved', 'Ethernet9'), { untaggedVlan: 10 });
  });

  test('controllers that start anew go on where the others were, and write nothing that is there', async () => {
    const device = await aSwitch('again');
    await link(api, 'default/again-1', 'default/ten');
    await untilState(api, 'default/again-1', 'Active', 'ten');
    const { writes } = device;
    await rig.stop();
    await link(api, 'default/again-1', 'default/eleven');
    rig = await startControllers(api, { rack: rig.rack, settings });
    await untilState(api, 'default/again-1', 'Active', 'eleven');
    // One to clear, one to set.
    assert.equal(device.writes, writes + 2);
  });
});

test("a SwitchPort that was made by hand keeps its link and becomes the Switch's own", async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  await putConfiguration(api, 'default/ten', { untaggedVLAN: 10 });
  await api.ports.create({
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata: { name: 'hand-1', namespace: 'default' },
    spec: { configuration: { name: 'ten' } },
  });
  const rig = await startControllers(api);
  t.after(() => rig.stop());
  await untilError(api, 'default/hand-1', 'SwitchNotFound');
  await putSwitch(api, 'default/hand');
  const active = await untilState(api, 'default/hand-1', 'Active', 'ten');
  assert.equal(active.metadata.ownerReferences?.[0]?.name, 'hand');
});

test('credentials that are missing, wrong, and rotated in the middle', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const client = await createClient(api.connection);
  t.after(() => client.close());
  const rack = createFixtureRack({ clock: systemClock });
  let accepted = 'one';
  const controllers = startNetworkControllers({
    client,
    clock: systemClock,
    random: Math.random,
    settings: { ...quickSettings, verifyMs: 50 },
    providers: {
      // A switch that takes one password only, which somebody changes.
      open(access) {
        assert.ok(access.kind === 'AnsibleSwitch');
        const { password } = access.credentials;
        const device = rack.open(access, {});
        const refused = { kind: 'denied', message: 'the password is wrong' } as const;
        return {
          ...device,
          verify: async (options) => (password === accepted ? device.verify(options) : refused),
          apply: async (changes, options) =>
            password === accepted
              ? device.apply(changes, options)
              : new Map(changes.map(({ port }) => [port, refused])),
          clear: async (ports, options) =>
            password === accepted ? device.clear(ports, options) : new Map(ports.map(({ port }) => [port, refused])),
        };
      },
    },
  });
  t.after(() => controllers.stop());
  const secrets = client.resource<AnyKubeObject>(resources.secrets);
  const putSecret = (password: string) =>
    secrets.apply(
      {
        metadata: { name: 'login', namespace: 'default' },
        data: { username: btoa('admin'), password: btoa(password) },
      },
      { fieldManager: 'test', isForced: true },
    );
  const fault = (reason: string | undefined) =>
    until(api.switches, 'default/sw', ({ status }) => status?.error?.reason === reason && status?.state !== undefined);
  await api.switches.create({
    apiVersion: metal3ApiVersion,
    kind: 'Switch',
    metadata: { name: 'sw', namespace: 'default' },
    spec: { provider: { kind: 'AnsibleSwitch', name: 'sw' }, ports: { 'sw-1': { name: 'Ethernet1' } } },
  });
  await fault('ProviderNotFound');
  await client.resource<AnyKubeObject>(providerResources.AnsibleSwitch).create({
    metadata: { name: 'sw', namespace: 'default' },
    spec: { os: 'eos', ip: '192.0.2.1', credentialsSecret: { name: 'login' } },
  });
  await fault('CredentialsNotFound');
  await putSecret('wrong');
  await fault('CredentialsRefused');
  await putSecret('one');
  await until(api.switches, 'default/sw', ({ status }) => status?.state === 'Running');
  await putConfiguration(api, 'default/ten', { untaggedVLAN: 10 });
  await putConfiguration(api, 'default/eleven', { untaggedVLAN: 11 });
  await link(api, 'default/sw-1', 'default/ten');
  await untilState(api, 'default/sw-1', 'Active', 'ten');
  accepted = 'two';
  await link(api, 'default/sw-1', 'default/eleven');
  await untilError(api, 'default/sw-1', 'CredentialsRefused');
  await putSecret('two');
  await untilState(api, 'default/sw-1', 'Active', 'eleven');
  const told = JSON.stringify(await Promise.all([api.switches.list(), api.ports.list(), eventsOf(api, 'default/sw')]));
  assert.ok(!told.includes('"two"') && !told.includes(btoa('two')));
});
