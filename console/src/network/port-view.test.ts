import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareSettings,
  faceplatesOf,
  placesOf,
  portText,
  portTone,
  socketNumber,
  toPortRow,
  vlanColour,
  vlanCounts,
} from './port-view.ts';

function port(socket: string, status: object = {}) {
  return toPortRow({
    metadata: {
      name: socket.toLowerCase().replace('/', '-'),
      namespace: 'rack',
      ownerReferences: [{ kind: 'Switch', name: 'tor' }],
    },
    spec: { configuration: { name: 'shop' } },
    status: { state: 'Active', physicalPortName: socket, ...status },
  } as Parameters<typeof toPortRow>[0]);
}

test('ports of a switch stand in the order of their sockets', () => {
  const [plate] = faceplatesOf([port('Ethernet1/10'), port('Ethernet1/2'), port('Ethernet1/1')]);
  assert.equal(plate?.name, 'tor');
  assert.deepEqual(plate?.ports.map(socketNumber), ['1', '2', '10']);
});

test('odd sockets are above even ones, where their numbers say so', () => {
  const places = placesOf([port('Ethernet1/1'), port('Ethernet1/4')]);
  assert.deepEqual(places.get('ethernet1-1'), { gridRow: 1, gridColumn: 1 });
  assert.deepEqual(places.get('ethernet1-4'), { gridRow: 2, gridColumn: 2 });
  assert.equal(placesOf([port('Ethernet1/1'), port('Ethernet2/1')]).size, 0);
  assert.equal(placesOf([port('uplink')]).size, 0);
});

test('a port says in words what its colour shows', () => {
  const row = port('Ethernet1/1', {
    observed: { untaggedVLAN: 20, vlans: '30-32' },
    hostRef: { namespace: 'a', name: 'h' },
    error: { reason: 'VLANOutsideLimit', message: '20 is not allowed' },
  });
  assert.equal(
    portText(row),
    'Ethernet1/1, VLAN 20, tagged 30-32, Active, host a/h, VLANOutsideLimit: 20 is not allowed',
  );
  assert.equal(portTone(row), 'bad');
  assert.equal(portText(port('Ethernet1/1', { observed: { disabled: true } })), 'Ethernet1/1, down, Active');
});

test('a VLAN has one colour, and its neighbours have others', () => {
  assert.equal(vlanColour(100), vlanColour(100));
  assert.notEqual(vlanColour(100), vlanColour(101));
  assert.equal(vlanColour(undefined), undefined);
});

test('VLANs are counted by the ports that carry them', () => {
  const rows = [20, 20, 5].map((untaggedVLAN, at) => port(`Ethernet1/${at}`, { observed: { untaggedVLAN } }));
  assert.deepEqual(vlanCounts(rows), [
    [5, 1],
    [20, 2],
  ]);
});

test('what is on the switch is compared with what is wanted, setting by setting', () => {
  const acl = [{ type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '22' }];
  const lines = compareSettings({ untaggedVLAN: 1, disabled: false }, { untaggedVLAN: 20, acl });
  assert.deepEqual(
    lines.map(({ name, actual, wanted, isSame }) => [name, actual, wanted, isSame]),
    [
      ['Link', 'up', 'up', true],
      ['Untagged VLAN', '1', '20', false],
      ['Tagged VLANs', 'none', 'none', true],
      ['Access list', 'none', 'deny ipv4 TCP to 22', false],
    ],
  );
  assert.equal(compareSettings(undefined, undefined)[0]?.actual, 'not read yet');
});
