import type { ComponentType, VendorName } from '../bmc.ts';
import type { UpdateProgress } from '../firmware-update.ts';

/** What makes newly written firmware run. */
export interface Activation {
  /** What has to be reset by somebody; `none` where the BMC restarts it by itself. */
  readonly reset: 'none' | 'host' | 'bmc';
  /** The host must lose its power for a moment: a warm restart does not reload it. */
  readonly isPowerCycle: boolean;
  /** True where the host must not be reset while the BMC writes: it flashes the part itself. */
  readonly isHostUntouchable: boolean;
  /** What to reset when the new version does not show up in time. */
  readonly fallback: 'none' | 'host' | 'bmc';
}

const byItself: Activation = { reset: 'none', isPowerCycle: false, isHostUntouchable: false, fallback: 'host' };
const byHost: Activation = { reset: 'host', isPowerCycle: false, isHostUntouchable: false, fallback: 'none' };
const byBmc: Activation = { reset: 'bmc', isPowerCycle: false, isHostUntouchable: false, fallback: 'host' };

/** Vendors whose BMC writes the BIOS itself instead of leaving it to the host's next start. */
const biosWriters: readonly VendorName[] = ['supermicro', 'openbmc', 'nvidia'];

/** What makes an update of a component active on a vendor's server, with the applying time it was sent with. */
export function activationOf(vendor: VendorName, component: ComponentType | string, applyTime?: string): Activation {
  switch (component) {
    case 'bmc':
      return activationOfBmc(vendor, applyTime);
    case 'bios':
      return { ...byHost, isHostUntouchable: biosWriters.includes(vendor) };
    case 'cpld':
      return { ...byHost, isPowerCycle: true };
    case 'psu':
      return vendor === 'dell' ? byHost : byItself;
    default:
      return byHost;
  }
}

function activationOfBmc(vendor: VendorName, applyTime: string | undefined): Activation {
  if (vendor === 'lenovo') return byBmc;
  const waits = (vendor === 'openbmc' || vendor === 'nvidia') && applyTime === 'OnReset';
  return waits ? byBmc : byItself;
}

/** True where the host has to be off: OpenBMC takes the BIOS flash away from it to write it, and it would crash. */
export function mustHostBeOff(vendor: VendorName, component: ComponentType | string): boolean {
  return vendor === 'openbmc' && component === 'bios';
}

/** What is seen of an update when it is asked whether to reset. */
export interface ResetQuestion {
  readonly activation: Activation;
  readonly component: string;
  readonly progress: UpdateProgress;
  /** The reset was already done for this update. */
  readonly hasReset: boolean;
  /** For how long the progress has been the same. */
  readonly unchangedMs: number;
  /** How long it may be queued; `startPatienceMs` unless given. */
  readonly patienceMs?: number | undefined;
}

/** How long an update may be queued before a restart of the host is taken to be what it waits for. */
export const startPatienceMs = 30_000;

/**
 * How long an update whose task is gone is given before anything is reset: it may still be written, and a reset in the
 * middle of that can be the end of the part.
 */
export const goneSettleMs = 15 * 60_000;

/**
 * Whether a reset is due now. Host firmware is reset for once: when the BMC says it waits for it, when the task has been
 * queued for half a minute, or when it is over; never while it runs.
 */
export function isResetDue(question: ResetQuestion): 'host' | 'bmc' | undefined {
  const { activation, progress, hasReset } = question;
  if (hasReset) return undefined;
  switch (progress.kind) {
    case 'waits-for-host-reset':
      return 'host';
    case 'waits-for-bmc-reset':
      return 'bmc';
    case 'completed':
      return resetOf(activation);
    case 'gone':
      // Without its task it cannot be told whether it is still being written.
      return question.unchangedMs < goneSettleMs ? undefined : resetOf(activation);
    case 'running':
      return doesWaitUnsaid(question) ? 'host' : undefined;
    default:
      return undefined;
  }
}

function resetOf({ reset }: Activation): 'host' | 'bmc' | undefined {
  return reset === 'none' ? undefined : reset;
}

function doesWaitUnsaid({ activation, progress, unchangedMs, patienceMs = startPatienceMs }: ResetQuestion): boolean {
  if (activation.reset !== 'host' || activation.isHostUntouchable || progress.kind !== 'running') return false;
  return progress.isQueued === true && unchangedMs > patienceMs;
}
