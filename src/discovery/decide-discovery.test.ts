import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionOf } from '../kube/index.ts';
import { type DiscoverySeen, decideDiscovery } from './decide-discovery.ts';
import type { Report } from './report.ts';
import { aDiscovery, aHost } from './testing/rig.ts';
import { macOf } from './testing/scripted-source.ts';

const quiet: Report = {
  known: 3,
  ignored: 0,
  refused: [],
  waiting: 0,
  throttled: 0,
  throttledBy: 'rate',
  unused: 0,
  created: [],
  news: [],
  problem: undefined,
};

function seen(more: Partial<DiscoverySeen> = {}): DiscoverySeen {
  return {
    object: aDiscovery('d'),
    planned: [],
    report: quiet,
    isNews: false,
    uncounted: 0,
    dueInMs: 1000,
    ...more,
  };
}

describe('discovery', () => {
  it('creates what was planned before it tells anything', () => {
    const machine = { id: 'a', bootMac: macOf(1), macs: [macOf(1)], source: 0, arrivedMs: 0 };
    const decision = decideDiscovery(seen({ planned: [{ machine, host: aHost('h', macOf(1)) }] }), 0);
    assert.deepEqual(
      decision.effects.map(({ hosts }) => hosts.length),
      [1],
    );
    assert.equal(decision.status, undefined);
    assert.deepEqual(decision.wake, { after: 0 });
  });

  it('says nothing new where a poll found nothing new, however late that is', () => {
    const { status } = decideDiscovery(seen(), 0);
    const object = { ...aDiscovery('d'), status: status ?? {} };
    const again = decideDiscovery(seen({ object }), 3_600_000);
    assert.deepEqual(again.status, status);
    assert.deepEqual(again.wake, { after: 1000 });
    assert.deepEqual(again.events, []);
  });

  it('counts hosts that it made on top of those before, and tells of all of them at once', () => {
    const object = { ...aDiscovery('d'), status: { discoveredHosts: 5 } };
    const report = { ...quiet, created: Array.from({ length: 1000 }, (_, index) => `h${index}`) };
    const { status, events } = decideDiscovery(seen({ object, report, isNews: true, uncounted: 1000 }), 0);
    assert.equal(status?.discoveredHosts, 1005);
    assert.equal(events?.length, 1);
    assert.match(events?.[0]?.message ?? '', /Created 1000 hosts h0, .* and 990 more/);
  });

  it('keeps its counts while a source is away, and says that it is', () => {
    const object = { ...aDiscovery('d'), status: { knownHosts: 3 } };
    const problem = { reason: 'SourceUnavailable', message: 'it is away', afterMs: 5000 } as const;
    const { status } = decideDiscovery(seen({ object, report: { ...quiet, known: 0, problem } }), 0);
    assert.equal(status?.knownHosts, 3);
    assert.equal(conditionOf(status?.conditions, 'Ready')?.reason, 'SourceUnavailable');
  });

  it('lists the first of those that were refused, in bounds, whatever they are called', () => {
    const refused = Array.from({ length: 5000 }, (_, index) => ({
      id: `${'\u0000'.repeat(10_000)}${index}`,
      bootMac: macOf(index + 1),
      reason: 'NameConflict' as const,
      message: 'x'.repeat(10_000),
    }));
    const { status, events } = decideDiscovery(seen({ report: { ...quiet, refused, news: refused }, isNews: true }), 0);
    assert.equal(status?.skippedHosts, 5000);
    assert.equal(status?.skipped?.length, 20);
    assert.ok(JSON.stringify(status).length < 12_000);
    assert.ok(events?.every(({ message }) => message.length <= 1000));
    assert.equal(conditionOf(status?.conditions, 'NameConflict')?.status, 'True');
  });

  it('says which limit holds machines back, and how many hosts nobody uses', () => {
    const reasonOf = (report: Partial<Report>) => {
      const { status } = decideDiscovery(seen({ report: { ...quiet, ...report } }), 0);
      return [conditionOf(status?.conditions, 'Throttled')?.reason, status?.unusedHosts];
    };
    assert.deepEqual(reasonOf({ unused: 7 }), ['WithinLimit', 7]);
    assert.deepEqual(reasonOf({ throttled: 1 }), ['RateLimited', 0]);
    assert.deepEqual(reasonOf({ throttled: 1, throttledBy: 'unused', unused: 2000 }), ['TooManyUnused', 2000]);
  });

  it('does nothing while it is paused or goes', () => {
    const paused = decideDiscovery(seen({ object: aDiscovery('d', { paused: true }), report: undefined }), 0);
    assert.equal(conditionOf(paused.status?.conditions, 'Ready')?.reason, 'Paused');
    assert.deepEqual([paused.effects, paused.wake], [[], { on: 'change' }]);
    const object = aDiscovery('d');
    object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const going = decideDiscovery(seen({ object }), 0);
    assert.deepEqual([going.effects, going.status], [[], undefined]);
  });
});
