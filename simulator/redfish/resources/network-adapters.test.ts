import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskedMachine } from './testing/ask.ts';

const adapters = '/redfish/v1/Chassis/chassis/NetworkAdapters';

test('a port tells what LLDP heard, and that its link is up; a port nobody is heard on has neither', async () => {
  const { get } = createAskedMachine();
  const heard = await get(`${adapters}/Slot_1/Ports/1`);
  assert.equal(heard.LinkStatus, 'LinkUp');
  assert.deepEqual((heard.Ethernet as { LLDPReceive: object }).LLDPReceive, {
    ChassisId: '02:aa:00:00:00:01',
    ChassisIdSubtype: 'MacAddr',
    PortId: 'Ethernet1/7',
    PortIdSubtype: 'IfName',
    SystemName: 'tor-1',
  });
  const silent = await get(`${adapters}/Slot_2/Ports/1`);
  assert.equal(silent.LinkStatus, 'LinkDown');
  assert.equal((silent.Ethernet as { LLDPReceive?: object }).LLDPReceive, undefined);
});

test('every MAC is found in the ports, the device functions and the interfaces of the system', async () => {
  const { get, machine } = createAskedMachine();
  const macs = machine.hardware.nics.flatMap((nic) => nic.ports.map((port) => port.mac));
  const members = async (path: string) =>
    Promise.all(((await get(path)).Members as { '@odata.id': string }[]).map((each) => get(each['@odata.id'])));
  const interfaces = await members('/redfish/v1/Systems/system/EthernetInterfaces');
  assert.deepEqual(
    interfaces.map((each) => [each.Id, each.MACAddress]),
    macs.map((mac, index) => [String(index + 1), mac]),
  );
  const functions = (
    await Promise.all(['Slot_1', 'Slot_2'].map((slot) => members(`${adapters}/${slot}/NetworkDeviceFunctions`)))
  ).flat();
  assert.deepEqual(
    functions.map((each) => (each.Ethernet as { MACAddress: string }).MACAddress),
    macs,
  );
});

test('the firmware of an adapter is that of its slot', async () => {
  const { get, machine } = createAskedMachine();
  const slot = machine.firmware.find(({ component }) => component === 'nic');
  assert.ok(slot);
  slot.version = '9.9';
  const body = await get(`${adapters}/Slot_1`);
  assert.equal((body.Controllers as { FirmwarePackageVersion: string }[])[0]?.FirmwarePackageVersion, '9.9');
});
