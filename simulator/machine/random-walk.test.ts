import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { fc } from '#fast-check';
import { type FaultRule, faultKinds } from '../faults/fault.ts';
import type { PlainChanges } from '../personalities/testing/plain-personality.ts';
import { readDetail } from './log-detail.ts';
import { SavedMachine } from './saved-machine.ts';
import { createPlainMachine, type PlainMachine, plainFile } from './testing/plain-machine.ts';

const minute = 60_000;

type Act =
  | {
      readonly act: 'update';
      readonly component: 'bmc' | 'bios' | 'nic' | 'psu';
      readonly version: number;
      readonly applyTime: string;
      readonly isPull: boolean;
    }
  | { readonly act: 'reset'; readonly type: string }
  | { readonly act: 'manager-reset' }
  | { readonly act: 'start' }
  | { readonly act: 'clear'; readonly isForced: boolean }
  | { readonly act: 'bios'; readonly cores: number }
  | { readonly act: 'log-in'; readonly password: string };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('update' as const),
      component: fc.constantFrom('bmc' as const, 'bios' as const, 'nic' as const, 'psu' as const),
      version: fc.integer({ min: 2, max: 4 }),
      applyTime: fc.constantFrom('Immediate', 'OnReset', 'OnStartUpdateRequest'),
      isPull: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('reset' as const),
      type: fc.constantFrom(
        'On',
        'ForceOff',
        'GracefulShutdown',
        'GracefulRestart',
        'ForceRestart',
        'PowerCycle',
        'PushPowerButton',
      ),
    }),
  },
  fc.record({ act: fc.constant('manager-reset' as const) }),
  fc.record({ act: fc.constant('start' as const) }),
  fc.record({ act: fc.constant('clear' as const), isForced: fc.boolean() }),
  fc.record({ act: fc.constant('bios' as const), cores: fc.integer({ min: 1, max: 64 }) }),
  fc.record({ act: fc.constant('log-in' as const), password: fc.constantFrom('secret', 'wrong') }),
);

const walks = fc.array(fc.record({ act: acts, waitMs: fc.nat(6 * minute) }), { maxLength: 30 });

const rules: fc.Arbitrary<PlainChanges> = fc.record({
  updateRules: fc.record({
    concurrency: fc.constantFrom('refuse' as const, 'queue' as const),
    flashesAtPost: fc.constantFrom([], ['bios' as const], ['bios' as const, 'nic' as const]),
    stagesBios: fc.boolean(),
    biosNeedsHostOff: fc.boolean(),
    bmcNeedsReset: fc.boolean(),
    doesImmediateReboot: fc.boolean(),
    hasVerifyTask: fc.boolean(),
  }),
  machineRules: fc.record({ losesTasksOnReset: fc.boolean(), hasLenientResets: fc.boolean() }),
});

const faults: fc.Arbitrary<readonly FaultRule[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...faultKinds), rate: fc.constantFrom(0.1, 0.3) }),
  { maxLength: 4 },
);

// Images are costly to make in comparison; a walk needs only a few.
const files = new Map<string, ReturnType<typeof plainFile>>();
for (const component of ['bmc', 'bios', 'nic', 'psu'] as const) {
  for (const version of [2, 3, 4])
    files.set(`${component}-${version}`, plainFile({ component, version: `${version}.0.0` }));
}

function fileOf(name: string): ReturnType<typeof plainFile> {
  const file = files.get(name);
  assert.ok(file !== undefined);
  return file;
}

function perform({ machine }: PlainMachine, act: Act): void {
  switch (act.act) {
    case 'update': {
      const name = `${act.component}-${act.version}`;
      const how = act.isPull
        ? { via: 'pull' as const, imageUri: `http://files/${name}` }
        : { via: 'push' as const, file: fileOf(name) };
      machine.updates.begin({ ...how, targets: [], applyTime: act.applyTime });
      return;
    }
    case 'reset':
      machine.power.reset(act.type);
      return;
    case 'manager-reset':
      machine.manager.reset('ForceRestart');
      return;
    case 'start':
      machine.updates.startUploaded();
      return;
    case 'clear':
      machine.updates.clearQueue({ isForced: act.isForced });
      return;
    case 'bios':
      machine.bios.stage({ Cores: act.cores });
      return;
    case 'log-in':
      if (machine.accounts.check('admin', act.password) === 'ok') machine.sessions.open('admin');
  }
}

function checkState({ machine }: PlainMachine): void {
  const { updates, tasks, sessions, power, personality } = machine;
  assert.ok(updates.all.filter((update) => update.phase === 'flashing').length <= 1, 'two flashes at once');
  const slots = updates.all
    .filter((update) => update.phase !== 'done' && update.phase !== 'failed')
    .flatMap((update) => update.slots);
  assert.equal(new Set(slots).size, slots.length, 'two updates of one slot');
  assert.ok(sessions.all.length <= personality.limits.sessions);
  assert.ok(tasks.all.filter((task) => task.endedAt !== undefined).length <= personality.limits.tasks);
  for (const task of tasks.all) {
    assert.ok(task.percent >= 0 && task.percent <= 100);
    assert.equal(task.percent === 100, task.state === 'Completed', `${task.state} ${task.percent}`);
  }
  assert.ok(power.state === 'On' || power.bootProgress === 'None');
}

