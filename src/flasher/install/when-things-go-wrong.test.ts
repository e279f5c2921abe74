import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultRule, type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import type { FirmwareComponent } from '../../parts/index.ts';
import { startFlasherRig } from '../testing/flasher-rig.ts';

/** A fault and what it may come to. */
interface Case {
  readonly fault: FaultRule;
  readonly component?: FirmwareComponent;
  /** Codes of failures that are right too; it must succeed where there are none. */
  readonly mayFailWith?: readonly string[];
  readonly personalities?: readonly PersonalityName[];
  /** How often one slot may be written. */
  readonly mostFlashes?: number;
}

const minute = 60_000;

const cases: readonly Case[] = [
  { fault: { kind: 'flash-hangs' }, mayFailWith: ['Timeout'] },
  { fault: { kind: 'task-completed-critical' }, mayFailWith: ['TaskFailed', 'NotInstalled'], mostFlashes: 3 },
  { fault: { kind: 'task-completed-critical', times: 1 }, mostFlashes: 2 },
  { fault: { kind: 'task-vanishes' } },
  { fault: { kind: 'task-vanishes' }, component: 'bmc' },
  { fault: { kind: 'version-stays' }, mayFailWith: ['NotInstalled'] },
  { fault: { kind: 'version-stays' }, component: 'bmc', mayFailWith: ['NotInstalled'] },
  { fault: { kind: 'unreachable-after-flash', durationMs: 10 * minute }, component: 'bmc' },
  { fault: { kind: 'unauthorized-while-updating' }, component: 'bmc' },
  { fault: { kind: 'busy', rate: 0.2 } },
  { fault: { kind: 'busy', method: 'POST', path: '*ComputerSystem.Reset', times: 2 }, personalities: ['hpe-ilo5'] },
  { fault: { kind: 'busy', method: 'POST', path: '*Update*', times: 2 }, personalities: ['hpe-ilo5', 'hpe-ilo6'] },
  { fault: { kind: 'slow-answer', rate: 0.2, durationMs: 20_000 } },
  { fault: { kind: 'connection-reset', rate: 0.1 } },
  { fault: { kind: 'connection-reset', method: 'POST', path: '*pdate*', moment: 'after-acting', times: 1 } },
  { fault: { kind: 'connection-reset', method: 'POST', path: '*pdate*', moment: 'before-reading', times: 1 } },
  { fault: { kind: 'connection-reset', method: 'POST', path: '*Reset*', moment: 'after-acting', times: 2 } },
  { fault: { kind: 'truncated-json', rate: 0.1 } },
  { fault: { kind: 'malformed-json', rate: 0.1 } },
  { fault: { kind: 'wrong-content-type', rate: 0.2 } },
  { fault: { kind: 'session-expired', rate: 0.1 } },
  { fault: { kind: 'sessions-exhausted', times: 3 } },
  { fault: { kind: 'wrong-inventory', rate: 0.3 }, mayFailWith: ['NotInstalled'] },
  { fault: { kind: 'host-stays-down', durationMs: 20 * minute, times: 1 } },
  {
    fault: { kind: 'host-stays-down', durationMs: 20 * minute },
    mayFailWith: ['NotInstalled', 'Timeout', 'NotActivated', 'PowerNotRestored'],
  },
  { fault: { kind: 'image-download-fails', times: 1 }, personalities: ['hpe-ilo5'] },
  { fault: { kind: 'clock-off' } },
];

for (const [at, one] of cases.entries()) {
  const two = [personalityNames[at % 6], personalityNames[(at + 3) % 6]].filter((each) => each !== undefined);
  for (const personality of one.personalities ?? two) {
    const { fault, component = 'bios', mayFailWith = [], mostFlashes = 1 } = one;
    const { kind, ...how } = fault;
    test(`${personality}: ${kind} ${JSON.stringify(how)} while ${component} is installed`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const firmware = await rig.release(component);
      rig.setFaults([fault]);
      const end = await rig.process(rig.order({ firmwares: [firmware] }));
      const story = `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
      if (end.outcome === 'failed') {
        assert.ok(mayFailWith.includes(end.reason.code), story);
        assert.ok(end.reason.message.length > 20, story);
      } else {
        assert.equal(end.outcome, 'succeeded', story);
        assert.equal(rig.versionOf(component), firmware.version, story);
      }
      const counts = [...Map.groupBy(rig.flashes(), (slot) => slot).values()].map(({ length }) => length);
      assert.ok(Math.max(0, ...counts) <= mostFlashes, story);
      const [action] = ((('status' in end ? end.status : undefined) ?? {}) as JsonObject).actions as JsonObject[];
      const isOfPower = end.outcome === 'failed' && end.reason.code === 'PowerNotRestored';
      assert.equal(action?.state, isOfPower ? 'succeeded' : end.outcome, story);
    });
  }
}

test('a ROM that an earlier install wrote and could not bring to run is found by a restart, and not written again', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  const firmwares = [await rig.release('bios')];
  rig.setFaults([{ kind: 'busy', method: 'POST', path: '*ComputerSystem.Reset' }]);
  const first = await rig.process(rig.order({ firmwares }));
  assert.equal(first.outcome, 'failed', JSON.stringify(first));
  rig.setFaults([]);
  const second = await rig.process(rig.order({ firmwares }));
  assert.equal(second.outcome, 'succeeded', `${JSON.stringify(second)}\n${rig.machine.log.text()}`);
  assert.equal(rig.versionOf('bios'), firmwares[0]?.version);
  assert.equal(rig.flashes().length, 1);
});
