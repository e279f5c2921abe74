import { backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import { isEngineError } from '../errors.ts';
import type { HeldWork } from './held-work.ts';
import type { WorkHandler, WorkOutcome } from './work.ts';

/** How a handler ended: with an outcome, or without the right to write one. */
export type HandlerEnd =
  | WorkOutcome
  | {
      readonly outcome: 'lost';
      readonly why: string;
      /** It does not notice that it lost its lease and may still act; resolves once it ended. */
      readonly hanging?: Promise<void>;
    };

const backoff = { baseMs: 5000, maxMs: 300_000 };

/** How long a handler may take to notice that its lease is lost. */
const noticeMs = 30_000;

/** Runs a handler and says how it ended, or that it hangs; it never throws. */
export async function runHandler(
  handler: WorkHandler,
  work: HeldWork,
  { random, clock }: { readonly random: Random; readonly clock: Clock },
): Promise<HandlerEnd> {
  const over = new AbortController();
  const end = runToEnd(handler, work, random).finally(() => over.abort());
  const hanging = end.then(() => {});
  return await Promise.race([end, whenHanging(work, { clock, signal: over.signal }, hanging)]);
}

/** Resolves when a handler goes on though its lease was lost a while ago; never when it ends before. */
async function whenHanging(
  work: HeldWork,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  hanging: Promise<void>,
): Promise<HandlerEnd> {
  await abortOf(AbortSignal.any([work.signal, signal]));
  // One that is cut off since the worker stops is waited for: its lease is still its own.
  if (isLost(work)) await sleep(clock, noticeMs, signal);
  if (signal.aborted || !isLost(work)) return await new Promise(() => {});
  return { outcome: 'lost', why: messageOf(work.signal.reason), hanging };
}

/** Resolves when a signal aborts. */
export function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function runToEnd(handler: WorkHandler, work: HeldWork, random: Random): Promise<HandlerEnd> {
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
