import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metal3ApiVersion } from '../../api/index.ts';
import { isSameUnit, placeIn, placeOf, unitOf } from './unit.ts';

const parts = { apiVersion: metal3ApiVersion, metadata: { name: 'leaf', namespace: 'infra' } } as const;
const login = { credentialsSecret: { name: 'login' } };

test('the place of a switch is where its provider says it is, and nothing of how one logs in', () => {
  assert.equal(
    placeOf({ ...parts, kind: 'AnsibleSwitch', spec: { os: 'nxos', ip: '192.0.2.1', ...login } }),
    'AnsibleSwitch nxos 192.0.2.1:22',
  );
  assert.equal(
    placeOf({
      ...parts,
      kind: 'AnsibleSwitch',
      spec: { os: 'openvswitch', ip: '192.0.2.1', port: 23, bridge: 'br0', ...login },
    }),
    'AnsibleSwitch openvswitch 192.0.2.1:23 br0',
  );
  assert.equal(
    placeOf({ ...parts, kind: 'OVSSwitch', spec: { address: 'tcp:192.0.2.1:6640', bridge: 'br0' } }),
    'OVSSwitch tcp:192.0.2.1:6640 br0',
  );
  assert.equal(placeOf({ ...parts, kind: 'FixtureSwitch', spec: {} }), 'FixtureSwitch infra/leaf');
});

test('a switch is the same at its place as long as it shares a host key with the one of before', () => {
  const before = unitOf('here', ['aa', 'bb']);
  assert.equal(placeIn(before), 'here');
  assert.equal(isSameUnit(before, unitOf('here', ['bb'])), true);
  assert.equal(isSameUnit(before, unitOf('here', ['cc'])), false);
  assert.equal(isSameUnit(before, unitOf('here')), false);
  assert.equal(isSameUnit(before, unitOf('there', ['aa', 'bb'])), false);
  assert.equal(isSameUnit(unitOf('here'), unitOf('here')), true);
  assert.equal(isSameUnit(undefined, unitOf('here')), false);
});
