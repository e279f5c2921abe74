import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type FaultRule, personalityNames } from '../../../simulator/index.ts';
import type { Condition, JsonObject } from '../../engine/index.ts';
import { sleep } from '../../kube/index.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';
import { type InstallState, installTable, unsafeStates } from './install-table.ts';
import { defaultInstallSettings } from './settings.ts';
import { cancelledRestoreMs, resumeGraceMs, stateLimitMs } from './state-deadline.ts';

const minute = 60_000;
const hour = 60 * minute;
const cancel: Condition['cancel'] = { at: 0, isForced: false, by: 'operator' };
const states = installTable.states.filter((state) => !installTable.final.includes(state as never));

/** How a BMC is lost for good. */
const losses: Readonly<Record<string, FaultRule>> = {
  'is gone': { kind: 'connection-reset', moment: 'before-reading' },
  hangs: { kind: 'slow-answer', durationMs: 365 * 24 * 60 * minute },
  'answers 503': { kind: 'busy' },
};

/** What is left of the state, one more that asks the BMC in vain, and the power that cannot be restored. */
function boundMs(state: InstallState): number {
  const limit = (one: InstallState) => stateLimitMs(one, defaultInstallSettings);
  return limit(state) + limit('rechecking') + limit('restoring-power') + resumeGraceMs;
}

type Order = ReturnType<FlasherRig['order']>;

/** An install whose worker died while its second step was at the image: all that any state needs is there. */
async function beginInstall(rig: FlasherRig): Promise<Order> {
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const first = await rig.process(order, { mortal: createMortal((what) => what === 'stored following') });
  assert.equal(first.outcome, 'killed', JSON.stringify(first));
  return order;
}

/** As if the worker had died in that state, `agoMs` after it came to it. */
function putIn(order: Order, state: InstallState, since: number): void {
  const stored = order.progress as { actions: JsonObject[] };
  const [action] = stored.actions;
  order.progress = {
    ...order.progress,
    state,
    since,
    actions: [{ ...action, reset: { what: 'host', count: 1, isDone: false }, cures: ['reset-bmc'] }],
  };
  order.isCancelUnsafe = unsafeStates.includes(state);
}

/** Numbers in [0, 1). */
function drawer(seed: number): () => number {
  const numbers = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { numRuns: 200, seed });
  return () => numbers.pop() ?? 0.5;
}

function judge(end: ProcessEnd, order: Order, story: string): void {
  assert.notEqual(end.outcome, 'killed', story);
  if (end.outcome !== 'failed') {
    assert.equal(end.outcome, 'succeeded', story);
    return;
  }
  assert.match(end.reason.code, /^[A-Z][A-Za-z]+$/, story);
  assert.ok(end.reason.message.length > 20, story);
  const [action] = order.progress.actions as unknown as readonly {
    isUnsettled?: boolean;
    mayBeWritingUntil?: number;
  }[];
  if (action?.isUnsettled === true) assert.match(end.reason.message, /may still be writing it until \d{4}-/, story);
}

for (const [at, state] of states.entries()) {
  const personality = personalityNames[at % personalityNames.length] ?? 'dell-idrac9';
  const random = drawer(20 + at);
  for (const [name, fault] of Object.entries(losses)) {
    test(`${state}: an install whose BMC ${name} there ends within its bound, in one worker and in many that die`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const order = await beginInstall(rig);
      const began = await rig.within(async ({ clock }) => clock.now());
      putIn(order, state, began - Math.floor(random() * 20 * minute));
      rig.setFaults([fault]);
      const story = () => `${personality} ${JSON.stringify(order.statuses.at(-1), null, 1)}`;
      let end: ProcessEnd = { outcome: 'killed' };
      // Every other install is killed, as often as an engine lets that happen.
      for (let life = at % 2 === 0 ? 1 : 10; life > 0 && end.outcome === 'killed'; life -= 1) {
        end = await rig.process(order, life === 1 ? {} : { mortal: createMortal(1 + Math.floor(random() * 8)) });
        if (end.outcome === 'killed') await rig.within(({ clock }) => sleep(clock, 15 * minute * random()));
      }
      const tookMs = (await rig.within(async ({ clock }) => clock.now())) - began;
      judge(end, order, story());
      assert.ok(tookMs <= boundMs(state), `${tookMs / minute} minutes; ${story()}`);
    });
  }

  for (const [name, fault] of Object.entries(losses)) {
    test(`${state}: a cancel of an install whose BMC ${name} there works at the next safe point`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const order = await beginInstall(rig);
      const began = await rig.within(async ({ clock }) => clock.now());
      putIn(order, state, began);
      rig.setFaults([fault]);
      order.cancel = undefined;
      let cancelledAt = 0;
      const mortal = createMortal();
      const asked = 1 + Math.floor(random() * 3);
      const watched = {
        ...mortal,
        moment(what: string) {
          mortal.moment(what);
          if (mortal.moments.length !== asked) return;
          cancelledAt = nowOf();
          order.cancel = { ...cancel, at: cancelledAt };
        },
      };
      let nowOf = (): number => began;
      const end = await rig.process(order, {
        mortal: watched,
        onLease: (work) => {
          nowOf = () => work.now();
        },
      });
      const endedAt = await rig.within(async ({ clock }) => clock.now());
      const story = `${personality} ${JSON.stringify(end, null, 1)}`;
      judge(end, order, story);
      assert.ok(cancelledAt > 0, story);
      const safeMs = unsafeStates.includes(state) ? boundMs(state) : cancelledRestoreMs + 5 * minute;
      assert.ok(endedAt - cancelledAt <= safeMs, `${(endedAt - cancelledAt) / minute} minutes; ${story}`);
    });
  }
}

for (const [at, personality] of personalityNames.entries()) {
  for (const [name, fault] of Object.entries(losses)) {
    test(`${personality}: an install whose BMC ${name} at any moment ends, and writes no image twice`, async (context) => {
      const random = drawer(400 + at);
      for (let round = 0; round < 4; round += 1) {
        await context.test(`round ${round}`, async (inner) => {
          const rig = await startFlasherRig(inner, personality, { arePoweredOn: round % 2 === 0, seed: 10 + round });
          const firmwares = [await rig.release('bmc'), await rig.release('bios')];
          const order = rig.order({ firmwares, doesResetBmcFirst: round === 0 });
          const afterMs = Math.floor(random() * 25 * minute);
          rig.setFaults([{ ...fault, afterMs }]);
          let end: ProcessEnd = { outcome: 'killed' };
          for (let lives = 10; lives > 0 && end.outcome === 'killed'; lives -= 1) {
            const diesAfterMs = 5 * minute + random() * hour;
            end = await rig.process(order, lives === 1 || round < 2 ? {} : { diesAfterMs });
          }
          const tookMs = (await rig.within(async ({ clock }) => clock.now())) - Date.UTC(2026, 0, 1);
          const story = `lost after ${afterMs / minute} minutes, over after ${tookMs / minute}: ${JSON.stringify(end, null, 1)}`;
          judge(end, order, story);
          assert.ok(tookMs <= afterMs + boundMs('following'), story);
          assert.equal(new Set(rig.flashes()).size, rig.flashes().length, story);
        });
      }
    });
  }
}
