import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metal3ApiVersion, type SwitchPort, type SwitchResourceLimit } from '../../api/index.ts';
import { aSwitch, noon } from '../testing/port-seen.ts';
import { decideLimit, type TenantPort } from './decide-limit.ts';

function limit(vlanRange: string): SwitchResourceLimit {
  const metadata = { name: 'user-limit', namespace: 'tenant', generation: 1 };
  return { apiVersion: metal3ApiVersion, kind: 'SwitchResourceLimit', metadata, spec: { vlanRange } };
}

function used(
  name: string,
  configuration: NonNullable<SwitchPort['status']>['configuration'],
  from = 'tenant',
): TenantPort {
  return {
    owner: aSwitch(),
    port: {
      apiVersion: metal3ApiVersion,
      kind: 'SwitchPort',
      metadata: { name, namespace: 'infra' },
      status: {
        state: 'Active',
        hostRef: { name: 'h', namespace: 'tenant' },
        configurationRef: { name: 'net', namespace: from },
        ...(configuration === undefined ? {} : { configuration }),
      },
    },
  };
}

test('a VLAN is in use until the last port lets go of it', () => {
  const ports = [used('a', { untaggedVLAN: 5 }), used('b', { untaggedVLAN: 5, vlans: '6-7' })];
  const both = decideLimit({ limit: limit('5-10'), ports }, noon).status;
  assert.deepEqual(both?.usedVLANs, [
    { vlan: 5, ports: 2 },
    { vlan: 6, ports: 1 },
    { vlan: 7, ports: 1 },
  ]);
  assert.equal(both?.usedVLANRange, '5-7');
  const one = decideLimit({ limit: limit('5-10'), ports: ports.slice(0, 1) }, noon).status;
  assert.deepEqual(one?.usedVLANs, [{ vlan: 5, ports: 1 }]);
  assert.equal(decideLimit({ limit: limit('5-10'), ports: [] }, noon).status?.usedVLANRange, '');
});

test("what the infra team put on a port is not the tenant's use", () => {
  const ports = [used('a', { untaggedVLAN: 100 }, 'infra'), used('b', undefined)];
  assert.deepEqual(decideLimit({ limit: limit('5-10'), ports }, noon).status?.usedVLANs, []);
});

test('a limit that shrinks says who is beyond it, and cuts nobody off', () => {
  const { status, effects } = decideLimit({ limit: limit('6-10'), ports: [used('a', { untaggedVLAN: 5 })] }, noon);
  assert.deepEqual(effects, []);
  const [condition] = status?.conditions ?? [];
  assert.equal(condition?.status, 'False');
  assert.match(condition?.message ?? '', /^infra\/a use VLANs 5, which are not allowed any more/);
});
