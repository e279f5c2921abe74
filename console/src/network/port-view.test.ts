import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainNumbers } from './number-list.ts';
import {
  compareCleaned,
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

test('VLANs that are the same are the same, however they are written', () => {
  const lists: [string, string][] = [
    ['30,31,32', '30-32'],
    [' 40 , 30-32', '30-32, 40'],
    ['1-5,3-9,10', '1-10'],
    ['', ''],
    ['4,x', '4, x'],
    ['9-7', '9-7'],
  ];
  for (const [text, plain] of lists) assert.equal(plainNumbers(text), plain);
  assert.equal(plainNumbers('20-22', { without: 21 }), '20, 22');
  const differing = (actual: object, wanted: object) => compareSettings(actual, wanted).filter(({ isSame }) => !isSame);
  assert.deepEqual(differing({ vlans: '30-32' }, { vlans: '30,31,32' }), []);
  assert.deepEqual(differing({ untaggedVLAN: 20, vlans: '30' }, { untaggedVLAN: 20, vlans: '20, 30' }), []);
  const acl = (desPortRange: string | number) => ({ acl: [{ type: 'ipv4', action: 'deny', desPortRange }] });
  assert.deepEqual(differing(acl('80-81'), acl('80,81')), []);
  assert.equal(differing({ vlans: '30-33' }, { vlans: '30,31,32' }).length, 1);
});

test('a port that is cleaned goes into the parking VLAN of its switch', () => {
  const untagged = (...given: Parameters<typeof compareCleaned>) => {
    const line = compareCleaned(...given).find(({ name }) => name === 'Untagged VLAN');
    return [line?.actual, line?.wanted, line?.isSame];
  };
  assert.deepEqual(untagged({ untaggedVLAN: 20 }, { parkingVLAN: 999 }), ['20', '999', false]);
  assert.deepEqual(untagged({ untaggedVLAN: 999 }, { parkingVLAN: 999 }), ['999', '999', true]);
  assert.deepEqual(untagged({ untaggedVLAN: 20 }, {}), ['20', 'none', false]);
  const [, wanted, isSame] = untagged({ untaggedVLAN: 20 }, undefined);
  assert.deepEqual([wanted, isSame], ['the parking VLAN of the switch, if it has one', undefined]);
});
