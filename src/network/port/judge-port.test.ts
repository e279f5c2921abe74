import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { metal3ApiVersion, type PortOfSwitch, type SwitchPortConfigurationSpec } from '../../api/index.ts';
import { formatVlans, hasVlan, parseVlans } from '../../switches/index.ts';
import type { PortClaim } from '../fabric/claims.ts';
import { aSwitch } from '../testing/port-seen.ts';
import { isPortName, judgePort, type PortRequest, vlansOf } from './judge-port.ts';

const tenantClaim: PortClaim = {
  host: { name: 'h1', namespace: 'tenant' },
  entry: { mac: '00:00:00:00:00:01', port: { name: 'p1', namespace: 'infra' } },
  provisioning: { name: 'pxe', namespace: 'infra' },
  rivals: [],
};

interface Draft {
  readonly spec?: SwitchPortConfigurationSpec;
  readonly entry?: Partial<PortOfSwitch>;
  readonly limit?: string | null;
  readonly more?: Partial<PortRequest>;
}

/** A configuration of a tenant on a port of the infra team, within a limit of 5-10 unless told otherwise. */
function request({ spec = { untaggedVLAN: 5 }, entry = {}, limit = '5-10', more = {} }: Draft): PortRequest {
  const reference = more.reference ?? { name: 'net', namespace: 'tenant' };
  return {
    owner: aSwitch(),
    entry: { name: 'Ethernet1', ...entry },
    claim: tenantClaim,
    reference,
    configuration: { apiVersion: metal3ApiVersion, kind: 'SwitchPortConfiguration', metadata: reference, spec },
    limit:
      limit === null
        ? undefined
        : {
            apiVersion: metal3ApiVersion,
            kind: 'SwitchResourceLimit',
            metadata: { name: 'user-limit', namespace: 'tenant' },
            spec: { vlanRange: limit },
          },
    managementPort: undefined,
    ...more,
  };
}

function verdict(draft: Draft): string {
  const judgement = judgePort(request(draft));
  return judgement.kind === 'allowed' ? 'allowed' : judgement.fault.code;
}

const infra = { name: 'pxe', namespace: 'infra' };

describe('what a configuration is held against', () => {
  const cases: readonly [string, Draft, string][] = [
    ['nothing to say against it', {}, 'allowed'],
    ['no Switch lists the port', { more: { owner: undefined, entry: undefined } }, 'SwitchNotFound'],
    ['the Switch lists it no more', { more: { entry: undefined } }, 'PortNotListed'],
    ['there is no such configuration', { more: { configuration: undefined } }, 'ConfigurationNotFound'],
    ['a port that is not to be used', { entry: { disabled: true } }, 'PortDisabled'],
    [
      'tagged VLANs where no trunk may be',
      { spec: { vlans: '6-7' }, entry: { trunkDisable: true } },
      'TrunkNotAllowed',
    ],
    ['an access port where no trunk may be', { entry: { trunkDisable: true } }, 'allowed'],
    [
      'an untagged VLAN beyond the port',
      { spec: { untaggedVLAN: 5 }, entry: { vlanRange: '1, 6-10' } },
      'VLANNotAllowedOnPort',
    ],
    [
      'tagged VLANs partly beyond the port',
      { spec: { vlans: '6-10' }, entry: { vlanRange: '6-9' } },
      'VLANNotAllowedOnPort',
    ],
    ['a range of the port that is none', { entry: { vlanRange: '10-1' } }, 'VLANNotAllowedOnPort'],
    ['a VLAN beyond the limit', { spec: { untaggedVLAN: 11 } }, 'VLANOutsideLimit'],
    ['tagged VLANs partly beyond the limit', { spec: { vlans: '9-12' } }, 'VLANOutsideLimit'],
    ['a tenant without a limit', { limit: null }, 'NoResourceLimit'],
    ['a tenant without a limit that uses no VLAN', { spec: { disabled: true }, limit: null }, 'allowed'],
    ['a limit that cannot be read', { limit: '10-5' }, 'VLANOutsideLimit'],
    [
      'a configuration of the infra team that nobody named',
      { more: { reference: { name: 'x', namespace: 'infra' } } },
      'ConfigurationNotAllowed',
    ],
    [
      'a configuration of another tenant',
      { more: { reference: { name: 'net', namespace: 'other' } } },
      'ConfigurationNotAllowed',
    ],
    [
      'the provisioning network of the infra team',
      { spec: { untaggedVLAN: 100 }, more: { reference: infra } },
      'allowed',
    ],
    [
      'the same beyond the port',
      { spec: { untaggedVLAN: 100 }, entry: { vlanRange: '1-9' }, more: { reference: infra } },
      'VLANNotAllowedOnPort',
    ],
    [
      'a provisioning network that the tenant can rewrite',
      {
        spec: { untaggedVLAN: 100 },
        more: {
          reference: { name: 'mine', namespace: 'tenant' },
          claim: { ...tenantClaim, provisioning: { name: 'mine', namespace: 'tenant' } },
        },
      },
      'VLANOutsideLimit',
    ],
    [
      'a free port with a configuration of its own namespace',
      { spec: { untaggedVLAN: 100 }, limit: null, more: { claim: undefined, reference: infra } },
      'allowed',
    ],
    ['a free port with a configuration of a tenant', { more: { claim: undefined } }, 'ConfigurationNotAllowed'],
    [
      'a host of the namespace that owns the switch',
      {
        spec: { untaggedVLAN: 100 },
        limit: null,
        more: {
          claim: { ...tenantClaim, host: { name: 'h', namespace: 'infra' } },
          reference: { name: 'any', namespace: 'infra' },
        },
      },
      'allowed',
    ],
    ['the port that the switch is managed through', { more: { managementPort: 'Ethernet1' } }, 'ManagementPort'],
    ['another one than that', { more: { managementPort: 'Ethernet48' } }, 'allowed'],
    ['a name that a shell would take for more', { entry: { name: 'eth0; reboot' } }, 'PortNameInvalid'],
  ];
  for (const [name, draft, code] of cases) test(`${name}: ${code}`, () => assert.equal(verdict(draft), code));

  test('the port comes before the tenant, as the document has it', () => {
    assert.equal(
      verdict({ spec: { vlans: '50-60' }, entry: { trunkDisable: true, vlanRange: '1-9' } }),
      'TrunkNotAllowed',
    );
    assert.equal(verdict({ spec: { untaggedVLAN: 50 }, entry: { vlanRange: '1-9' } }), 'VLANNotAllowedOnPort');
    assert.equal(verdict({ spec: { untaggedVLAN: 50 }, entry: { disabled: true } }), 'PortDisabled');
  });

  test('a message names what is too much and what may be', () => {
    const judgement = judgePort(request({ spec: { vlans: '9-12' } }));
    assert.ok(judgement.kind === 'refused');
    assert.equal(judgement.fault.message, 'the namespace tenant may use VLANs 5-10, and the configuration has 11-12');
  });
});

