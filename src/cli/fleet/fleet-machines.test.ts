import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressPairs } from '../../bmc/index.ts';
import { type FleetFacts, type HostObject, machinesOfFleet, machinesOfHost } from './fleet-machines.ts';

const address = 'redfish+https://192.0.2.1:8443/redfish/v1/Systems/1';
const host = (fields: NonNullable<HostObject['spec']>): HostObject => ({ metadata: { name: 'h1' }, spec: fields });
const server = (systemUUID: string, macAddress: string) => ({
  spec: { systemUUID },
  status: { networkInterfaces: [{ macAddress }] },
});
const listed = (uuid: string, fields: object) => ({ uuid, name: 'h1', bmc_address: '', mac_addresses: [], ...fields });
const nothing: FleetFacts = { hosts: [], servers: [], inventory: [] };

describe('the machine of a host', () => {
  test('is that of the Server with its MAC address', () => {
    const servers = [server('AAAA', '00:11:22:33:44:55'), server('bbbb', '00:11:22:33:44:66')];
    const found = machinesOfHost(host({ bootMACAddress: '00:11:22:33:44:55' }), { ...nothing, servers });
    assert.deepEqual(found, ['aaaa']);
  });
  test('is that of the inventory with its BMC and system', () => {
    const inventory = [
      listed('aaaa', { bmc_address: 'https://192.0.2.1:8443/redfish/v1/Systems/1' }),
      listed('bbbb', { bmc_address: 'https://192.0.2.1:8443/redfish/v1/Systems/2' }),
    ];
    assert.deepEqual(machinesOfHost(host({ bmc: { address } }), { ...nothing, inventory }), ['aaaa']);
  });
  for (const [one, other, relation] of addressPairs.filter(([each]) => each.includes('/Systems/'))) {
    test(`at ${one} is that of the inventory at ${other}: ${relation}`, () => {
      const inventory = [listed('aaaa', { bmc_address: other })];
      const found = machinesOfHost(host({ bmc: { address: one.replace(/^https:/, 'redfish:') } }), {
        ...nothing,
        inventory,
      });
      assert.deepEqual(found, relation === 'same' ? ['aaaa'] : []);
    });
  }
  test('is never found by a name, which another fleet may use as well', () => {
    const inventory = [listed('bbbb', { bmc_address: 'https://192.0.2.9/redfish/v1/Systems/1' })];
    assert.deepEqual(machinesOfHost(host({ bmc: { address } }), { ...nothing, inventory }), []);
  });
});

test('machines that only another fleet has objects of are not of this one', () => {
  const hosts = [host({ bootMACAddress: '00:11:22:33:44:66' })];
  const servers = [server('aaaa', '00:11:22:33:44:55')];
  const inventory = [
    listed('aaaa', {}),
    listed('bbbb', { mac_addresses: ['00:11:22:33:44:66'] }),
    listed('cccc', { mac_addresses: ['00:11:22:33:44:77'] }),
  ];
  assert.deepEqual([...machinesOfFleet({ hosts, servers, inventory })].sort(), ['aaaa', 'bbbb']);
});
