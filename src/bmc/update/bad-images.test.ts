import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { resetManager, setPower } from '../power/index.ts';
import { cureFor } from '../vendors/index.ts';
import { describeUpdateService, followInstall, startInstall, type Via, waysIn } from './index.ts';
import { type InstallGoal, installUntilVerified } from './testing/install-until-verified.ts';
import { goalFor, type ImageDefect, startRig, type UpdateRig } from './testing/update-rig.ts';

const defects: readonly ImageDefect[] = ['wrong-model', 'corrupt', 'truncated'];

/** What anybody may be told about a bad image: about image, file, package, signature, model, or that it does not fit. */
const clearWords = /image|file|package|signature|component|firmware|applicable|verif/i;

for (const personality of personalityNames) {
  test(`${personality}: wrong, corrupt and truncated images fail with a clear reason and change nothing`, async (t) => {
    const rig = await startRig(t, personality);
    const offered = await rig.asProcess(async (bmc) => waysIn(await describeUpdateService(bmc)));
    const pulls = personality.startsWith('hpe-ilo5');
    for (const via of offered.filter((each) => (pulls ? each === 'pull' : each === 'multipart'))) {
      for (const defect of defects) await failOnce(rig, { via, defect });
    }
    // A good image goes in afterwards, after a reset of the BMC where its updater is stuck.
    const release = await rig.release('bios');
    const found = await rig.asProcess(async (bmc) => {
      const goal = await goalFor(bmc, release);
      return installUntilVerified(bmc, goal).catch((error: unknown) => cureAndRepeat(bmc, goal, error));
    });
    assert.equal(found.kind, 'installed', JSON.stringify(found));
  });
}

async function failOnce(rig: UpdateRig, bad: { readonly via: Via; readonly defect: ImageDefect }): Promise<void> {
  const release = await rig.release('bios', bad.defect);
  const versions = () => rig.machine.firmware.map(({ version }) => version);
  const [before, flashes] = [versions(), rig.flashes().length];
  const told = await rig.asProcess(async (bmc) => {
    if ((await bmc.root()).vendor === 'openbmc') await setPower(bmc, { target: 'off' });
    const goal = await goalFor(bmc, release, bad.via);
    return reasonOfFailure(bmc, goal).catch(async (error: unknown) => {
      if (cureFor(isBmcError(error) ? error.messageIds : []) !== 'reset-bmc') throw error;
      await resetManager(bmc);
      return reasonOfFailure(bmc, goal);
    });
  });
  assert.match(told, clearWords, `${bad.defect} by ${bad.via}`);
  assert.deepEqual(versions(), before);
  assert.equal(rig.flashes().length, flashes);
}

/** What is said about the failure, wherever it comes: when it is sent, or from its task. */
async function reasonOfFailure(bmc: Bmc, goal: InstallGoal): Promise<string> {
  try {
    const started = await startInstall(bmc, goal.order);
    const outcome = await followInstall(bmc, started, { deadlineMs: 3_600_000 });
    assert.equal(outcome.kind, 'failed', JSON.stringify(outcome));
    return outcome.kind === 'failed' ? outcome.message : '';
  } catch (error) {
    if (isBmcError(error, 'refused', 'taskFailed')) return error.message;
    throw error;
  }
}

async function cureAndRepeat(bmc: Bmc, goal: InstallGoal, error: unknown) {
  assert.ok(isBmcError(error, 'blocked'), String(error));
  assert.equal(cureFor(error.messageIds), 'reset-bmc');
  assert.match(error.message, /reset the BMC/);
  await resetManager(bmc);
  return installUntilVerified(bmc, goal);
}
