import {
  type Bmc,
  continueInstall,
  type FirmwareSlot,
  findStartedUpdate,
  followInstall,
  type InstallOutcome,
  isBmcError,
  isSameVersion,
  markBeforeInstall,
  readFirmware,
  resetManager,
  type StartedUpdate,
  setPower,
  startInstall,
  verifyInstalled,
} from '../../src/bmc/index.ts';
import { sleep } from '../../src/kube/index.ts';
import type { Release } from './release.ts';

/** What came of something, in a word to decide on and in words to show. */
export interface Told {
  readonly code: string;
  readonly message: string;
}

const minute = 60_000;

/** How patient whoever installs is. */
export interface Patience {
  readonly followMs?: number;
  readonly verifyMs?: number;
  readonly via?: 'multipart' | 'push' | 'pull';
}

/**
 * An install as a careful caller does it: marks, starts, asks what happened when an answer was lost, follows, resets
 * what has to be reset, verifies. Expected outcomes are told; errors of the BMC are thrown.
 */
export async function install(bmc: Bmc, release: Release, patience: Patience = {}): Promise<Told> {
  const match = await slotsOf(bmc, release);
  const order = patience.via === undefined ? release.order : { ...release.order, via: patience.via };
  const { vendor } = await bmc.root();
  if (vendor === 'openbmc' && release.component === 'bios') await setPower(bmc, { target: 'off' });
  const started = await startOnce(bmc, { ...release, order });
  if ('code' in started) return started;
  const ended = await followThrough(bmc, started, patience.followMs ?? 120 * minute);
  if (!('reset' in ended)) return ended;
  const verifyMs = patience.verifyMs ?? 15 * minute;
  if (ended.reset !== 'none') {
    // A reset in the middle of the writing would ruin the part: what cannot be asked must be seen, or long past.
    const early = ended.isGone
      ? await verify(bmc, release, { match, verifyMs: 25 * minute, isStagedEnough: true })
      : undefined;
    if (early?.code === 'installed') return early;
    await doReset(bmc, ended.reset);
  }
  return verify(bmc, release, { match, verifyMs });
}

/** Verifies a release in the slots that it was for. */
export async function verify(
  bmc: Bmc,
  release: Release,
  how: {
    readonly match: (slot: FirmwareSlot) => boolean;
    readonly verifyMs: number;
    readonly isStagedEnough?: boolean;
  },
): Promise<Told> {
  const { match, verifyMs, isStagedEnough = false } = how;
  const isOutageExpected = release.component === 'bmc';
  const found = await verifyInstalled(bmc, {
    match,
    version: release.version,
    deadlineMs: verifyMs,
    isOutageExpected,
    isStagedEnough,
  });
  return { code: found.kind, message: 'message' in found ? found.message : '' };
}

/** The slots that a release is for: those of the component that have the version from before. */
export async function slotsOf(bmc: Bmc, release: Release): Promise<(slot: FirmwareSlot) => boolean> {
  const { vendor } = await bmc.root();
  const { slots } = await readFirmware(bmc);
  const isMeant = (slot: FirmwareSlot) => slot.component === release.component && slot.isBackup !== true;
  // OpenBMC names what is installed by a hash that goes with the version.
  if (vendor === 'openbmc') return isMeant;
  const names = slots
    .filter((slot) => isMeant(slot) && isSameVersion(vendor, slot.version, release.from))
    .map(({ slot }) => slot);
  return ({ slot }) => names.includes(slot);
}

/** Starts it, and never sends it again unless it is certain that nothing began. */
async function startOnce(bmc: Bmc, release: Release): Promise<StartedUpdate | Told> {
  const mark = await markBeforeInstall(bmc, release.order);
  for (let sends = 1; ; sends += 1) {
    try {
      return await startInstall(bmc, release.order);
    } catch (error) {
      if (!isBmcError(error, 'ambiguous')) throw error;
    }
    const finding = await find(bmc, release, mark);
    if (finding.kind === 'started') return finding.started;
    if (finding.kind === 'unknown' || sends === 3) return { code: 'ambiguous', message: finding.message };
  }
}

async function find(bmc: Bmc, release: Release, mark: Awaited<ReturnType<typeof markBeforeInstall>>) {
  for (let looks = 1; ; looks += 1) {
    const finding = await findStartedUpdate(bmc, release.order, mark);
    if (finding.kind !== 'unknown' || looks === 20) return finding;
    await sleep(bmc.clock, minute);
  }
}

/** What is told when the BMC is done with its part: a reset may be left to do. */
interface Done {
  readonly code: 'done';
  readonly reset: 'none' | 'host' | 'bmc';
  /** The task was thrown away: it is not known that the writing is over. */
  readonly isGone: boolean;
}

/** Follows to the end, with the resets that it asks for. */
async function followThrough(bmc: Bmc, begun: StartedUpdate, deadlineMs: number): Promise<Told | Done> {
  let hasReset = false;
  let started = begun;
  for (;;) {
    const outcome = await followInstall(bmc, started, { deadlineMs, hasReset });
    if (outcome.kind === 'completed' || outcome.kind === 'gone') {
      const reset = hasReset ? 'none' : outcome.activation.reset;
      return { code: 'done', reset, isGone: outcome.kind === 'gone' };
    }
    if (outcome.kind === 'waits-for-start') started = await continueInstall(bmc, started);
    else if (outcome.kind !== 'waits-for-reset' || hasReset) return told(outcome);
    else {
      await doReset(bmc, outcome.reset);
      hasReset = true;
    }
  }
}

async function doReset(bmc: Bmc, what: 'host' | 'bmc'): Promise<void> {
  if (what === 'bmc') await resetManager(bmc);
  else await setPower(bmc, { target: 'reset' });
}

function told(outcome: InstallOutcome): Told {
  return { code: outcome.kind, message: 'message' in outcome ? outcome.message : '' };
}
