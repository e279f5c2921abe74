import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmwareStatus } from '../../api/index.ts';
import { mergeServerReport, type ServerReport } from '../reports/merge-report.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer } from './decide-server.ts';

const now = Date.UTC(2030, 0, 1);
const known: ServerFirmwareStatus = {
  lastScanTime: new Date(now - 60_000).toISOString(),
  firmwares: [fw('ssd', '1.0')],
};

const update: ServerReport = {
  ...{ server: 'foo', kind: 'Update', conditionId: 'u1', store: 'a', sequence: 1, at: now },
  failure: { reason: 'NotVerified', message: 'the old version is back' },
  isOutdated: true,
};
const scan = { server: 'foo', kind: 'Scan', conditionId: 's1', store: 'a', sequence: 2, at: now + 5000 } as const;

const decide = (status: ServerFirmwareStatus, at: number) =>
  decideServer(seenOf(aFirmware({ firmwares: [fw('ssd', '2.0')] }, { status })), at);

const scannedOf = (status: ServerFirmwareStatus | undefined) =>
  status?.conditions?.find(({ type }) => type === 'Scanned');

for (const reason of ['NotVerified', 'Cancelled', 'DeadlinePassed', 'Unrunnable']) {
  test(`after an update that ended with ${reason} the versions are shown as of before it, and the server is read before anything is asked for`, () => {
    const failure = { reason, message: 'it ended' };
    const status = mergeServerReport({ status: known }, { ...update, failure }) ?? assert.fail();
    assert.deepEqual(status.outdated, { since: '2030-01-01T00:00:00Z', jobID: 'u1' });
    const decision = decide(status, now);
    assert.deepEqual(
      decision.effects.map(({ kind }) => kind).filter((kind) => kind === 'scan' || kind === 'update'),
      ['scan'],
    );
    const { status: value, reason: why, message } = scannedOf(decision.status) ?? assert.fail();
    assert.deepEqual([value, why], ['False', 'OutOfDate']);
    assert.match(
      message,
      /last read at .*, before the update u1 that ended at 2030-01-01T00:00:00Z; they are read again/,
    );
  });
}

test('the doubt goes with the first reading after it, and not with one that failed', () => {
  const outdated = mergeServerReport({ status: known }, update) ?? assert.fail();
  const failed = { ...scan, failure: { reason: 'BmcUnreachable', message: 'no route' } };
  const unread = mergeServerReport({ status: outdated }, failed) ?? assert.fail();
  assert.deepEqual(unread.outdated, outdated.outdated);
  assert.match(scannedOf(decide(unread, now + 6000).status)?.message ?? '', /before the update u1 .*1 scans failed/);
  const read = mergeServerReport({ status: unread }, { ...scan, sequence: 3, installed: [fw('ssd', '2.0')] });
  assert.equal(read?.outdated, undefined);
  assert.equal(scannedOf(decide(read ?? {}, now + 6000).status)?.reason, 'WithinThreshold');
});

test('an update whose worker has read the server leaves no doubt', () => {
  const { isOutdated: _, ...report } = update;
  const status = mergeServerReport({ status: known }, { ...report, installed: [fw('ssd', '1.0')] });
  assert.equal(status?.outdated, undefined);
});