/** What the log alone proves: flashes do not overlap, and a version changes only by a flash that went well. */
function checkLog({ machine }: PlainMachine): void {
  let open: string | undefined;
  const written = new Map<string, string>();
  const running = new Map(machine.firmware.map((slot) => [slot.slot, '1.0.0']));
  for (const { event, detail } of machine.log.events) {
    const fields = readDetail(detail);
    const slot = fields.slot ?? '';
    const version = fields.version ?? '';
    if (event === 'update.flash-begin') {
      assert.equal(open, undefined, `a flash of ${slot} began during one of ${open}`);
      assert.equal(fields.from, running.get(slot));
      open = slot;
    } else if (event === 'update.flash-end') {
      assert.equal(open, slot);
      open = undefined;
      if (fields.result === 'ok') written.set(slot, version);
    } else if (event === 'update.active') {
      assert.equal(written.get(slot), version, `${slot} runs ${version}, which was not written`);
      written.delete(slot);
      running.set(slot, version);
    }
  }
  for (const slot of machine.firmware) assert.equal(slot.version, running.get(slot.slot));
}

async function walk(order: {
  readonly steps: readonly { readonly act: Act; readonly waitMs: number }[];
  readonly personality: PlainChanges;
  readonly faults: readonly FaultRule[];
  readonly seed: number;
}): Promise<PlainMachine> {
  const plain = createPlainMachine({ ...order, download: async (uri) => fileOf(uri.slice('http://files/'.length)) });
  for (const { act, waitMs } of order.steps) {
    // A BMC that is away cannot be asked; the host's power button can still be pressed.
    if (plain.machine.manager.isReachable || act.act === 'reset') perform(plain, act);
    checkState(plain);
    await plain.clock.advance(waitMs);
    checkState(plain);
  }
  return plain;
}

test('no walk over updates, resets, settings and faults breaks a machine, and its log proves it', async () => {
  await fc.assert(
    fc.asyncProperty(walks, rules, faults, fc.nat(), async (steps, personality, faultRules, seed) => {
      const plain = await walk({ steps, personality, faults: faultRules, seed });
      await plain.clock.settle();
      checkState(plain);
      checkLog(plain);
      const isFaulty = faultRules.length > 0;
      const { machine } = plain;
      if (!isFaulty) {
        const busy = machine.updates.all.filter(
          (update) => update.waitsFor === undefined && !['done', 'failed'].includes(update.phase),
        );
        assert.deepEqual(busy, [], 'an update neither ended nor waits');
        assert.ok(
          machine.power.state === 'Off' || machine.power.bootProgress === 'OSRunning',
          machine.power.bootProgress,
        );
      }
      assert.equal(machine.manager.isReachable, true);
    }),
    { numRuns: 150 },
  );
});

test('two runs with one seed give the same log, another seed gives other times', async () => {
  await fc.assert(
    fc.asyncProperty(walks, rules, faults, fc.nat(), async (steps, personality, faultRules, seed) => {
      const order = { steps, personality, faults: faultRules, seed };
      const first = (await walk(order)).machine.log.text();
      assert.equal((await walk(order)).machine.log.text(), first);
    }),
    { numRuns: 40 },
  );
  const step = { act: { act: 'reset' as const, type: 'ForceRestart' }, waitMs: 10 * minute };
  const logs = await Promise.all([1, 2].map((seed) => walk({ steps: [step], personality: {}, faults: [], seed })));
  assert.notEqual(logs[0]?.machine.log.text(), logs[1]?.machine.log.text());
});

test('a machine that is saved anywhere on a walk and made again is the same, and goes on', async () => {
  await fc.assert(
    fc.asyncProperty(walks, rules, faults, fc.nat(), async (steps, personality, faultRules, seed) => {
      const before = await walk({ steps, personality, faults: faultRules, seed });
      const saved = before.machine.save();
      if (saved === undefined) return assert.equal(before.machine.log.count, 0);
      const written: SavedMachine = JSON.parse(JSON.stringify(saved));
      assert.ok(Value.Check(SavedMachine, written));
      const after = createPlainMachine({ personality, seed, isPoweredOn: false });
      after.machine.restore(written);
      assert.deepEqual(after.machine.save(), written);
      assert.deepEqual(after.versions(), before.versions());
      checkState(after);
      after.machine.resume();
      await after.clock.settle();
      checkState(after);
      const busy = after.machine.updates.all.filter(
        ({ phase, waitsFor }) => phase !== 'done' && waitsFor === undefined,
      );
      assert.deepEqual(busy, [], 'an update neither ended nor waits');
      assert.ok(after.machine.power.state === 'Off' || after.machine.power.bootProgress === 'OSRunning');
    }),
    { numRuns: 150 },
  );
});
