import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Firmware, ServerFirmwareStatus } from '../../api/index.ts';
import { mergeServerReport } from '../reports/merge-report.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, seenOf } from '../testing/server-seen.ts';
import { decideServer, type ServerEffect } from './decide-server.ts';

const start = Date.UTC(2030, 0, 1);
const minute = 60_000;

const entries = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('ssd', 'nic', 'gpu'), version: fc.constantFrom('1.0', '2.0', '3.0') }),
  { selector: ({ name }) => name, maxLength: 3 },
);
/** A server has a part of each class: what applies to no part is never asked for. */
const installedParts = fc
  .array(fc.constantFrom('1.0', '2.0', '3.0'), { minLength: 3, maxLength: 3 })
  .map((versions) => ['ssd', 'nic', 'gpu'].map((name, at) => ({ name, version: versions[at] ?? '1.0' })));
const toFirmwares = (list: readonly { name: string; version: string }[]): Firmware[] =>
  list.map(({ name, version }) => fw(name, version));

/** A world in which requests are taken and jobs run: each step decides, writes the status, and lets an open job end. */
function play(wanted: Firmware[], installed: Firmware[], isBroken: (attempt: number) => boolean) {
  let firmware = aFirmware({ firmwares: wanted });
  const server = aServer();
  let now = start;
  let [sequence, updates] = [0, 0];
  const sent: ServerEffect[] = [];
  const onMachine = new Map(installed.map((each) => [each.name, each]));
  for (let step = 0; step < 60; step++) {
    const decision = decideServer(seenOf(firmware, { server }), now);
    const request = decision.effects.find(({ kind }) => kind === 'scan' || kind === 'update');
    let status = decision.status as ServerFirmwareStatus;
    const jobId = `job-${sequence}`;
    if (request !== undefined && status.request !== undefined)
      status = { ...status, request: { ...status.request, jobID: jobId } };
    firmware = { ...firmware, status };
    if (request !== undefined) {
      sent.push(request);
      now += minute;
      const isFailed = request.kind === 'update' && isBroken(updates++);
      if (request.kind === 'update' && !isFailed)
        for (const each of request.request.firmwares) onMachine.set(each.name, each);
      const merged = mergeServerReport(firmware, {
        server: 'foo',
        kind: request.kind === 'scan' ? 'Scan' : 'Update',
        conditionId: jobId,
        store: 'a',
        sequence: ++sequence,
        at: now,
        installed: [...onMachine.values()],
        ...(isFailed ? { failure: { reason: 'Broken', message: 'broken.' } } : {}),
      });
      firmware = { ...firmware, status: merged ?? status };
      continue;
    }
    if (!('after' in decision.wake) || decision.wake.after > 25 * minute)
      return { firmware, sent, now, decision, onMachine };
    now += decision.wake.after;
  }
  return assert.fail('it never came to rest');
}

test('whatever is wanted and installed, it comes to rest with everything installed and then asks for nothing', () => {
  fc.assert(
    fc.property(entries, installedParts, (wanted, installed) => {
      const { decision, onMachine, sent } = play(toFirmwares(wanted), toFirmwares(installed), () => false);
      assert.deepEqual(decision.effects, []);
      for (const { name, version } of wanted) assert.equal(onMachine.get(name)?.version, version);
      assert.ok(sent.filter(({ kind }) => kind === 'update').length <= 1);
    }),
  );
});

test('whatever fails, at most three updates of one list are sent, and it rests either as wanted or stalled', () => {
  fc.assert(
    fc.property(
      entries,
      installedParts,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      (wanted, installed, faults) => {
        const { decision, sent } = play(
          toFirmwares(wanted),
          toFirmwares(installed),
          (attempt) => faults[attempt] ?? true,
        );
        assert.ok(sent.filter(({ kind }) => kind === 'update').length <= 3);
        const conditions = decision.status?.conditions ?? [];
        const isTrue = (type: string): boolean =>
          conditions.some((each) => each.type === type && each.status === 'True');
        if (wanted.length === 0) assert.ok(!isTrue('UpToDate') && !isTrue('Stalled'));
        else assert.ok(isTrue('UpToDate') !== isTrue('Stalled'));
      },
    ),
  );
});

test('a decision that is written down and made again at the same moment is the same and does nothing new', () => {
  fc.assert(
    fc.property(entries, installedParts, fc.integer({ min: 0, max: 40 }), (wanted, installed, minutes) => {
      const lastScanTime = new Date(start - minutes * minute).toISOString();
      const first = aFirmware(
        { firmwares: toFirmwares(wanted) },
        { status: { lastScanTime, firmwares: toFirmwares(installed) } },
      );
      const one = decideServer(seenOf(first), start);
      const two = decideServer(seenOf({ ...first, status: one.status as ServerFirmwareStatus }), start);
      assert.deepEqual(two.status, one.status);
      assert.deepEqual(two.effects, []);
    }),
  );
});
