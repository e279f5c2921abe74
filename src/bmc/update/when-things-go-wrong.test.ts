import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FaultRule, type PersonalityName, personalityNames } from '../../../simulator/index.ts';
import type { ComponentType } from '../bmc.ts';
import { setPower } from '../power/index.ts';
import {
  findStartedUpdate,
  followInstall,
  type InstallLook,
  markBeforeInstall,
  startInstall,
  type Verification,
} from './index.ts';
import { finishInstall, installUntilVerified, slotsOf } from './testing/install-until-verified.ts';
import { goalFor, startRig } from './testing/update-rig.ts';

const minute = 60_000;

/** Installs a component under faults and says what was found in the end. */
async function installUnder(
  context: TestContext,
  personality: PersonalityName,
  faults: { readonly component: ComponentType; readonly rules: readonly FaultRule[] },
): Promise<{ readonly found: Verification; readonly flashes: readonly string[]; readonly isLocked: boolean }> {
  const rig = await startRig(context, personality);
  const release = await rig.release(faults.component);
  const found = await rig.asProcess(async (bmc) => {
    const goal = await goalFor(bmc, release);
    rig.setFaults(faults.rules);
    return installUntilVerified(bmc, goal);
  });
  assert.equal(rig.machine.sessions.all.length, 0, 'a session was left open');
  return { found, flashes: rig.flashes(), isLocked: rig.machine.accounts.isLocked };
}

/** What is waited out, or got over: the update ends well, and nothing is written twice. */
const passing: readonly (readonly [string, ComponentType, FaultRule])[] = [
  ['401 while the BMC is written', 'bmc', { kind: 'unauthorized-while-updating' }],
  [
    'a BMC that is away for minutes after its flash',
    'bmc',
    { kind: 'unreachable-after-flash', durationMs: 8 * minute },
  ],
  ['a task that vanishes', 'bmc', { kind: 'task-vanishes' }],
  ['a task of the BIOS that vanishes', 'bios', { kind: 'task-vanishes' }],
  ['503 now and then', 'bmc', { kind: 'busy', method: 'GET', rate: 0.02 }],
  ['connections that are reset now and then', 'bmc', { kind: 'connection-reset', method: 'GET', rate: 0.2 }],
  ['JSON cut off now and then', 'bmc', { kind: 'truncated-json', method: 'GET', rate: 0.2 }],
  ['malformed JSON now and then', 'bmc', { kind: 'malformed-json', method: 'GET', rate: 0.2 }],
  ['a wrong Content-Type', 'bmc', { kind: 'wrong-content-type', method: 'GET' }],
  ['slow answers', 'bmc', { kind: 'slow-answer', durationMs: 2000, rate: 0.3 }],
  ['sessions that expire', 'bmc', { kind: 'session-expired', rate: 0.1 }],
  ['an inventory that lies at times', 'bmc', { kind: 'wrong-inventory', rate: 0.02 }],
];

for (const personality of personalityNames) {
  for (const [what, component, rule] of passing) {
    test(`${personality}: ${what} does not keep an update from its end`, async (t) => {
      const { found, flashes, isLocked } = await installUnder(t, personality, { component, rules: [rule] });
      assert.equal(found.kind, 'installed', JSON.stringify(found));
      assert.equal(new Set(flashes).size, flashes.length, `written twice: ${flashes}`);
      assert.equal(isLocked, false);
    });
  }

  test(`${personality}: a task that is Completed and Critical has failed`, async (t) => {
    const rig = await startRig(t, personality);
    const release = await rig.release('bmc');
    const outcome = await rig.asProcess(async (bmc) => {
      rig.setFaults([{ kind: 'task-completed-critical' }]);
      const started = await startInstall(bmc, (await goalFor(bmc, release)).order);
      return followInstall(bmc, started, { deadlineMs: 120 * minute });
    });
    assert.equal(outcome.kind, 'failed', JSON.stringify(outcome));
    assert.ok(outcome.kind === 'failed' && outcome.message.length > 20);
  });

  test(`${personality}: a flash that hangs is told as stalled, and ends with its deadline`, async (t) => {
    const rig = await startRig(t, personality);
    const release = await rig.release('bmc');
    const looks: InstallLook[] = [];
    const outcome = await rig.asProcess(async (bmc) => {
      rig.setFaults([{ kind: 'flash-hangs' }]);
      const started = await startInstall(bmc, (await goalFor(bmc, release)).order);
      const onProgress = (look: InstallLook) => void looks.push(look);
      return followInstall(bmc, started, { deadlineMs: 60 * minute, stallMs: 15 * minute, onProgress });
    });
    assert.equal(outcome.kind, 'deadline', JSON.stringify(outcome));
    assert.ok(looks.some(({ isStalled }) => isStalled));
    assert.match(outcome.kind === 'deadline' ? outcome.message : '', /nothing has moved/);
  });

  test(`${personality}: a task that completes while the version stays is found out`, async (t) => {
    const rules: readonly FaultRule[] = [{ kind: 'version-stays' }];
    const { found } = await installUnder(t, personality, { component: 'bmc', rules });
    assert.equal(found.kind, 'other-version', JSON.stringify(found));
  });

  test(`${personality}: a lost answer is cleared up also when the clock of the BMC is years off`, async (t) => {
    const rig = await startRig(t, personality);
    const release = await rig.release('bios');
    rig.setFaults([{ kind: 'clock-off' }]);
    const sent = await rig.asProcess(async (bmc) => {
      if ((await bmc.root()).vendor === 'openbmc') await setPower(bmc, { target: 'off' });
      const goal = await goalFor(bmc, release);
      const mark = await markBeforeInstall(bmc, goal.order);
      const match = await slotsOf(bmc, release);
      const started = await startInstall(bmc, goal.order);
      return { goal, mark, match, started };
    });
    const found = await rig.asProcess(async (bmc) => {
      const finding = await findStartedUpdate(bmc, sent.goal.order, sent.mark);
      assert.equal(finding.kind === 'started' && finding.started.taskUri, sent.started.taskUri);
      return finishInstall(bmc, sent.started, { version: release.version, match: sent.match });
    });
    assert.equal(found.kind, 'installed', JSON.stringify(found));
  });
}

for (const personality of ['dell-idrac9', 'hpe-ilo5', 'hpe-ilo6', 'supermicro-x12'] as const) {
  test(`${personality}: an image that cannot be fetched fails the update with that reason`, async (t) => {
    const rig = await startRig(t, personality);
    const release = await rig.release('bmc');
    const outcome = await rig.asProcess(async (bmc) => {
      rig.setFaults([{ kind: 'image-download-fails' }]);
      const { order } = await goalFor(bmc, release, 'pull');
      const started = await startInstall(bmc, { ...order, applyTime: 'Immediate' });
      return followInstall(bmc, started, { deadlineMs: 120 * minute });
    });
    assert.equal(outcome.kind, 'failed', JSON.stringify(outcome));
    const { message } = outcome as { message: string };
    assert.match(message, /fetch|download|transfer|retriev|unable|could not|reach/i);
  });
}
