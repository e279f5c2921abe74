import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmwareStatus } from '../../api/index.ts';
import { conditionOf } from '../conditions.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer } from './decide-server.ts';

const now = Date.UTC(2030, 0, 1);
const agoText = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace('.000', '');

/** A scan that was asked for so many seconds ago, and waits with such a reason. */
function scanAsked(secondsAgo: number, reason: string) {
  const lastTransitionTime = agoText(600);
  const status: ServerFirmwareStatus = {
    request: { kind: 'Scan', jobID: 'j1', time: agoText(secondsAgo) },
    conditions: [{ type: 'Progressing', status: 'True', reason, message: 'no worker', lastTransitionTime }],
  };
  return decideServer(seenOf(aFirmware({}, { status })), now);
}

const scans = ({ effects }: ReturnType<typeof decideServer>) => effects.filter(({ kind }) => kind === 'scan').length;

test('a request that waits for a worker is made again every minute', () => {
  const waiting = scanAsked(30, 'NoWorker');
  assert.deepEqual([scans(waiting), waiting.wake], [0, { after: 60_000 }]);
  assert.equal(conditionOf(waiting.status?.conditions, 'Progressing')?.reason, 'NoWorker');
  assert.equal(scans(scanAsked(61, 'NoWorker')), 1);
});

test('a request that has a worker waits for its result', () => {
  const running = scanAsked(61, 'ScanRequested');
  assert.deepEqual([scans(running), running.wake], [0, { on: 'change' }]);
});
