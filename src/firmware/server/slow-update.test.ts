import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmwareStatus } from '../../api/index.ts';
import { mergeServerReport } from '../reports/merge-report.ts';
import { defaultFirmwareSettings } from '../settings.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer } from './decide-server.ts';

const start = Date.UTC(2030, 0, 1);
const minute = 60_000;
const slowMs = defaultFirmwareSettings.resendAfterMs + minute;
const failure = { reason: 'FlashFailed', message: 'no.' };

/** A server whose requests are taken as they are asked for; jobs report when the test says so. */
function aSlowServer() {
  let firmware = aFirmware({ firmwares: [fw('ssd', '2.0')] });
  let now = start;
  let [jobs, sequence] = [0, 0];
  return {
    get status(): ServerFirmwareStatus {
      return firmware.status ?? {};
    },
    pass(ms: number) {
      now += ms;
    },
    /** What is asked for, in words; `jobId` is what it is taken as. */
    look({ jobId = `job-${++jobs}` }: { readonly jobId?: string } = {}): string[] {
      const { effects, status } = decideServer(seenOf(firmware), now);
      const { request } = status ?? {};
      const isSent = effects.some(({ kind }) => kind === 'scan' || kind === 'update');
      firmware = {
        ...firmware,
        status: { ...status, ...(isSent && request !== undefined ? { request: { ...request, jobID: jobId } } : {}) },
      };
      return effects.map(({ kind }) => kind).filter((kind) => !kind.endsWith('bios'));
    },
    report(conditionId: string, kind: 'Scan' | 'Update', more: object = {}) {
      const shared = { server: 'foo', kind, conditionId, store: 'a', sequence: ++sequence, at: now };
      const status = mergeServerReport(firmware, { ...shared, installed: [fw('ssd', '1.0')], ...more });
      if (status !== undefined) firmware = { ...firmware, status };
    },
  };
}

/** Its update takes so long that a scan is asked for in between. */
function outlast(server: ReturnType<typeof aSlowServer>, job: string): void {
  server.pass(slowMs);
  assert.deepEqual(server.look({ jobId: `scan-during-${job}` }), ['scan']);
}

test('updates that fail after a scan took the place of their request count, and the third is the last', () => {
  const server = aSlowServer();
  server.look({ jobId: 'first' });
  server.report('first', 'Scan');
  for (const job of ['u1', 'u2', 'u3']) {
    assert.deepEqual(server.look({ jobId: job }), ['update'], job);
    outlast(server, job);
    server.report(job, 'Update', { failure });
    server.report(`scan-during-${job}`, 'Scan');
    assert.equal(server.status.openUpdate, undefined);
    server.look({ jobId: 'none' });
    server.pass(5 * minute);
  }
  assert.equal(server.status.attempts?.failed, 3);
  assert.deepEqual(server.look(), []);
  assert.equal(server.status.conditions?.find(({ type }) => type === 'Stalled')?.status, 'True');
});

test('a scan in between asks for the same update again: it is one, and counted once', () => {
  const server = aSlowServer();
  server.look({ jobId: 'first' });
  server.report('first', 'Scan');
  server.look({ jobId: 'u1' });
  outlast(server, 'u1');
  server.report('scan-during-u1', 'Scan');
  assert.equal(server.status.openUpdate?.jobID, 'u1');
  // The update service says that it is under way.
  assert.deepEqual(server.look({ jobId: 'u1' }), ['update']);
  server.report('u1', 'Update', { failure });
  server.look();
  assert.deepEqual([server.status.attempts?.failed, server.status.openUpdate], [1, undefined]);
});

test('a slow update that ended well and changed nothing counts too, and a cancelled one does not', () => {
  for (const [more, failed] of [
    [{}, 1],
    [{ failure: { ...failure, reason: 'Cancelled' } }, undefined],
  ] as const) {
    const server = aSlowServer();
    server.look({ jobId: 'first' });
    server.report('first', 'Scan');
    server.look({ jobId: 'u1' });
    outlast(server, 'u1');
    server.report('u1', 'Update', more);
    server.look();
    assert.equal(server.status.attempts?.failed, failed);
    assert.equal(server.status.openUpdate, undefined);
  }
});
