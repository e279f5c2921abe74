import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostObject } from '../fleet/host-row.ts';
import { interfacesOf, namedPorts } from './host-ports.ts';

const host: HostObject = {
  metadata: { name: 'a', namespace: 'lab' },
  spec: {
    ports: [
      { mac: '02:00:00:00:00:0A', port: { name: 'tor-1', namespace: 'infra' } },
      { mac: '02:00:00:00:00:0c', port: { name: 'tor-3' } },
    ],
  },
  status: {
    hardware: {
      nics: [
        { name: 'eno1', mac: '02:00:00:00:00:0a', pxe: true, lldp: { switchSystemName: 'tor', portID: 'Ethernet1' } },
        { name: 'eno2', mac: '02:00:00:00:00:0b', speedGbps: 25 },
      ],
    },
  },
};

test('ports are those that the host names, in its own namespace unless it names another', () => {
  assert.deepEqual(namedPorts(host), [
    { namespace: 'infra', name: 'tor-1' },
    { namespace: 'lab', name: 'tor-3' },
  ]);
});

test('each interface has its switch port beside what LLDP says, also one that was not seen', () => {
  const port = {
    metadata: { name: 'tor-1', namespace: 'infra' },
    spec: { configuration: { name: 'work' } },
    status: { state: 'Active', error: { reason: 'VLANOutsideLimit', message: 'VLAN 30 is not allowed' } },
  };
  const rows = interfacesOf(host, [
    { namespace: 'infra', name: 'tor-1', port },
    { namespace: 'lab', name: 'tor-3', problem: 'switchports is forbidden' },
  ]);
  const nothing = { state: undefined, configuration: '', error: '', problem: '' };
  assert.deepEqual(
    rows.map(({ name, lldp, port: plugged }) => [name, lldp, plugged]),
    [
      [
        'eno1',
        'tor Ethernet1',
        {
          ...{ namespace: 'infra', name: 'tor-1', state: 'Active', configuration: 'work', problem: '' },
          error: 'VLANOutsideLimit: VLAN 30 is not allowed',
        },
      ],
      ['eno2', '', undefined],
      ['', '', { ...nothing, namespace: 'lab', name: 'tor-3', problem: 'switchports is forbidden' }],
    ],
  );
  assert.deepEqual(interfacesOf(host, [])[0]?.port, { ...nothing, namespace: 'infra', name: 'tor-1' });
});
