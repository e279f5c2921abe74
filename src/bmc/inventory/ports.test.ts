import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collection, resource, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readInventory } from './inventory.ts';
import { neighbourIn } from './lldp.ts';
import { toMac } from './mac.ts';

const chassis = '/redfish/v1/Chassis/1';
const adapter = `${chassis}/NetworkAdapters/Slot1`;

test('MAC addresses in all spellings', () => {
  for (const text of ['02:AB:00:00:00:01', '02-ab-00-00-00-01', '02AB00000001', ' 02:ab:00:00:00:01 ']) {
    assert.equal(toMac(text), '02:ab:00:00:00:01');
  }
  for (const text of [
    undefined,
    '',
    '00:00:00:00:00:00',
    'ff:ff:ff:ff:ff:ff',
    '02:ab',
    'zz:zz:zz:zz:zz:zz',
    '02:ab:00:00:00:01:02:03',
  ]) {
    assert.equal(toMac(text), undefined);
  }
});

test('interface and port with one MAC are one; inner cables are none; the rest is merged', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  const { ports } = await readInventory(bmc);
  assert.deepEqual(ports, [
    {
      id: 'NIC1',
      mac: '02:00:00:00:00:01',
      adapter: 'Slot1',
      isLinkUp: true,
      speedMbps: 25000,
      neighbour: { chassisId: '02:66:4b:00:00:01', portId: 'Ethernet1/1' },
    },
    {
      id: '2',
      mac: '02:00:00:00:00:02',
      adapter: 'Slot1',
      isLinkUp: false,
      speedMbps: undefined,
      neighbour: undefined,
    },
  ]);
});

test('functions are asked for only where a port does not say its MAC', async () => {
  const functions = `GET ${adapter}/NetworkDeviceFunctions`;
  const complete = createScriptedBmc({ tree: sampleTree() });
  await readInventory(complete.bmc);
  assert.equal(complete.gate.lines.includes(functions), false);
  const more = {
    ...collection(`${adapter}/Ports`, { P1: { LinkStatus: 'Up', CurrentLinkSpeedMbps: 10000 } }),
    ...collection(`${adapter}/NetworkDeviceFunctions`, {
      F1: {
        Ethernet: { PermanentMACAddress: '02:00:00:00:00:07' },
        Links: { PhysicalPortAssignment: { '@odata.id': `${adapter}/Ports/P1` } },
      },
    }),
  };
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more }) });
  const port = (await readInventory(bmc)).ports.find(({ id }) => id === 'F1');
  assert.equal(gate.lines.includes(functions), true);
  assert.deepEqual(
    [port?.mac, port?.isLinkUp, port?.speedMbps, port?.adapter],
    ['02:00:00:00:00:07', true, 10000, 'Slot1'],
  );
});

test('ports of two adapters with the same id keep apart', async () => {
  const more = {
    ...collection(`${chassis}/NetworkAdapters`, {
      A: { NetworkPorts: { '@odata.id': `${chassis}/NetworkAdapters/A/NetworkPorts` } },
      B: { NetworkPorts: { '@odata.id': `${chassis}/NetworkAdapters/B/NetworkPorts` } },
    }),
    ...collection(`${chassis}/NetworkAdapters/A/NetworkPorts`, {
      1: { AssociatedNetworkAddresses: ['02:00:00:00:01:01'] },
    }),
    ...collection(`${chassis}/NetworkAdapters/B/NetworkPorts`, {
      1: { AssociatedNetworkAddresses: ['02:00:00:00:02:01'] },
    }),
  };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.deepEqual(
    (await readInventory(bmc)).ports.map(({ id }) => id),
    ['NIC1', 'A-1', 'B-1'],
  );
});

test('names that come as octets are decoded, MAC addresses are not', () => {
  const heard = (LLDPReceive: object) => neighbourIn({ Ethernet: { LLDPReceive } as never });
  assert.deepEqual(
    heard({
      ChassisId: '2C:23:3A:48:2F:5D',
      ChassisIdSubtype: 'MacAddr',
      PortId: '45:74:68:31:2F:32',
      PortIdSubtype: 'IfName',
    }),
    { chassisId: '2c:23:3a:48:2f:5d', portId: 'Eth1/2' },
  );
  assert.deepEqual(heard({ ChassisId: 'sw-1', PortId: 'Ethernet1', SystemName: 'leaf' }), {
    chassisId: 'sw-1',
    portId: 'Ethernet1',
    systemName: 'leaf',
  });
  for (const empty of [
    {},
    { ChassisId: 'x' },
    { ChassisId: 'Not Available', PortId: 'No Link' },
    { ChassisId: '', PortId: '1' },
  ]) {
    assert.equal(heard(empty), undefined);
  }
});

test('Dell keeps its neighbours in a place of its own, in newer iDRACs in another', async () => {
  const system = '/redfish/v1/Systems/1';
  const connections = {
    'NIC.Slot.1-1-1': {
      FQDD: 'NIC.Slot.1-1-1',
      SwitchConnectionID: 'C0:D6:82:23:0C:7D',
      SwitchPortConnectionID: 'Ethernet10/1',
      StaleData: 'NotStale',
    },
    'NIC.Slot.1-2-1': {
      FQDD: 'NIC.Slot.1-2-1',
      SwitchConnectionID: 'No Link',
      SwitchPortConnectionID: 'No Link',
      StaleData: 'NotStale',
    },
    'NIC.Slot.1-3-1': {
      FQDD: 'NIC.Slot.1-3-1',
      SwitchConnectionID: 'c0:d6:82:23:0c:7d',
      SwitchPortConnectionID: 'Ethernet10/3',
      StaleData: 'Stale',
    },
  };
  const interfaces = collection(`${system}/EthernetInterfaces`, {
    'NIC.Slot.1-1-1': { MACAddress: '02:00:00:00:00:0a' },
    'NIC.Slot.1-2-1': { MACAddress: '02:00:00:00:00:0b' },
    'NIC.Slot.1-3-1': { MACAddress: '02:00:00:00:00:0c' },
  });
  for (const place of [
    `${system}/NetworkPorts/Oem/Dell/DellSwitchConnections`,
    `${system}/Oem/Dell/DellSwitchConnections`,
  ]) {
    const more = { ...interfaces, ...collection(place, connections) };
    const { bmc } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' }, more }) });
    const inventory = await readInventory(bmc);
    assert.deepEqual(
      inventory.ports.slice(0, 3).map(({ neighbour }) => neighbour),
      [{ chassisId: 'c0:d6:82:23:0c:7d', portId: 'Ethernet10/1' }, undefined, undefined],
    );
    assert.deepEqual(inventory.gaps, []);
  }
});

test('HPE before POST: no adapters, a reason, and the interfaces all the same', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'HPE' } }) });
  gate.on(`GET ${chassis}/NetworkAdapters`, () => ({ status: 400, body: { error: {} } }));
  const { ports, gaps } = await readInventory(bmc);
  assert.deepEqual(
    ports.map(({ mac }) => mac),
    ['02:00:00:00:00:01'],
  );
  assert.match(gaps[0]?.reason ?? '', /self-test \(POST\)/);
});

test('an adapter in an empty slot is none', async () => {
  const more = { [adapter]: resource(adapter, { Status: { State: 'Absent' } }) };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.deepEqual(
    (await readInventory(bmc)).ports.map(({ id }) => id),
    ['NIC1'],
  );
});
