import { metal3ApiVersion } from '../metal3/group.ts';
import { switchPort } from '../metal3/switch-port.ts';
import { switchPortConfiguration } from '../metal3/switch-port-configuration.ts';
import { switchResourceLimit } from '../metal3/switch-resource-limit.ts';
import { casesOf, type KindCase } from './kind-case.ts';

const base = (kind: string, name: string) => ({
  apiVersion: metal3ApiVersion,
  kind,
  metadata: { name, namespace: 'default' },
});

const port = casesOf(switchPort, 'v1alpha1', { ...base('SwitchPort', 'leaf1-eth1'), spec: {} });

const portCases: KindCase[] = [
  port.accepts('an idle port', {}),
  port.accepts('no spec', { spec: undefined }),
  port.accepts('a configuration', { 'spec/configuration': { name: 'c', namespace: 'default' } }),
  port.accepts('the other spelling of the kind', {
    'spec/configuration': { name: 'c', kind: 'SwitchportConfiguration' },
  }),
  port.refuses(
    'a configuration without a name',
    { 'spec/configuration': { namespace: 'default' } },
    { field: 'spec.configuration.name', reason: 'FieldValueRequired' },
  ),
  port.refuses(
    'a configuration of another kind',
    { 'spec/configuration': { name: 'c', kind: 'Secret' } },
    { field: 'spec.configuration.kind', reason: 'FieldValueNotSupported' },
  ),
  port.update(
    'linking another configuration',
    { 'spec/configuration': { name: 'a' } },
    { 'spec/configuration/name': 'b' },
    'accepted',
  ),
  port.status(
    'active',
    { state: 'Active', configurationRef: { name: 'c' }, configuration: { untaggedVLAN: 1 } },
    'accepted',
  ),
  port.status('the state None', { state: '' }, 'accepted'),
  port.status('what a misconfigured switch reports', { observed: { vlans: '0-4095' } }, 'accepted'),
  port.status('a seventh state', { state: 'Validating' }, { field: 'status.state', reason: 'FieldValueNotSupported' }),
  port.status(
    'an error without a message',
    { error: { reason: 'Timeout', since: '2026-01-02T03:04:05Z' } },
    { field: 'status.error.message', reason: 'FieldValueRequired' },
  ),
];

const configuration = casesOf(switchPortConfiguration, 'v1alpha1', {
  ...base('SwitchPortConfiguration', 'tenant'),
  spec: { untaggedVLAN: 1, vlans: '2-10', disabled: false },
});
const rule = { type: 'ipv4', action: 'allow', protocol: 'TCP', src: '192.0.2.0/24', desPortRange: '22-30' };

const configurationCases: KindCase[] = [
  configuration.accepts('VLANs', {}),
  configuration.accepts('nothing in particular', { spec: {} }),
  configuration.accepts('an access list', {
    'spec/acl': [
      { ...rule, srcPortRange: 22 },
      { type: 'ipv6', action: 'deny' },
    ],
  }),
  configuration.accepts('a host instead of a network', { 'spec/acl': [{ ...rule, src: '192.0.2.1' }] }),
  configuration.accepts('the last VLAN', { 'spec/untaggedVLAN': 4094, 'spec/vlans': 4094 }),
  configuration.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  configuration.refuses(
    'VLAN 0',
    { 'spec/untaggedVLAN': 0 },
    { field: 'spec.untaggedVLAN', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'a VLAN past the last',
    { 'spec/untaggedVLAN': 4095 },
    { field: 'spec.untaggedVLAN', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'VLANs in words',
    { 'spec/vlans': 'all' },
    { field: 'spec.vlans', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'VLANs that go down',
    { 'spec/vlans': '10-2' },
    { field: 'spec.vlans', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'an address of the other family',
    { 'spec/acl': [{ ...rule, src: '2001:db8::/32' }] },
    { field: 'spec.acl[0].src', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'an address that is none',
    { 'spec/acl': [{ ...rule, des: '192.0.2.300/24' }] },
    { field: 'spec.acl[0].des', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'ports of ICMP',
    { 'spec/acl': [{ ...rule, protocol: 'ICMP' }] },
    { field: 'spec.acl[0].protocol', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'a port past the last',
    { 'spec/acl': [{ ...rule, desPortRange: '70000' }] },
    { field: 'spec.acl[0].desPortRange', reason: 'FieldValueInvalid' },
  ),
  configuration.refuses(
    'an unknown action',
    { 'spec/acl': [{ ...rule, action: 'log' }] },
    { field: 'spec.acl[0].action', reason: 'FieldValueNotSupported' },
  ),
  configuration.update('a label', {}, { 'metadata/labels': { a: 'b' } }, 'accepted'),
  configuration.update(
    'another VLAN',
    {},
    { 'spec/untaggedVLAN': 2 },
    { field: 'spec', reason: 'FieldValueForbidden' },
  ),
  configuration.update(
    'another access list',
    { 'spec/acl': [rule] },
    { 'spec/acl': [{ ...rule, action: 'deny' }] },
    { field: 'spec', reason: 'FieldValueForbidden' },
  ),
];

const limit = casesOf(switchResourceLimit, 'v1alpha1', {
  ...base('SwitchResourceLimit', 'user-limit'),
  spec: { vlanRange: '5-10' },
});

const limitCases: KindCase[] = [
  limit.accepts('the limit of document 4', {}),
  limit.accepts('a limit of nothing', { spec: {} }),
  limit.accepts('several ranges', { 'spec/vlanRange': '5-10,20 , 30-40' }),
  limit.refuses('another name', { 'metadata/name': 'limit' }, { field: '', reason: 'FieldValueInvalid' }),
  limit.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  limit.refuses(
    'a range that goes down',
    { 'spec/vlanRange': '10-5' },
    { field: 'spec.vlanRange', reason: 'FieldValueInvalid' },
  ),
  limit.refuses(
    'a range without an end',
    { 'spec/vlanRange': '5-' },
    { field: 'spec.vlanRange', reason: 'FieldValueInvalid' },
  ),
  limit.update('a wider range', {}, { 'spec/vlanRange': '5-20' }, 'accepted'),
  limit.status('VLANs in use', { usedVLANRange: '5', usedVLANs: [{ vlan: 5, ports: 2 }] }, 'accepted'),
  limit.status(
    'one VLAN counted twice',
    {
      usedVLANs: [
        { vlan: 5, ports: 2 },
        { vlan: 5, ports: 1 },
      ],
    },
    { field: 'status.usedVLANs[1]', reason: 'FieldValueDuplicate' },
  ),
];

/** Cases of SwitchPort, SwitchPortConfiguration and SwitchResourceLimit. */
export const metal3PortCases: readonly KindCase[] = [...portCases, ...configurationCases, ...limitCases];
