import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmwareStatus } from '../../api/index.ts';
import { mergeServerReport, type ServerReport } from '../reports/merge-report.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer } from './decide-server.ts';

const start = Date.UTC(2030, 0, 1);
const hour = 3_600_000;

/** A server whose every scan is answered within a second, with what is given, for an hour; says how often it was scanned. */
function scanForAnHour(before: ServerFirmwareStatus, answer: Partial<ServerReport>) {
  let [status, now, scans] = [before, start, 0];
  const conditions: string[] = [];
  while (now < start + hour) {
    const decision = decideServer(seenOf(aFirmware({ firmwares: [fw('ssd', '1.0')] }, { status })), now);
    status = decision.status ?? {};
    for (const { type, reason } of status.conditions ?? []) if (type === 'Scanned') conditions.push(reason);
    if (decision.effects.some(({ kind }) => kind === 'scan')) {
      scans += 1;
      const [conditionId, request] = [`job-${scans}`, status.request ?? assert.fail()];
      status = { ...status, request: { ...request, jobID: conditionId } };
      now += 1000;
      const report = { server: 'foo', kind: 'Scan', conditionId, store: 'a', sequence: scans, at: now } as const;
      status = mergeServerReport({ status }, { ...report, ...answer }) ?? status;
      continue;
    }
    now += 'after' in decision.wake ? decision.wake.after : assert.fail('it waits for nothing');
  }
  return { status, scans, conditions };
}

const scanned = { lastScanTime: '2029-12-31T20:00:00Z', firmwares: [fw('ssd', '1.0')] };

test('scans that are answered and tell nothing newer are made more and more seldom, and the status says so', () => {
  const late = { ...scanned, report: { conditionID: 'x', store: 'a', sequence: 5000 } };
  for (const { status, scans, conditions } of [
    scanForAnHour(late, { installed: [fw('ssd', '9.9')] }),
    scanForAnHour(scanned, {}),
    scanForAnHour({}, {}),
  ]) {
    assert.ok(scans > 1 && scans <= 20, `${scans} scans in an hour`);
    assert.equal(status.failedScans?.failed, scans);
    assert.ok(conditions.includes('ScanFailed'));
  }
});

test('a scan with news forgets those without, and the next one is due when the threshold has passed', () => {
  const failedScans = { failed: 5, lastFailureTime: '2029-12-31T20:00:00Z' };
  const { status, scans } = scanForAnHour({ ...scanned, failedScans }, { installed: [fw('ssd', '1.0')] });
  assert.deepEqual([scans, status.failedScans], [2, undefined]);
});