describe('objects that got past the API server are refused all the same', () => {
  const bad: readonly [string, SwitchPortConfigurationSpec][] = [
    ['VLAN 0', { untaggedVLAN: 0 }],
    ['VLAN 4095', { untaggedVLAN: 4095 }],
    ['half a VLAN', { untaggedVLAN: 1.5 }],
    ['a range that goes down', { vlans: '10-5' }],
    ['a range up to 4095', { vlans: '1-4095' }],
    ['words', { vlans: 'all' }],
    ['a list with a hole', { vlans: '5,,6' }],
    ['a network that is none', { acl: [{ type: 'ipv4', action: 'deny', src: '300.0.0.0/8' }] }],
    ['too long a prefix', { acl: [{ type: 'ipv4', action: 'deny', src: '10.0.0.0/33' }] }],
    ['an address of the other family', { acl: [{ type: 'ipv4', action: 'deny', des: '2001:db8::/32' }] }],
    ['ports of ICMP', { acl: [{ type: 'ipv4', action: 'deny', protocol: 'ICMP', desPortRange: '22' }] }],
    ['ports of everything', { acl: [{ type: 'ipv4', action: 'deny', srcPortRange: '22-30' }] }],
    ['ports that go down', { acl: [{ type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '30-22' }] }],
    ['port 65536', { acl: [{ type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '65536' }] }],
    ['a shell', { acl: [{ type: 'ipv4', action: 'deny', src: '$(reboot)' }] }],
  ];
  for (const [name, spec] of bad) test(name, () => assert.equal(verdict({ spec }), 'ConfigurationInvalid'));

  test('overlapping ranges are one range', () => {
    const judgement = judgePort(request({ spec: { vlans: '5-8, 7-9, 6' } }));
    assert.ok(judgement.kind === 'allowed');
    assert.equal(formatVlans(judgement.settings.taggedVlans), '5-9');
  });

  test('no text with a meaning for shells, YAML or templates is the name of a port', () => {
    for (const name of [
      '{{ x }}',
      '{% x %}',
      'a\nb',
      '$(x)',
      '`x`',
      'a|b',
      "a'b",
      'a"b',
      'a;b',
      'a&b',
      '-rf',
      '',
      'a'.repeat(129),
      '*',
      '#x',
      'a > b',
    ]) {
      assert.equal(isPortName(name), false, name);
    }
    for (const name of ['Ethernet1/1', 'ge-0/0/1.0', 'swp1s0', 'ethernet 1/1/1', 'Te1/0/1', '1']) {
      assert.equal(isPortName(name), true, name);
    }
  });
});

test('whatever is allowed is within the port and within the limit', () => {
  const range = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 8 })), { minLength: 1, maxLength: 4 })
    .map((spans) => spans.map(([first, more]) => `${first}-${Math.min(first + more, 4094)}`).join(', '));
  const untagged = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
  fc.assert(
    fc.property(range, range, range, untagged, (vlans, vlanRange, limit, untaggedVLAN) => {
      const spec = { vlans, ...(untaggedVLAN === undefined ? {} : { untaggedVLAN }) };
      const judgement = judgePort(request({ spec, entry: { vlanRange }, limit }));
      const [port, tenant] = [parseVlans(vlanRange) ?? [], parseVlans(limit) ?? []];
      const ids = [
        ...(parseVlans(vlans) ?? []),
        ...(untaggedVLAN === undefined ? [] : [{ first: untaggedVLAN, last: untaggedVLAN }]),
      ];
      const isWithin = ids.every(({ first, last }) => {
        for (let id = first; id <= last; id++) if (!hasVlan(port, id) || !hasVlan(tenant, id)) return false;
        return true;
      });
      assert.equal(judgement.kind === 'allowed', isWithin);
      if (judgement.kind === 'allowed') assert.ok(vlansOf(judgement.settings).length > 0);
    }),
    { numRuns: 300 },
  );
});
