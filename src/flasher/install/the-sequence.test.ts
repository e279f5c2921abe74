import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { Gates } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { leaseWork } from '../testing/fake-work.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal, type Mortal } from '../testing/mortal.ts';
import { runInstall } from './run-install.ts';

function succeeded(end: ProcessEnd, rig: FlasherRig): JsonObject {
  assert.equal(end.outcome, 'succeeded', `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`);
  return 'status' in end ? (end.status ?? {}) : {};
}

/** Times of what is in the log of the machine. */
function timesOf(rig: FlasherRig, isMeant: (line: string) => boolean): number[] {
  return rig.machine.log.events.filter(({ event, detail }) => isMeant(`${event} ${detail}`)).map(({ atMs }) => atMs);
}

/** Calls back at each moment of a process. */
function watch(onMoment: (what: string) => void): Mortal {
  return createMortal((what) => {
    onMoment(what);
    return false;
  });
}

for (const personality of personalityNames) {
  test(`${personality}: a host is restarted once for its BIOS, and a host that was off is on before and off after`, async (context) => {
    const rig = await startFlasherRig(context, personality, { arePoweredOn: false });
    const bios = await rig.release('bios');
    succeeded(await rig.process(rig.order({ firmwares: [bios] })), rig);
    const resets = rig.machine.log.events
      .filter(({ event, detail }) => event === 'power.reset' && /outcome=done|outcome=accepted|outcome=ok/.test(detail))
      .map(({ detail }) => /type=(\w+)/.exec(detail)?.[1]);
    const restarts = resets.filter((type) => /Restart|Cycle/.test(type ?? ''));
    const hasToBeOff = personality === 'openbmc';
    assert.ok(restarts.length <= 1, resets.join());
    assert.equal(/^On|ForceOn/.test(resets[0] ?? ''), true, resets.join());
    assert.match(resets.at(-1) ?? '', /Off|Shutdown/);
    // One that is switched off for its BIOS starts with the new one; all others are restarted for it.
    assert.equal(restarts.length, hasToBeOff ? 0 : 1, `${resets.join()}\n${rig.machine.log.text()}`);
  });
}

test('the set is read where the order names only a set, once, and what is planned stays as it was then', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const [bios, nic] = [await rig.release('bios'), await rig.release('nic')];
  const order = rig.order({ firmwareSetId: 'set-1' });
  const reads: string[] = [];
  const install = (set: readonly (typeof bios)[], mortal = createMortal()) =>
    rig.within(async (base) => {
      const readSet = async (id: string) => {
        reads.push(id);
        return set;
      };
      const work = leaseWork(order, { mortal, clock: base.clock });
      return runInstall(work, order.install, { ...base, catalogue: { readSet } });
    }, mortal);
  const dying = createMortal((what) => what === 'stored fetching');
  await assert.rejects(install([bios], dying));
  // Whoever goes on finds another set, and the plan of before.
  succeeded(await install([nic]), rig);
  assert.deepEqual(reads, ['set-1']);
  assert.equal(rig.versionOf('bios'), bios.version);
  assert.notEqual(rig.versionOf('nic'), nic.version);
});

test('a set that nobody knows ends the install before anything is touched', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const end = await rig.process(rig.order({ firmwareSetId: 'nowhere' }));
  assert.ok(end.outcome === 'failed');
  assert.equal(end.reason.code, 'UnknownSet');
});

test('each step is stored before it acts, and the address of the task before anything else is done', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const steps: string[] = [];
  const mortal = watch((what) => {
    const [action] = (order.progress.actions ?? []) as { started?: { taskUri?: string } }[];
    steps.push(what.startsWith('stored') ? what : `${what} (${String(order.progress.state)})`);
    if (what === 'stored following') assert.ok(action?.started?.taskUri, JSON.stringify(action));
  });
  succeeded(await rig.process(order, { mortal, settings: { tellEveryMs: 240 * 3_600_000 } }), rig);
  const acts = steps.filter((step) => !step.startsWith('stored'));
  const expected = [/Reset \(powering-on\)/, /\(sending\)/, /\(activating\)/, /Reset \(restoring-power\)/];
  for (const step of expected)
    assert.ok(
      acts.some((act) => step.test(act)),
      `${step}\n${acts.join('\n')}`,
    );
  for (const act of acts) assert.doesNotMatch(act, /\((?:undefined|planning|fetching|verifying)\)/);
  const sent = steps.findIndex((step) => step.includes('(sending)'));
  assert.equal(steps[sent + 1], 'stored following', steps.join('\n'));
});

