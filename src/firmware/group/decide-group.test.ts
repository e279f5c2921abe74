import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ironcoreApiVersion, type ServerFirmwareGroup, type ServerFirmwareGroupStatus } from '../../api/index.ts';
import { checkTable } from '../../kube/index.ts';
import { conditionOf } from '../conditions.ts';
import { bmcTable } from '../onboarding/bmc-table.ts';
import { holdOf } from '../server/read-server.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { aServer } from '../testing/server-seen.ts';
import { decideGroup } from './decide-group.ts';
import { membershipOf } from './decide-member.ts';
import { groupTable } from './group-table.ts';
import type { MemberStanding } from './member-standing.ts';

const now = Date.UTC(2030, 0, 1);

function aGroup(
  more: { status?: ServerFirmwareGroupStatus; generation?: number; paused?: boolean; operation?: string } = {},
): ServerFirmwareGroup {
  const annotations = more.operation === undefined ? {} : { 'metal.ironcore.dev/operation': more.operation };
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name: 'g', generation: more.generation ?? 1, annotations },
    spec: {
      manufacturer: 'Lenovo',
      model: '7x21',
      serverSelector: {},
      paused: more.paused ?? false,
      firmwares: [{ name: 'nic', manufacturer: 'Intel', version: '2.0' }],
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

function standings(count: number, more: (index: number) => Partial<MemberStanding> = () => ({})): MemberStanding[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    fit: 'same',
    hardware: 'Dell Inc. PowerEdge R750',
    contestedBy: [],
    isApplied: true,
    isFailed: false,
    isRetrying: false,
    stoppedBy: undefined,
    ...more(index),
  }));
}

const failing = (count: number, failed: number) =>
  standings(count, (index) => (index < failed ? { isApplied: false, isFailed: true } : {}));
const isHalted = (status: ServerFirmwareGroupStatus | undefined): boolean =>
  conditionOf(status?.conditions, 'Halted')?.status === 'True';
const decide = (group: ServerFirmwareGroup, selected: MemberStanding[]) =>
  decideGroup({ group, selected, settings }, now);

test('the tables of groups and BMCs reach every state and are never in doubt', () => {
  assert.deepEqual([...checkTable(groupTable), ...checkTable(bmcTable)], []);
});

test('applied and not applied add up to the servers in the group, whatever they are', () => {
  const standing = fc.record({
    name: fc.string(),
    hardware: fc.constant('Dell Inc. PowerEdge R750'),
    fit: fc.constantFrom('same' as const, 'other' as const, 'unknown' as const),
    contestedBy: fc.array(fc.constantFrom('h', 'i'), { maxLength: 2 }),
    isApplied: fc.boolean(),
    isFailed: fc.boolean(),
    isRetrying: fc.boolean(),
    stoppedBy: fc.constantFrom(undefined, 'Excluded'),
  });
  fc.assert(
    fc.property(fc.array(standing), fc.boolean(), (selected, paused) => {
      const { status } = decide(aGroup({ paused }), selected);
      assert.equal((status?.updatesApplied ?? 0) + (status?.updatesNotApplied ?? 0), status?.serversInGroup);
      assert.equal(status?.serversInGroup, selected.filter(({ fit }) => fit === 'same').length);
      const again = decideGroup(
        { group: { ...aGroup({ paused }), ...(status === undefined ? {} : { status }) }, selected, settings },
        now,
      );
      assert.deepEqual([again.status, again.events], [status, []]);
    }),
  );
});

const limits: [number, number, boolean][] = [
  [2, 2, false],
  [3, 3, true],
  [60, 2, false],
  [60, 3, true],
  [100, 4, false],
  [100, 5, true],
  [101, 5, false],
  [101, 6, true],
];
for (const [count, failed, halts] of limits) {
  test(`${failed} failed servers of ${count} ${halts ? 'halt' : 'do not halt'} a group`, () => {
    assert.equal(isHalted(decide(aGroup(), failing(count, failed)).status), halts);
  });
}

