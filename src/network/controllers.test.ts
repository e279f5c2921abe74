import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type ApiRig,
  type ControllerRig,
  link,
  onDevice,
  putConfiguration,
  putSwitch,
  startApi,
  startControllers,
  until,
  untilGone,
  untilState,
} from './testing/rig.ts';

describe('switches and ports on the embedded API', () => {
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    api = await startApi();
    rig = await startControllers(api);
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  test('a switch is verified, makes its ports, and nothing is written to the device', async () => {
    await putSwitch(api, 'default/a');
    const running = await until(api.switches, 'default/a', ({ status }) => status?.state === 'Running');
    assert.equal(running.status?.portCount, 1);
    const idle = await untilState(api, 'default/a-1', 'Idle');
    assert.equal(idle.metadata.ownerReferences?.[0]?.name, 'a');
    await until(api.ports, 'default/a-1', ({ status }) => status?.observed !== undefined);
    assert.equal(rig.rack.switchOf({ namespace: 'default', name: 'a' })?.writes, 0);
  });

  test('a linked configuration is applied, another replaces it, and none cleans the port', async () => {
    await putConfiguration(api, 'default/ten', {
      untaggedVLAN: 10,
      vlans: '20-22',
      acl: [{ type: 'ipv4', action: 'deny' }],
    });
    await link(api, 'default/a-1', 'default/ten');
    const active = await untilState(api, 'default/a-1', 'Active', 'ten');
    assert.deepEqual(active.status?.configuration?.vlans, '20-22');
    assert.equal(onDevice(rig.rack, 'default/a').untaggedVlan, 10);
    assert.equal(onDevice(rig.rack, 'default/a').acl?.length, 1);
    await putConfiguration(api, 'default/eleven', { untaggedVLAN: 11 });
    await link(api, 'default/a-1', 'default/eleven');
    await untilState(api, 'default/a-1', 'Active', 'eleven');
    assert.deepEqual(onDevice(rig.rack, 'default/a'), { untaggedVlan: 11 });
    await link(api, 'default/a-1', undefined);
    await untilState(api, 'default/a-1', 'Idle');
    assert.deepEqual(onDevice(rig.rack, 'default/a'), {});
  });

  test('deleting a switch cleans its ports first, and takes its provider along', async () => {
    await putSwitch(api, 'default/b');
    await link(api, 'default/b-1', 'default/eleven').catch(() => undefined);
    await untilState(api, 'default/b-1', 'Idle');
    await link(api, 'default/b-1', 'default/eleven');
    await untilState(api, 'default/b-1', 'Active');
    await api.switches.delete({ namespace: 'default', name: 'b' });
    await untilGone(api.switches, 'default/b');
    await untilGone(api.ports, 'default/b-1');
    await untilGone(api.fixtures, 'default/b');
    assert.deepEqual(onDevice(rig.rack, 'default/b'), {});
  });
});
