import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ironcoreApiVersion, type ServerFirmwareGroup, type ServerFirmwareGroupStatus } from '../../api/index.ts';
import { checkTable } from '../../kube/index.ts';
import { conditionOf } from '../conditions.ts';
import { bmcTable } from '../onboarding/bmc-table.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { decideGroup } from './decide-group.ts';
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
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector: {}, paused: more.paused ?? false },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

function standings(count: number, more: (index: number) => Partial<MemberStanding> = () => ({})): MemberStanding[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `s${index}`,
    fit: 'same',
    contestedBy: [],
    isApplied: true,
    isFailed: false,
    isRetrying: false,
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
    fit: fc.constantFrom('same' as const, 'other' as const, 'unknown' as const),
    contestedBy: fc.array(fc.constantFrom('h', 'i'), { maxLength: 2 }),
    isApplied: fc.boolean(),
    isFailed: fc.boolean(),
    isRetrying: fc.boolean(),
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