test('a halted group stays halted when its servers recover, until its spec changes', () => {
  const { status, events } = decide(aGroup(), failing(10, 3));
  assert.deepEqual(
    events?.map(({ reason }) => reason),
    ['Halted'],
  );
  const recovered = standings(10);
  assert.ok(status !== undefined);
  assert.equal(isHalted(decide(aGroup({ status }), recovered).status), true);
  assert.equal(isHalted(decide(aGroup({ status, generation: 2 }), recovered).status), false);
  assert.equal(isHalted(decide(aGroup({ status, generation: 2 }), failing(10, 3)).status), true);
});

test('a halted group stays halted while it is paused, when it goes on, and when it only grows', () => {
  const { status } = decide(aGroup(), failing(10, 3));
  const still = (group: ServerFirmwareGroup, selected: MemberStanding[]) => decide(group, selected).status ?? {};
  const pausedThen = still(aGroup({ status: status ?? {}, paused: true, generation: 2 }), failing(10, 3));
  assert.deepEqual([isHalted(pausedThen), conditionOf(pausedThen.conditions, 'Paused')?.status], [true, 'True']);
  const going = still(aGroup({ status: pausedThen, generation: 3 }), failing(10, 3));
  assert.deepEqual([isHalted(going), conditionOf(going.conditions, 'Paused')?.status], [true, 'False']);
  // Three of a hundred are not too many to go on with; what three failed is not another version.
  assert.equal(isHalted(still(aGroup({ status: going, generation: 4 }), failing(100, 3))), true);
  const changedWhilePaused = still(aGroup({ status: pausedThen, generation: 3, paused: true }), standings(10));
  assert.equal(isHalted(changedWhilePaused), false);
  assert.equal(conditionOf(changedWhilePaused.conditions, 'Ready')?.reason, 'Paused');
});

test('failures are counted while a group is paused, so that it does not go on with them', () => {
  assert.equal(isHalted(decide(aGroup({ paused: true }), failing(10, 3)).status), true);
});

test('nothing is written or installed for a group that halted and was changed, before it was counted again', () => {
  const { status } = decide(aGroup(), failing(10, 3));
  const touched = aGroup({ status: status ?? {}, generation: 2 });
  const server = aServer();
  assert.equal(membershipOf({ server, groups: [touched] }).kind, 'frozen');
  assert.equal(holdOf(touched)?.code, 'GroupHalted');
  const counted = { ...touched, status: decide(touched, standings(10)).status ?? {} };
  assert.deepEqual([membershipOf({ server, groups: [counted] }).kind, holdOf(counted)], ['member', undefined]);
});

test('a retry is passed on to the servers that failed, and taken away when all were told', () => {
  const { status } = decide(aGroup(), failing(10, 3));
  assert.ok(status !== undefined);
  const group = aGroup({ status, operation: 'retry' });
  const first = decide(group, failing(10, 3));
  assert.deepEqual(
    [first.effects.map(({ kind }) => kind), isHalted(first.status)],
    [['retry-member', 'retry-member', 'retry-member'], false],
  );
  const told = standings(10, (index) => (index < 3 ? { isApplied: false, isRetrying: true } : {}));
  assert.deepEqual(
    decide(group, told).effects.map(({ kind }) => kind),
    ['consume-retry'],
  );
});

test('a conflict names the servers and the other groups', () => {
  const { status } = decide(
    aGroup(),
    standings(3, (index) => (index === 1 ? { contestedBy: ['h'] } : {})),
  );
  const conflict = conditionOf(status?.conditions, 'SelectorConflict');
  assert.match(conflict?.message ?? '', /also selected by h.*: s1\./);
  assert.equal(conditionOf(status?.conditions, 'Ready')?.status, 'False');
});

test('servers that are selected and not counted are named with why', () => {
  const selected = standings(3, (index) => ({ fit: (['same', 'other', 'unknown'] as const)[index] ?? 'same' }));
  const { message } = conditionOf(decide(aGroup(), selected).status?.conditions, 'OtherHardware') ?? {};
  assert.equal(
    message,
    'Selected servers that are not counted: of another manufacturer or model, left alone: s1 (1 × Dell Inc. PowerEdge R750); not known yet what they are: s2.',
  );
});

