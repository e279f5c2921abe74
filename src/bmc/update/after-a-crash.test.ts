import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { setPower } from '../power/index.ts';
import { waysOf } from '../vendors/index.ts';
import {
  continueInstall,
  describeUpdateService,
  findStartedUpdate,
  markBeforeInstall,
  type StartedUpdate,
  type StartFinding,
  startInstall,
  waysIn,
} from './index.ts';
import { planInstall } from './install-plan.ts';
import { finishInstall, type InstallGoal, installUntilVerified, slotsOf } from './testing/install-until-verified.ts';
import { goalFor, startRig, type UpdateRig } from './testing/update-rig.ts';

/** What a process that crashed leaves behind. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const components = ['bmc', 'bios'] as const;

/** The way to take where nothing is said: iLO 5 can only pull. */
async function prepare(bmc: Bmc, rig: UpdateRig, component: (typeof components)[number]): Promise<InstallGoal> {
  const goal = await goalFor(bmc, await rig.release(component));
  if ((await bmc.root()).vendor === 'openbmc' && component === 'bios') await setPower(bmc, { target: 'off' });
  return goal;
}

for (const personality of personalityNames) {
  test(`${personality}: an update goes on after a crash of who began it, and is written once`, async (t) => {
    const rig = await startRig(t, personality);
    for (const component of components) {
      const release = await rig.release(component);
      const before = rig.flashes().length;
      const started = await rig.asProcess(async (bmc) => {
        const goal = await prepare(bmc, rig, component);
        return stored(await startInstall(bmc, goal.order));
      });
      const found = await rig.asProcess(async (bmc) => {
        const match = await slotsOf(bmc, release);
        return finishInstall(bmc, started, { version: release.version, match });
      });
      assert.equal(found.kind, 'installed', `${component}: ${JSON.stringify(found)}`);
      assertWrittenOnce(rig, before);
    }
  });
}

test('supermicro-x12: a crash between upload and start does not lose the upload', async (t) => {
  const rig = await startRig(t, 'supermicro-x12');
  const release = await rig.release('bios');
  let uploaded: StartedUpdate | undefined;
  const crash = new Error('crash');
  const first = rig.asProcess(async (bmc) => {
    const { order } = await goalFor(bmc, release);
    const onUploaded = async (update: StartedUpdate) => {
      uploaded = stored(update);
      throw crash;
    };
    await startInstall(bmc, order, { onUploaded });
  });
  await assert.rejects(first, crash);
  assert.ok(uploaded?.startTarget);
  const found = await rig.asProcess(async (bmc) => {
    const match = await slotsOf(bmc, release);
    const started = await continueInstall(bmc, uploaded as StartedUpdate);
    return finishInstall(bmc, started, { version: release.version, match });
  });
  assert.equal(found.kind, 'installed', JSON.stringify(found));
  assertWrittenOnce(rig, 0);
});

for (const component of components) {
  for (const laterMs of [0, 60 * 60_000]) {
    test(`supermicro-x12: a ${component} start that was sent and not stored is not sent again ${laterMs / 60_000} minutes later`, async (t) => {
      const rig = await startRig(t, 'supermicro-x12');
      const release = await rig.release(component);
      let uploaded: StartedUpdate | undefined;
      const match = await rig.asProcess(async (bmc) => {
        const { order } = await goalFor(bmc, release);
        const slots = await slotsOf(bmc, release);
        const onUploaded = async (update: StartedUpdate) => {
          uploaded = stored(update);
        };
        await startInstall(bmc, order, { onUploaded });
        await sleep(bmc.clock, laterMs);
        return slots;
      });
      const starts = () => rig.machine.log.events.filter(({ event }) => event === 'update.started').length;
      assert.equal(starts(), 1);
      const found = await rig.asProcess(async (bmc) => {
        const started = await continueInstall(bmc, uploaded as StartedUpdate);
        return finishInstall(bmc, started, { version: release.version, match });
      });
      assert.equal(found.kind, 'installed', JSON.stringify(found));
      assert.equal(starts(), 1);
      assertWrittenOnce(rig, 0);
    });
  }
}

