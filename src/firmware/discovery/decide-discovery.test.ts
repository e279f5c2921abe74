import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiscoveredFirmwareStatus, ironcoreApiVersion } from '../../api/index.ts';
import { checkTable, type Wake } from '../../kube/index.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { textOfMoment } from '../times.ts';
import { decideDiscovery } from './decide-discovery.ts';
import { discoveryTable } from './discovery-table.ts';

const now = Date.UTC(2030, 0, 1);
const hour = 3_600_000;
const ago = (hours: number): string => textOfMoment(now - hours * hour);
const change: Wake = { on: 'change' };

test('the table has no holes and no dead ends', () => {
  assert.deepEqual(checkTable(discoveryTable), []);
});

const cases: [string, DiscoveredFirmwareStatus, string | undefined, number, Wake][] = [
  ['discovery that never ran is asked for', {}, undefined, 1, change],
  [
    'within the interval it looks again exactly when the interval ends',
    { lastDiscoveryTime: ago(20) },
    undefined,
    0,
    { after: 4 * hour },
  ],
  ['at the end of the interval it is asked for', { lastDiscoveryTime: ago(24) }, undefined, 1, change],
  [
    'one that is under way is not asked for again',
    { request: { kind: 'Discovery', jobID: 'j', time: ago(0.5) } },
    undefined,
    0,
    change,
  ],
  [
    'one that nobody reported on for long is',
    { request: { kind: 'Discovery', jobID: 'j', time: ago(1) } },
    undefined,
    1,
    change,
  ],
  ['after a failure it waits', { failedRuns: { failed: 1, lastFailureTime: ago(0) } }, undefined, 0, { after: 60_000 }],
  [
    'a failure in a far future was a wrong clock, and counts as of now',
    { failedRuns: { failed: 1, lastFailureTime: '2099-01-01T00:00:00Z' } },
    undefined,
    0,
    { after: 60_000 },
  ],
  ['a second object about a model does nothing', {}, 'first', 0, change],
];
for (const [what, status, duplicateOf, effects, wake] of cases) {
  test(what, () => {
    const spec = { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: '24h', versionsToStore: 3 };
    const object = {
      apiVersion: ironcoreApiVersion,
      kind: 'DiscoveredFirmware',
      metadata: { name: 'd', generation: 1 },
      spec,
      status,
    } as const;
    const decision = decideDiscovery({ object, duplicateOf, settings }, now);
    assert.deepEqual([decision.effects.length, decision.wake], [effects, wake]);
    const again = decideDiscovery({ object: { ...object, status: decision.status ?? {} }, duplicateOf, settings }, now);
    assert.deepEqual([again.effects, again.status], [[], decision.status]);
  });
}

test('when fewer versions are to be stored than were found, the newest are kept at once', () => {
  const versions = ['1', '2', '3'];
  const spec = { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: '24h', versionsToStore: 2 };
  const status = {
    lastDiscoveryTime: ago(1),
    bios: { versions },
    firmwares: [{ name: 'nic', manufacturer: 'Intel', version: versions, versions }],
  };
  const metadata = { name: 'd', generation: 2 };
  const object = { apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata, spec, status } as const;
  const decision = decideDiscovery({ object, duplicateOf: undefined, settings }, now);
  const newest = ['2', '3'];
  assert.deepEqual(decision.status?.bios, { versions: newest });
  assert.deepEqual(decision.status?.firmwares, [
    { name: 'nic', manufacturer: 'Intel', version: newest, versions: newest },
  ]);
  assert.deepEqual(decision.effects, []);
});

test('an interval of ages, which nobody refused, is no reason to give up', () => {
  const spec = { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: `${'9'.repeat(40)}h` };
  const object = { apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata: { name: 'd' }, spec } as const;
  const status = { lastDiscoveryTime: ago(20) };
  const { effects, state } = decideDiscovery({ object: { ...object, status }, duplicateOf: undefined, settings }, now);
  assert.deepEqual([effects, state], [[], 'Idle']);
});
