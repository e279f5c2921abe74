import { backoffDelay, type Random } from '../../kube/index.ts';
import { isEngineError } from '../errors.ts';
import type { HeldWork } from './held-work.ts';
import type { WorkHandler, WorkOutcome } from './work.ts';

/** How a handler ended: with an outcome, or without the right to write one. */
export type HandlerEnd = WorkOutcome | { readonly outcome: 'lost'; readonly why: string };

const backoff = { baseMs: 5000, maxMs: 300_000 };

/** Runs a handler and says how it ended; it never throws. */
export async function runHandler(handler: WorkHandler, work: HeldWork, random: Random): Promise<HandlerEnd> {
  try {
    const outcome = await handler(work);
    return isLost(work) ? lost(work.signal.reason) : outcome;
  } catch (error) {
    return await judge(work, error, random);
  }
}

function isLost(work: HeldWork): boolean {
  return work.signal.aborted && isEngineError(work.signal.reason, 'leaseLost');
}

function lost(error: unknown): HandlerEnd {
  return { outcome: 'lost', why: messageOf(error) };
}

async function judge(work: HeldWork, error: unknown, random: Random): Promise<HandlerEnd> {
  if (isLost(work)) return lost(work.signal.reason);
  if (isEngineError(error, 'stopping') || work.signal.aborted) return { outcome: 'released', why: 'the worker stops' };
  if (isEngineError(error, 'cancelled')) return failed('Cancelled', error.message);
  // What was thrown on the way out of cancelled work matters less than why it went out; a flash is not on its way out.
  if (work.cancel !== undefined && !work.isCancelUnsafe)
    return failed('Cancelled', `${messageOf(work.ending.reason)}, and then: ${messageOf(error)}`);
  if (!(await isTransient(work, error)))
    return isLost(work) ? lost(work.signal.reason) : failed(codeOf(error), messageOf(error));
  const afterMs = Math.round(backoffDelay(backoff, work.condition.leases, random));
  return { outcome: 'released', why: messageOf(error), afterMs };
}

function failed(code: string, message: string): HandlerEnd {
  return { outcome: 'failed', reason: { code, message } };
}

/** A BMC's gate says that the lease is lost also when it could not find out: while it is held, that passes. */
async function isTransient(work: HeldWork, error: unknown): Promise<boolean> {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'leaseLost') {
    return await work.check().then(
      () => true,
      () => !isLost(work),
    );
  }
  return 'retry' in error && error.retry === 'transient';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && 'retry' in error ? String(error.code) : '';
  return code === '' ? 'WorkerError' : `${code.charAt(0).toUpperCase()}${code.slice(1)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
