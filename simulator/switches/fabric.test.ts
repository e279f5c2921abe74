import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type AclRule, checkRule, judgePacket, type Packet } from './access-list.ts';
import { createFabric, type Fabric, type PortName } from './fabric.ts';
import { type PortSettings, parkedPort } from './switch-port.ts';

const a: PortName = { switchName: 'tor-1', port: 'Ethernet1/1' };
const b: PortName = { switchName: 'tor-2', port: 'Ethernet1/1' };
const nicA = { machine: 'r01-s01', mac: '02:00:00:00:00:0a' };
const nicB = { machine: 'r01-s02', mac: '02:00:00:00:00:0b' };

function twoHosts(): Fabric {
  return createFabric([
    { ...a, ...nicA },
    { ...b, ...nicB },
  ]);
}

function set(fabric: Fabric, port: PortName, settings: Partial<PortSettings>): void {
  assert.equal(fabric.configure(port, { ...parkedPort, ...settings }), 'ok');
}

test('hosts on parked ports cannot talk but are seen by LLDP', () => {
  const fabric = twoHosts();
  assert.equal(fabric.canTalk(a, b), false);
  assert.equal(fabric.neighbourOf(nicA.mac)?.portId, 'Ethernet1/1');
  assert.deepEqual(fabric.heardOn(a), nicA);
});

test('hosts of one untagged VLAN talk across switches, hosts of two do not', () => {
  const fabric = twoHosts();
  set(fabric, a, { untaggedVlan: 10 });
  set(fabric, b, { untaggedVlan: 10 });
  assert.equal(fabric.canTalk(a, b), true);
  set(fabric, b, { untaggedVlan: 11 });
  assert.equal(fabric.canTalk(a, b), false);
  assert.match(fabric.reach(a, b).because, /does not carry VLAN 10/);
});

test('an untagged frame reaches a trunk with its tag and the answer comes back', () => {
  const fabric = twoHosts();
  set(fabric, a, { untaggedVlan: 10 });
  set(fabric, b, { taggedVlans: [10, 20] });
  assert.deepEqual(fabric.reach(a, b), { canReach: true, because: 'VLAN 10', arrivesTagged: 10 });
  assert.equal(fabric.canTalk(a, b), true);
  assert.equal(fabric.reach(b, a, { tag: 20 }).canReach, false);
});

test('a port that is shut down carries nothing and shows nobody', () => {
  const fabric = twoHosts();
  set(fabric, a, { untaggedVlan: 10, isDisabled: true });
  set(fabric, b, { untaggedVlan: 10 });
  assert.equal(fabric.canTalk(a, b), false);
  assert.equal(fabric.neighbourOf(nicA.mac), undefined);
});

test('settings with a bad VLAN or a bad rule change nothing and say what is wrong', () => {
  const fabric = twoHosts();
  for (const settings of [
    { untaggedVlan: 0 },
    { untaggedVlan: 4095 },
    { taggedVlans: [7, 7] },
    { untaggedVlan: 7, taggedVlans: [7] },
    { acl: [{ type: 'ipv4', action: 'allow', src: '10.0.0.0/33' } as const] },
  ]) {
    const answer = fabric.configure(a, { ...parkedPort, ...settings });
    assert.ok(Array.isArray(answer) && answer.length > 0, JSON.stringify(settings));
  }
  assert.deepEqual(fabric.port(a)?.settings, parkedPort);
  assert.equal(fabric.find('tor-1')?.revision, 0);
});

test('a moved cable is seen at its new place only', () => {
  const spare: PortName = { switchName: 'tor-1', port: 'Ethernet1/9' };
  const fabric = createFabric([{ ...a, ...nicA }], [spare]);
  assert.equal(fabric.plug(nicA, spare), 'ok');
  assert.equal(fabric.heardOn(a), undefined);
  assert.deepEqual(fabric.portOf(nicA.mac), spare);
  assert.equal(fabric.plug(nicA, undefined), 'ok');
  assert.equal(fabric.neighbourOf(nicA.mac), undefined);
});

const ssh: Packet = { src: '10.1.0.5', des: '10.2.0.7', protocol: 'TCP', srcPort: 40_000, desPort: 22 };

const verdicts: readonly [string, readonly AclRule[], boolean][] = [
  ['an empty list lets all pass', [], true],
  [
    'the first rule that matches decides',
    [
      { type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '22-30' },
      { type: 'ipv4', action: 'allow' },
    ],
    false,
  ],
  ['what no rule matches is dropped', [{ type: 'ipv4', action: 'allow', protocol: 'UDP' }], false],
  ['a network matches its addresses', [{ type: 'ipv4', action: 'allow', src: '10.1.0.0/16', des: '10.2.0.7' }], true],
  ['a rule of the other family does not match', [{ type: 'ipv6', action: 'allow' }], false],
  [
    'a port outside the range does not match',
    [{ type: 'ipv4', action: 'allow', protocol: 'TCP', desPortRange: '23-30' }],
    false,
  ],
];

for (const [name, rules, isAllowed] of verdicts) {
  test(`access lists: ${name}`, () => {
    assert.equal(judgePacket(rules, ssh).isAllowed, isAllowed);
  });
}

test('rules with ports on ICMP, reversed ranges or the wrong family are named', () => {
  const bad: AclRule[] = [
    { type: 'ipv4', action: 'allow', protocol: 'ICMP', desPortRange: '22' },
    { type: 'ipv4', action: 'allow', protocol: 'TCP', desPortRange: '30-22' },
    { type: 'ipv6', action: 'allow', src: '10.0.0.0/8' },
  ];
  for (const rule of bad) assert.notEqual(checkRule(rule).length, 0, JSON.stringify(rule));
});

test('whether two ports can talk does not depend on who asks', () => {
  const vlan = fc.integer({ min: 1, max: 4 });
  const settings = fc.record({
    isDisabled: fc.boolean(),
    untaggedVlan: fc.option(vlan, { nil: undefined }),
    taggedVlans: fc.uniqueArray(vlan, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(settings, settings, (left, right) => {
      const fabric = twoHosts();
      const isSet = [
        fabric.configure(a, { ...parkedPort, ...left }),
        fabric.configure(b, { ...parkedPort, ...right }),
      ].every((answer) => answer === 'ok');
      fc.pre(isSet);
      assert.equal(fabric.canTalk(a, b), fabric.canTalk(b, a));
    }),
  );
});
