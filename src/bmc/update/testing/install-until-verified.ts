import type { Bmc, ComponentType, FirmwareSlot } from '../../bmc.ts';
import { isSameVersion, readFirmware } from '../../inventory/index.ts';
import { resetManager, setPower, waitForPost } from '../../power/index.ts';
import { goneSettleMs } from '../../vendors/index.ts';
import {
  followInstall,
  type InstallOrder,
  type InstallOutcome,
  type StartedUpdate,
  type Verification,
  verifyInstalled,
} from '../index.ts';
import { startInstall } from '../start-install.ts';

const hour = 3_600_000;

/** What is to be installed, and what shall be found in the end. */
export interface InstallGoal {
  readonly order: InstallOrder;
  readonly component: ComponentType;
  readonly version: string;
  /** The version before: the slots of the component that have it are those that get the new one. */
  readonly from: string;
}

/** Does all that a caller has to do for an update, as plainly as it can be done. */
export async function installUntilVerified(bmc: Bmc, goal: InstallGoal): Promise<Verification> {
  const match = await slotsOf(bmc, goal);
  const needsHostOff = (await bmc.root()).vendor === 'openbmc' && goal.component === 'bios';
  if (needsHostOff) await setPower(bmc, { target: 'off' });
  const started = await startInstall(bmc, goal.order);
  return finishInstall(bmc, started, { version: goal.version, match });
}

/** The rest of an update that was started: also by somebody else, who is gone. */
export async function finishInstall(
  bmc: Bmc,
  started: StartedUpdate,
  goal: { readonly version: string; readonly match: (slot: FirmwareSlot) => boolean },
): Promise<Verification> {
  let hasReset = false;
  const verify = (deadlineMs: number) =>
    verifyInstalled(bmc, { ...goal, deadlineMs, isStagedEnough: !hasReset, isOutageExpected: isOfBmc });
  const isOfBmc = started.component === 'bmc';
  for (;;) {
    const outcome = await followInstall(bmc, started, { deadlineMs: 2 * hour, hasReset });
    if (outcome.kind === 'waits-for-reset' && !hasReset) {
      hasReset = await reset(bmc, outcome.reset);
      continue;
    }
    if (outcome.kind !== 'completed' && outcome.kind !== 'gone') throw new Error(describe(outcome));
    if (outcome.kind === 'gone') {
      // It may still be written: only what is seen decides, or time.
      const found = await verify(goneSettleMs);
      if (found.kind === 'installed') return found;
    }
    while (!hasReset) hasReset = outcome.activation.reset === 'none' || (await reset(bmc, outcome.activation.reset));
    return verify(hour);
  }
}

/** The slots that an order is for: those of the component that have the version from before. */
export async function slotsOf(
  bmc: Bmc,
  goal: Pick<InstallGoal, 'component' | 'from'>,
): Promise<(slot: FirmwareSlot) => boolean> {
  const { vendor } = await bmc.root();
  const { slots } = await readFirmware(bmc);
  const isMeant = (slot: FirmwareSlot) => slot.component === goal.component && slot.isBackup !== true;
  // OpenBMC names what it has installed by a hash, so that the name goes with the version.
  if (vendor === 'openbmc') return isMeant;
  const names = slots
    .filter((slot) => isMeant(slot) && isSameVersion(vendor, slot.version, goal.from))
    .map(({ slot }) => slot);
  return ({ slot }) => names.includes(slot);
}

/** False when the host was in its self-test: there it may take up what waits for a restart, and is left alone. */
async function reset(bmc: Bmc, what: 'host' | 'bmc'): Promise<boolean> {
  if (what === 'bmc') {
    await resetManager(bmc);
    return true;
  }
  const { wasSpared } = await setPower(bmc, { target: 'reset', isSelfTestSpared: true });
  if (wasSpared === true) await waitForPost(bmc);
  return wasSpared !== true;
}

function describe(outcome: InstallOutcome): string {
  return `${outcome.kind}: ${'message' in outcome ? outcome.message : ''}`;
}
