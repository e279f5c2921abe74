import { ansibleSwitch } from '../metal3/ansible-switch.ts';
import { fixtureSwitch } from '../metal3/fixture-switch.ts';
import { metal3ApiVersion } from '../metal3/group.ts';
import { ovsSwitch } from '../metal3/ovs-switch.ts';
import { networkSwitch } from '../metal3/switch.ts';
import { casesOf, type KindCase } from './kind-case.ts';

const metadata = { name: 'leaf1', namespace: 'default' };
const base = (kind: string) => ({ apiVersion: metal3ApiVersion, kind, metadata });

const leaf = casesOf(networkSwitch, 'v1alpha1', {
  ...base('Switch'),
  spec: { provider: { kind: 'AnsibleSwitch', name: 'leaf1' }, ports: { 'leaf1-eth1': { name: 'Ethernet1' } } },
});
const ports = 'spec/ports';
const eth1 = `${ports}/leaf1-eth1`;

const switchCases: KindCase[] = [
  leaf.accepts('one port', {}),
  leaf.accepts('the switch of document 4', {
    [ports]: { 'switchport-example': { name: 'p1', disabled: false, vlanRange: '1, 6-10', trunkDisable: false } },
  }),
  leaf.accepts('no ports', { [ports]: undefined }),
  leaf.accepts('a VLAN range that YAML reads as a number', { [`${eth1}/vlanRange`]: 5 }),
  leaf.refuses('no provider', { 'spec/provider': undefined }, { field: 'spec.provider', reason: 'FieldValueRequired' }),
  leaf.refuses(
    'a provider of an unknown kind',
    { 'spec/provider/kind': 'FakeSwitch' },
    { field: 'spec.provider.kind', reason: 'FieldValueNotSupported' },
  ),
  leaf.refuses(
    'a port without its name on the switch',
    { [eth1]: {} },
    { field: 'spec.ports.leaf1-eth1.name', reason: 'FieldValueRequired' },
  ),
  leaf.refuses(
    'a VLAN past the last',
    { [`${eth1}/vlanRange`]: '1-4096' },
    { field: 'spec.ports[leaf1-eth1].vlanRange', reason: 'FieldValueInvalid' },
  ),
  leaf.refuses(
    'a range that goes down',
    { [`${eth1}/vlanRange`]: '1, 10-6' },
    { field: 'spec.ports[leaf1-eth1].vlanRange', reason: 'FieldValueInvalid' },
  ),
  leaf.refuses(
    'VLAN 0 as a number',
    { [`${eth1}/vlanRange`]: 0 },
    { field: 'spec.ports.leaf1-eth1.vlanRange', reason: 'FieldValueInvalid' },
  ),
  leaf.refuses(
    'a key that is no name',
    { [ports]: { 'Ethernet 1': { name: 'Ethernet1' } } },
    { field: 'spec.ports', reason: 'FieldValueInvalid' },
  ),
  leaf.refuses(
    'one port twice',
    { [`${ports}/leaf1-eth2`]: { name: 'Ethernet1' } },
    { field: 'spec.ports', reason: 'FieldValueDuplicate' },
  ),
  leaf.refuses(
    'a parking VLAN past the last',
    { 'spec/parkingVLAN': 4095 },
    { field: 'spec.parkingVLAN', reason: 'FieldValueInvalid' },
  ),
  leaf.status('running', { state: 'Running', portCount: 1 }, 'accepted'),
  leaf.status(
    'a state there is not',
    { state: 'Sleeping' },
    { field: 'status.state', reason: 'FieldValueNotSupported' },
  ),
  leaf.status(
    'an error without a beginning',
    { error: { reason: 'Unreachable', message: 'no answer' } },
    { field: 'status.error.since', reason: 'FieldValueRequired' },
  ),
];

const ansible = casesOf(ansibleSwitch, 'v1alpha1', {
  ...base('AnsibleSwitch'),
  spec: { os: 'fos', ip: '192.0.2.1', credentialsSecret: { name: 'login' } },
});

