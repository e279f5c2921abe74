import { cureFor, isBmcError, mayWaitForHost, type Unsticking } from '../../bmc/index.ts';
import { isFlasherError } from '../errors.ts';
import type { ActionFailure, ActionProgress } from './progress.ts';
import type { InstallSettings } from './settings.ts';

/** What to do about an action that failed. */
export type AfterFailure =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'cure'; readonly cure: Unsticking }
  | { readonly kind: 'give-up' };

/** Decides what to do about a failure: each cure is tried once, and all attempts together are bounded. */
export function decideAfterFailure(
  action: Pick<ActionProgress, 'failure' | 'attempts' | 'cures'> & Partial<Pick<ActionProgress, 'component'>>,
  settings: Pick<InstallSettings, 'maxAttempts' | 'retry'>,
): AfterFailure {
  const { failure, attempts, cures } = action;
  if (failure === undefined || attempts >= settings.maxAttempts) return { kind: 'give-up' };
  const known = cureFor(failure.messageIds);
  const { baseMs, maxMs } = settings.retry;
  if (known === 'retry-later') {
    // It was given time, and it is still so.
    const isHostDue = action.component === 'bios' && attempts > 1 && mayWaitForHost(failure.messageIds);
    if (isHostDue && !cures.includes('reset-host')) return { kind: 'cure', cure: 'reset-host' };
    return { kind: 'retry', afterMs: maxMs };
  }
  if (known !== undefined && !cures.includes(known)) return { kind: 'cure', cure: known };
  // What clearing a queue did not free, a restart may.
  if (known === 'clear-queue' && !cures.includes('reset-bmc')) return { kind: 'cure', cure: 'reset-bmc' };
  if (!failure.mayPass) return { kind: 'give-up' };
  // Nobody asked to be left alone for longer, and what passes passes soon; what does not is given more time.
  return { kind: 'retry', afterMs: Math.min(maxMs, baseMs * 4 ** (attempts - 1)) };
}

const hopeless =
  /verif|signature|mismatch|invalid|unsupported|notsupported|notapplicable|incompatible|corrupt|downgrade/i;

/** True when the BMC says that the image itself is at fault: sending it again would change nothing. */
export function isHopeless(told: { readonly message: string; readonly messageIds: readonly string[] }): boolean {
  return told.messageIds.some((id) => hopeless.test(id)) || hopeless.test(told.message);
}

/** An error as the failure of an action. */
export function failureOf(error: unknown): ActionFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (isBmcError(error)) {
    const mayPass = error.retry === 'transient' || error.code === 'blocked';
    return { code: nameOf(error.code), message, messageIds: error.messageIds, mayPass };
  }
  if (isFlasherError(error)) {
    return { code: nameOf(error.code), message, messageIds: [], mayPass: error.retry === 'transient' };
  }
  return { code: 'WorkerError', message, messageIds: [], mayPass: false };
}

function nameOf(code: string): string {
  return `${code.charAt(0).toUpperCase()}${code.slice(1)}`;
}
