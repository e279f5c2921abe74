import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type BareMetalHost,
  type BareMetalHostStatus,
  metal3ApiVersion,
  type ProvisioningState,
} from '../../api/index.ts';
import { hostIndexers } from '../objects.ts';
import { statusIn } from '../testing/settled-status.ts';
import { findDuplicate } from './find-duplicate.ts';

interface HostParts {
  readonly address?: string;
  readonly bootMac?: string;
  readonly nics?: readonly string[];
  readonly serial?: string;
  readonly state?: ProvisioningState;
  readonly id?: string;
  readonly at?: string;
}

function hostOf(name: string, parts: HostParts): BareMetalHost {
  const { address, bootMac, nics = [], serial, state = 'registering', id = '', at = '2025-01-01' } = parts;
  const systemVendor = { manufacturer: 'A', productName: 'B', serialNumber: serial ?? `SN-${name}` };
  const hardware = { nics: nics.map((mac) => ({ mac })), systemVendor } as NonNullable<BareMetalHostStatus['hardware']>;
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace: 'fleet', name, uid: name, creationTimestamp: `${at}T00:00:00Z` },
    spec: {
      online: true,
      ...(address === undefined ? {} : { bmc: { address, credentialsName: 'x' } }),
      ...(bootMac === undefined ? {} : { bootMACAddress: bootMac }),
    },
    status: statusIn(state, { hardware, provisioning: { state, ID: id } as BareMetalHostStatus['provisioning'] }),
  };
}

function duplicateOf(host: BareMetalHost, ...others: readonly BareMetalHost[]): string | undefined {
  const all = [host, ...others];
  const byIndex = (index: string, value: string) =>
    all.filter((each) => hostIndexers[index]?.(each as never).includes(value) === true);
  const found = findDuplicate({ byIndex }, host);
  return found === undefined ? undefined : `${found.host} by ${found.by}`;
}

const mac = '52:54:00:AA:00:07';
const late = { at: '2025-02-01' };

describe('two hosts are one machine', () => {
  const cases: readonly (readonly [what: string, one: HostParts, other: HostParts, by: string | undefined])[] = [
    ['with one BMC', { address: 'redfish://10.0.0.7' }, { address: 'redfish://10.0.0.7:443/' }, 'the BMC 10.0.0.7:443'],
    [
      'with the only system of one BMC',
      { address: 'redfish://10.0.0.7' },
      { address: 'redfish://10.0.0.7/redfish/v1/Systems/1' },
      'the BMC 10.0.0.7:443',
    ],
    [
      'but not with two systems of one BMC, whatever their MACs',
      { address: 'redfish://10.0.0.7/redfish/v1/Systems/2', nics: [mac], serial: 'S' },
      { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', nics: [mac], serial: 'S' },
      undefined,
    ],
    ['with one boot MAC', { bootMac: mac }, { bootMac: mac.toLowerCase() }, 'the boot MAC address 52:54:00:aa:00:07'],
    [
      'when one boots from a NIC of the other, behind two addresses of a BMC',
      { address: 'redfish://bmc7.example', bootMac: mac },
      { address: 'redfish://10.0.0.7', nics: [mac] },
      'the boot MAC address 52:54:00:aa:00:07',
    ],
    [
      'with one serial number and NIC',
      { nics: [mac], serial: 'S' },
      { nics: [mac], serial: 'S' },
      'the serial number S',
    ],
    ['but not by a NIC alone', { nics: [mac] }, { nics: [mac] }, undefined],
    ['but not by a serial number alone', { serial: 'S' }, { serial: 'S' }, undefined],
    [
      'but not without anything in common',
      { address: 'redfish://10.0.0.7' },
      { address: 'redfish://10.0.0.8' },
      undefined,
    ],
  ];
  for (const [what, one, other, by] of cases) {
    test(what, () => {
      const [first, second] = [hostOf('first', one), hostOf('second', { ...other, ...late })];
      assert.equal(duplicateOf(second, first), by === undefined ? undefined : `fleet/first by ${by}`);
      assert.equal(duplicateOf(first, second), undefined, 'the older one has it');
    });
  }
});

describe('of two hosts of one machine', () => {
  test('the one that is used has it, also when it is the younger one', () => {
    for (const state of ['provisioning', 'provisioned', 'externally provisioned', 'deprovisioning'] as const) {
      const older = hostOf('older', { bootMac: mac, state: 'available', id: 'a' });
      const used = hostOf('used', { bootMac: mac, state, id: 'b', ...late });
      assert.match(duplicateOf(older, used) ?? '', /^fleet\/used/);
      assert.equal(duplicateOf(used, older), undefined);
    }
  });

  test('the one that its provisioner knows has it before one that was never reached', () => {
    const older = hostOf('older', { bootMac: mac });
    const known = hostOf('known', { bootMac: mac, state: 'inspecting', id: 'b', ...late });
    assert.match(duplicateOf(older, known) ?? '', /^fleet\/known/);
    assert.equal(duplicateOf(known, older), undefined);
  });

  test('of the same age one has it', () => {
    const [one, other] = [hostOf('a', { bootMac: mac }), hostOf('b', { bootMac: mac })];
    assert.deepEqual([duplicateOf(one, other) === undefined, duplicateOf(other, one) === undefined], [true, false]);
  });
});
