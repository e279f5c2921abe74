import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSteppedClock, type FaultRule } from '../../../simulator/index.ts';
import type { JsonObject, Work, WorkHandler, WorkOutcome } from '../../engine/index.ts';
import { sleep } from '../../kube/index.ts';
import { flasherHandlers } from '../create-flasher.ts';
import { leaseWork, storeWork } from '../testing/fake-work.ts';
import { type FlasherRig, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';
import type { HandlerContext } from './ports.ts';
import { withinTime } from './within-time.ts';

const minute = 60_000;
const hour = 60 * minute;

const kinds: readonly { readonly kind: string; readonly parameters: JsonObject; readonly withinMs: number }[] = [
  { kind: 'inventoryOOB', parameters: {}, withinMs: hour },
  { kind: 'powerOn', parameters: {}, withinMs: 4 * hour },
  { kind: 'powerOff', parameters: {}, withinMs: 4 * hour },
  { kind: 'powerCycleHard', parameters: {}, withinMs: 4 * hour },
  { kind: 'powerCycleSoft', parameters: {}, withinMs: 4 * hour },
  { kind: 'biosControl', parameters: { action: 'reset_config', reset_host: true }, withinMs: 6 * hour },
  { kind: 'serverControl', parameters: { action: 'power_cycle_bmc' }, withinMs: 4 * hour },
  { kind: 'virtualMediaMount', parameters: { mount_image: 'http://127.0.0.1/a.iso' }, withinMs: hour },
];

const brief = ['inventoryOOB', 'powerOn', 'virtualMediaMount'];

const losses: Readonly<Record<string, FaultRule>> = {
  'is gone': { kind: 'connection-reset', moment: 'before-reading' },
  hangs: { kind: 'slow-answer', durationMs: 365 * 24 * hour },
  'answers 503': { kind: 'busy' },
};

/** One worker's part; what it throws in passing would be tried again by the next. */
async function life(rig: FlasherRig, stored: ReturnType<typeof storeWork>): Promise<WorkOutcome | undefined> {
  return await rig.within(async (base) => {
    const mortal = createMortal();
    const inventorySink = { write: async () => {} };
    const handler = flasherHandlers({ ...base, inventorySink } as HandlerContext)[stored.kind] as WorkHandler;
    try {
      return await handler(leaseWork(stored, { mortal, clock: base.clock }));
    } catch (error) {
      assert.ok(error instanceof Error && 'retry' in error, String(error));
      return error.retry === 'transient'
        ? undefined
        : { outcome: 'failed', reason: { code: 'X', message: error.message } };
    }
  });
}

for (const { kind, parameters, withinMs } of kinds) {
  for (const [name, fault] of Object.entries(losses)) {
    test(`${kind}: work at a BMC that ${name} ends within its time`, async (context) => {
      const rig = await startFlasherRig(context, 'supermicro-x12');
      const stored = storeWork({ kind, parameters });
      const began = await rig.within(async ({ clock }) => clock.now());
      // What is over at once has the loss from the beginning.
      rig.setFaults([brief.includes(kind) ? fault : { ...fault, afterMs: 1 }]);
      let end: WorkOutcome | undefined;
      for (let lives = 1; lives <= 5 && end === undefined; lives += 1) {
        end = await life(rig, stored);
        await rig.within(({ clock }) => sleep(clock, 5 * minute));
      }
      const tookMs = (await rig.within(async ({ clock }) => clock.now())) - began;
      assert.notEqual(end?.outcome, 'succeeded', JSON.stringify(end));
      assert.ok(tookMs <= withinMs + hour, `${tookMs / minute} minutes: ${JSON.stringify(end)}`);
    });
  }
}

test('work that hangs for good ends with its time, and says so', async () => {
  const clock = createSteppedClock();
  const stored = storeWork({ kind: 'powerOn', parameters: {} });
  const hangs = withinTime(hour, () => new Promise(() => {}), { clock });
  const done = hangs(leaseWork(stored, { mortal: createMortal(), clock }));
  await clock.advance(61 * minute);
  const end = await done;
  assert.ok(end.outcome === 'failed');
  assert.deepEqual(end.reason, {
    code: 'Timeout',
    message: 'powerOn was not over after 60 minutes: see its last message',
  });
  clock.close();
});

test('the time of work goes on while it goes from worker to worker, and none may act after it', async () => {
  const clock = createSteppedClock();
  const stored = storeWork({ kind: 'powerOn', parameters: {} });
  const works: Work[] = [];
  const handler = withinTime(
    hour,
    async (work) => {
      works.push(work);
      await work.report({ progress: { askedAt: 1 } });
      await work.pause(25 * minute);
      await work.report({ status: { message: 'still there' } });
      return { outcome: 'released', why: 'the worker stops' };
    },
    { clock },
  );
  const outcomes: string[] = [];
  for (let lives = 1; lives <= 3; lives += 1) {
    const done = handler(leaseWork(stored, { mortal: createMortal(), clock }));
    await clock.advance(25 * minute);
    outcomes.push((await done).outcome);
  }
  assert.deepEqual(outcomes, ['released', 'released', 'failed']);
  assert.deepEqual(stored.progress, { askedAt: 1, startedAt: clock.now() - 75 * minute });
  const last = works.at(-1);
  assert.ok(last);
  await assert.rejects(last.report({ progress: {} }), /was not over/);
  await assert.rejects(last.check(), /was not over/);
  clock.close();
});