test('a slot for uploads that cannot be given back does not keep the address of the task from being stored', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  let given = 0;
  let storedBefore: unknown;
  const end = await rig.process(order, {
    onLease(work) {
      work.acquireSlot = async () => async () => {
        given += 1;
        storedBefore = order.progress.state;
        throw new Error('the way to the engine is broken');
      };
    },
  });
  succeeded(end, rig);
  assert.equal(given, 1);
  assert.equal(storedBefore, 'following');
});

test('looks at an update come at growing intervals up to the longest, and the settings say which', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  rig.setFaults([{ kind: 'flash-hangs' }]);
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const poll = { first: 2000, most: 100_000 };
  const times: number[] = [];
  const end = await rig.within(async (base) => {
    const work = leaseWork(order, { mortal: createMortal(), clock: base.clock });
    const gates: Gates = {
      ...base.gates,
      open(endpoint, caller) {
        const lane = base.gates.open(endpoint, caller);
        const request: typeof lane.request = (asked) => {
          const [action] = (order.progress.actions ?? []) as { started?: { taskUri?: string } }[];
          if (order.progress.state === 'following' && asked.path === action?.started?.taskUri) {
            times.push(base.clock.monotonic());
          }
          return lane.request(asked);
        };
        return Object.assign(Object.create(lane) as typeof lane, { request });
      },
    };
    return runInstall(work, order.install, {
      ...base,
      gates,
      settings: { ...base.settings, poll, followMs: 30 * 60_000 },
    });
  });
  assert.equal(end.outcome, 'failed');
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  assert.ok(gaps.length > 6, gaps.join());
  assert.ok(Math.min(...gaps) <= poll.first, gaps.join());
  // A random half of the longest time is taken away; the last one ends with the deadline.
  assert.ok(
    gaps.slice(-5, -1).every((gap) => gap >= poll.most / 2 && gap <= poll.most),
    gaps.join(),
  );
});

test('the new version is looked for as long as its own deadline says, and no longer', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  rig.setFaults([{ kind: 'version-stays' }]);
  const order = rig.order({ firmwares: [await rig.release('psu')] });
  let verifyingAt = 0;
  let endedAt = 0;
  const deadlineMs = 4 * 60_000;
  const mortal = watch((what) => {
    const since = Number(order.progress.since);
    if (what === 'stored verifying') verifyingAt = since;
    if (what === 'stored restoring-power') endedAt = since;
  });
  const settings = { verify: { consecutiveReads: 3, deadlineMs, poll: { first: 1000, most: 10_000 } } };
  const end = await rig.process(order, { mortal, settings });
  assert.ok(end.outcome === 'failed');
  assert.equal(end.reason.code, 'NotInstalled');
  const took = endedAt - verifyingAt;
  assert.ok(took >= deadlineMs && took < deadlineMs + 60_000, String(took));
});

test('a forced image whose task vanishes is given the time to be written, though its version was there before', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12', { arePoweredOn: false });
  const version = rig.versionOf('bios');
  assert.ok(version);
  const bios = await rig.release('bios', { version });
  rig.setFaults([{ kind: 'task-vanishes' }]);
  const order = rig.order({ firmwares: [bios], isForced: true });
  succeeded(await rig.process(order), rig);
  const [begin] = timesOf(rig, (line) => line.startsWith('update.flash-begin'));
  const [end] = timesOf(rig, (line) => line.startsWith('update.flash-end'));
  assert.ok(begin !== undefined && end !== undefined, rig.machine.log.text());
  const between = timesOf(rig, (line) => /^power\.(?:reset|off)/.test(line)).filter((at) => at > begin && at < end);
  assert.deepEqual(between, [], rig.machine.log.text());
});

test('an update whose task vanished and whose version does not show is not said to be done', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  rig.setFaults([{ kind: 'task-vanishes' }, { kind: 'version-stays' }]);
  const end = await rig.process(rig.order({ firmwares: [await rig.release('bios')] }));
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.equal(end.reason.code, 'NotInstalled');
  assert.match(end.reason.message, /the task of the update is gone from the BMC, and /);
});
