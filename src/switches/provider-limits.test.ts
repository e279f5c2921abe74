import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ansibleSystems } from './ansible/index.ts';
import { describeProviderLimits } from './provider-limits.ts';

type Systems = keyof typeof ansibleSystems;

const limitsOf = (os: Systems, parkingVlan?: number) =>
  describeProviderLimits(
    { kind: 'AnsibleSwitch', spec: { os, ip: '192.0.2.1', bridge: 'br0', credentialsSecret: { name: 's' } } as never },
    parkingVlan,
  );

test('of every system it is known in advance whether its ports can be cleaned without a parking VLAN', () => {
  const needy = (Object.keys(ansibleSystems) as Systems[]).filter((os) => limitsOf(os).cleaning !== undefined);
  assert.deepEqual(needy.toSorted(), ['cumulus', 'dellemc.os9.os9', 'dellos10', 'enos', 'fos', 'junos', 'nos']);
  for (const os of needy) {
    assert.match(limitsOf(os).cleaning ?? '', /give the Switch a parkingVLAN/);
    assert.equal(limitsOf(os, 999).cleaning, undefined);
  }
});

test('what cannot be set or read is said, and nothing where all can', () => {
  for (const os of ['eos', 'nxos'] as const)
    assert.deepEqual(limitsOf(os), { cleaning: undefined, control: undefined });
  assert.equal(
    limitsOf('nos', 999).control,
    'on a switch with nos cannot be set: shutdown, tagged VLANs, access lists; is not read back, so that nobody sees a change: shutdown, untagged VLAN, tagged VLANs, access lists',
  );
  const ovs = (openflowAddress?: string) =>
    describeProviderLimits(
      {
        kind: 'OVSSwitch',
        spec: { address: 'tcp:192.0.2.1:6640', bridge: 'br0', ...(openflowAddress && { openflowAddress }) } as never,
      },
      undefined,
    ).control;
  assert.match(ovs() ?? '', /without spec\.openflowAddress/);
  assert.equal(ovs('tcp:192.0.2.1:6653'), undefined);
});