const readiness: [string, MemberStanding[], string][] = [
  ['has no servers', [], 'False NoServers'],
  ['selects only other hardware', standings(2, () => ({ fit: 'other' })), 'False NoServers'],
  ['selects a server that is not known yet', standings(1, () => ({ fit: 'unknown' })), 'Unknown HardwareUnknown'],
  [
    'has all applied and selects one that is not known yet',
    standings(3, (index) => (index === 2 ? { fit: 'unknown' } : {})),
    'Unknown HardwareUnknown',
  ],
  ['has all applied', standings(2), 'True AllApplied'],
  [
    'goes on beside servers that are left alone',
    standings(3, (index) => ({ isApplied: false, ...(index === 0 ? { stoppedBy: 'Excluded' } : {}) })),
    'False Applying',
  ],
  [
    'has only servers left that are left alone',
    standings(3, (index) => (index === 0 ? { isApplied: false, stoppedBy: 'Excluded' } : { stoppedBy: 'Excluded' })),
    'False NeedsAttention',
  ],
];
for (const [what, selected, expected] of readiness) {
  test(`a group that ${what} is ${expected}`, () => {
    const { status, reason } = conditionOf(decide(aGroup(), selected).status?.conditions, 'Ready') ?? {};
    assert.equal(`${status} ${reason}`, expected);
  });
}

test('servers to which nothing more happens by itself are named with why, also while the group is halted', () => {
  const selected = standings(4, (index) => ({ isApplied: false, isFailed: index > 0, stoppedBy: `Why${index}` }));
  for (const group of [aGroup(), aGroup({ paused: true })]) {
    const { message } = conditionOf(decide(group, selected).status?.conditions, 'Ready') ?? {};
    assert.match(message ?? '', /^0 of 4 .*: s0 \(Why0\), s1 \(Why1\), s2 \(Why2\), s3 \(Why3\)\.$/);
  }
});

test('a group that declares no firmware is not ready, whatever its servers have', () => {
  const group = aGroup();
  const empty = { ...group, spec: { ...group.spec, firmwares: [] } };
  const { status } = decide(
    empty,
    standings(3, () => ({ isApplied: false })),
  );
  const ready = conditionOf(status?.conditions, 'Ready');
  assert.deepEqual([ready?.status, ready?.reason], ['False', 'NoTarget']);
});

test('a group whose model matches none of the servers that it selects says what they are', () => {
  const { status } = decide(
    aGroup(),
    standings(3, (at) => ({
      fit: 'other',
      ...(at === 2 ? { hardware: 'Lenovo ThinkSystem SR670 (7Y37CTO1WW)' } : {}),
    })),
  );
  const ready = conditionOf(status?.conditions, 'Ready');
  assert.equal(ready?.reason, 'NoServers');
  assert.match(
    ready?.message ?? '',
    /all 3 servers that its selector selects are other hardware than Lenovo 7x21\. Selected are 1 × Lenovo ThinkSystem SR670 \(7Y37CTO1WW\), 2 × Dell Inc\. PowerEdge R750\./,
  );
});

for (const [model, server, isSame] of [
  ['7x21', { model: 'ThinkSystem SR530', sku: '7X21CTO1WW' }, true],
  ['7X21CTO1WW', { model: 'ThinkSystem SR530', sku: '7x21cto1ww' }, true],
  ['7x21', { model: 'ThinkSystem SR530 -[7X21CTO1WW]-' }, true],
  ['thinksystem  sr530', { model: 'ThinkSystem SR530', sku: '7X21CTO1WW' }, true],
  ['7x22', { model: 'ThinkSystem SR530', sku: '7X21CTO1WW' }, false],
  ['SR53', { model: 'ThinkSystem SR530', sku: 'SR530CTO1WW' }, false],
  ['ThinkSystem', { model: 'ThinkSystem SR530', sku: '7X21CTO1WW' }, false],
] as const) {
  test(`a group of model ${model} ${isSame ? 'is' : 'is not'} for ${server.model} ${'sku' in server ? server.sku : ''}`, () => {
    const group = { ...aGroup(), spec: { ...aGroup().spec, model } };
    const membership = membershipOf({ server: aServer(server), groups: [group] });
    assert.equal(membership.kind, isSame ? 'member' : 'other-hardware');
  });
}