for (const personality of personalityNames) {
  for (const moment of ['after-acting', 'mid-answer'] as const) {
    test(`${personality}: an update whose answer is lost ${moment} is found, not sent again, and written once`, async (t) => {
      const rig = await startRig(t, personality);
      const { goal, finding } = await loseAnswer(rig, personality, moment);
      assert.equal(finding.kind, 'started', JSON.stringify(finding));
      if (finding.kind !== 'started') return;
      const started = stored(finding.started);
      const found = await rig.asProcess(async (bmc) => {
        const match = await slotsOf(bmc, goal);
        const begun = await continueInstall(bmc, started);
        return finishInstall(bmc, begun, { version: goal.version, match });
      });
      assert.equal(found.kind, 'installed', JSON.stringify(found));
      assertWrittenOnce(rig, 0);
    });
  }

  test(`${personality}: an update whose answer is lost is not sent again an hour later either`, async (t) => {
    const rig = await startRig(t, personality);
    const { goal, finding } = await loseAnswer(rig, personality, 'after-acting', 60 * 60_000);
    assert.equal(finding.kind, 'started', JSON.stringify(finding));
    if (finding.kind !== 'started') return;
    const started = stored(finding.started);
    const found = await rig.asProcess(async (bmc) => {
      const match = await slotsOf(bmc, goal);
      const begun = await continueInstall(bmc, started);
      return finishInstall(bmc, begun, { version: goal.version, match });
    });
    assert.equal(found.kind, 'installed', JSON.stringify(found));
    assertWrittenOnce(rig, 0);
  });

  test(`${personality}: an update that was cut off before the BMC acted is found not to have begun`, async (t) => {
    const rig = await startRig(t, personality);
    const { goal, finding } = await loseAnswer(rig, personality, 'after-reading');
    assert.equal(finding.kind, 'not-started', JSON.stringify(finding));
    const found = await rig.asProcess((bmc) => installUntilVerified(bmc, goal));
    assert.equal(found.kind, 'installed', JSON.stringify(found));
    assertWrittenOnce(rig, 0);
  });
}

/** Sends a BIOS update whose answer is lost, and asks what became of it, as another process. */
async function loseAnswer(
  rig: UpdateRig,
  personality: PersonalityName,
  moment: 'after-acting' | 'mid-answer' | 'after-reading',
  laterMs = 0,
): Promise<{ readonly goal: InstallGoal; readonly finding: StartFinding }> {
  const sent = await rig.asProcess(async (bmc) => {
    const goal = await prepare(bmc, rig, 'bios');
    const offer = await describeUpdateService(bmc);
    assert.ok(waysIn(offer).length > 0, personality);
    const ways = waysOf((await bmc.root()).vendor);
    const { uri } = planInstall({ origin: bmc.gate.origin, order: goal.order, offer, ways });
    const mark = stored(await markBeforeInstall(bmc, goal.order));
    rig.setFaults([{ kind: 'connection-reset', method: 'POST', path: uri, times: 1, moment }]);
    const started = await startInstall(bmc, goal.order).catch((error: unknown) => {
      assert.ok(isBmcError(error, 'ambiguous'), String(error));
      return undefined;
    });
    return { goal, mark, started };
  });
  // An answer without a body (Dell) may have come through before it was cut.
  if (sent.started !== undefined) {
    assert.deepEqual([personality, moment], ['dell-idrac9', 'mid-answer']);
    return { goal: sent.goal, finding: { kind: 'started', started: sent.started } };
  }
  const finding = await rig.asProcess(async (bmc) => {
    await sleep(bmc.clock, laterMs);
    return findStartedUpdate(bmc, sent.goal.order, sent.mark);
  });
  return { goal: sent.goal, finding };
}

function assertWrittenOnce(rig: UpdateRig, before: number): void {
  const flashed = rig.flashes().slice(before);
  assert.ok(flashed.length > 0);
  assert.equal(new Set(flashed).size, flashed.length, `written twice: ${flashed}`);
}