const ansibleCases: KindCase[] = [
  ansible.accepts('the switch of document 4, with its empty bridge', { 'spec/port': 22, 'spec/bridge': null }),
  ansible.accepts('an Open vSwitch with its bridge', { 'spec/os': 'openvswitch', 'spec/bridge': 'br0' }),
  ansible.accepts('an IPv6 address', { 'spec/ip': '2001:db8::1' }),
  ansible.refuses('an unknown system', { 'spec/os': 'ios' }, { field: 'spec.os', reason: 'FieldValueNotSupported' }),
  ansible.refuses(
    'a name instead of an address',
    { 'spec/ip': 'leaf1' },
    { field: 'spec.ip', reason: 'FieldValueInvalid' },
  ),
  ansible.refuses('a port past the last', { 'spec/port': 65536 }, { field: 'spec.port', reason: 'FieldValueInvalid' }),
  ansible.refuses(
    'no credentials',
    { 'spec/credentialsSecret': undefined },
    { field: 'spec.credentialsSecret', reason: 'FieldValueRequired' },
  ),
  ansible.refuses(
    'an Open vSwitch without a bridge',
    { 'spec/os': 'openvswitch' },
    { field: 'spec.bridge', reason: 'FieldValueRequired' },
  ),
  ansible.refuses(
    'an Open vSwitch with a null bridge',
    { 'spec/os': 'openvswitch', 'spec/bridge': null },
    { field: 'spec.bridge', reason: 'FieldValueRequired' },
  ),
  ansible.refuses(
    'a bridge on something else',
    { 'spec/bridge': 'br0' },
    { field: 'spec.bridge', reason: 'FieldValueForbidden' },
  ),
  ansible.refuses(
    'a host key that is not to be looked at',
    { 'spec/hostKey': 'ssh-ed25519 AAAA', 'spec/disableHostKeyVerification': true },
    { field: 'spec.hostKey', reason: 'FieldValueForbidden' },
  ),
];

const ovs = casesOf(ovsSwitch, 'v1alpha1', {
  ...base('OVSSwitch'),
  spec: { address: 'tcp:192.0.2.5:6640', bridge: 'br0' },
});

const ovsCases: KindCase[] = [
  ovs.accepts('over TCP', {}),
  ovs.accepts('over a socket', { 'spec/address': 'unix:/var/run/openvswitch/db.sock' }),
  ovs.accepts('over IPv6 and TLS', {
    'spec/address': 'ssl:[2001:db8::1]:6640',
    'spec/credentialsSecret': { name: 'tls' },
  }),
  ovs.refuses(
    'a URL',
    { 'spec/address': 'http://192.0.2.5:6640' },
    { field: 'spec.address', reason: 'FieldValueInvalid' },
  ),
  ovs.refuses('no bridge', { 'spec/bridge': undefined }, { field: 'spec.bridge', reason: 'FieldValueRequired' }),
  ovs.refuses('an empty bridge', { 'spec/bridge': '' }, { field: 'spec.bridge', reason: 'FieldValueInvalid' }),
  ovs.refuses(
    'TLS without certificates',
    { 'spec/address': 'ssl:192.0.2.5:6640' },
    { field: 'spec.credentialsSecret', reason: 'FieldValueRequired' },
  ),
  ovs.refuses(
    'OpenFlow over TLS without certificates',
    { 'spec/openflowAddress': 'ssl:192.0.2.5:6653' },
    { field: 'spec.credentialsSecret', reason: 'FieldValueRequired' },
  ),
];

const fixture = casesOf(fixtureSwitch, 'v1alpha1', { ...base('FixtureSwitch'), spec: { ports: ['p1', 'p2'] } });

const fixtureCases: KindCase[] = [
  fixture.accepts('two ports', {}),
  fixture.accepts('no spec', { spec: undefined }),
  fixture.accepts('faults', { 'spec/faults': { unreachable: true } }),
  fixture.refuses(
    'one port twice',
    { 'spec/ports': ['p1', 'p1'] },
    { field: 'spec.ports[1]', reason: 'FieldValueDuplicate' },
  ),
  fixture.refuses(
    'a negative delay',
    { 'spec/delayMilliseconds': -1 },
    { field: 'spec.delayMilliseconds', reason: 'FieldValueInvalid' },
  ),
  fixture.refuses(
    'an unknown type of fault',
    { 'spec/faults': 'all' },
    { field: 'spec.faults', reason: 'FieldValueTypeInvalid' },
  ),
  fixture.status(
    'settings of a port',
    { ports: { p1: { untaggedVLAN: 10, vlans: '2-3', disabled: false } }, writes: 1 },
    'accepted',
  ),
  fixture.status('fewer than no writes', { writes: -1 }, { field: 'status.writes', reason: 'FieldValueInvalid' }),
];

/** Cases of Switch and of the kinds that say how a switch is talked to. */
export const metal3SwitchCases: readonly KindCase[] = [...switchCases, ...ansibleCases, ...ovsCases, ...fixtureCases];
