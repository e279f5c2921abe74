import { updateServiceClients } from '../../conditionorc/index.ts';
import type { Condition, Engine } from '../../engine/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import { invalid } from '../desk/check-request.ts';
import { isOver, type JobBook } from './job-book.ts';

/** How somebody wants a job to end. */
export interface CancelOrder {
  readonly jobId: string;
  readonly client: string;
  /** How long it may take to stop by itself before it is forced; 0 waits for nothing. */
  readonly timeoutMs: number;
  readonly isForced: boolean;
  readonly doesInsist: boolean;
  /** Aborts when the caller is gone, or the service stops: then nothing is forced. */
  readonly signal: AbortSignal;
}

/** What jobs are cancelled with. */
export interface CancelParts {
  readonly engine: Pick<Engine, 'cancel' | 'get' | 'onHint'>;
  readonly book: Pick<JobBook, 'require'>;
  readonly clock: Clock;
}

const longestTimeoutMs = 10 * 60_000;
const lookMs = 1000;

/**
 * Cancels a job. What waits ends at once; what runs is asked to stop at its next safe point and, if that is forced, cut off
 * when its time is over: during a flash only for who insists. A caller who is gone by then has not waited for that: the job
 * stays asked to stop. Throws `jobNotFound`, `invalidRequest` and the engine's `cancelUnsafe`.
 */
export async function cancelJob(parts: CancelParts, order: CancelOrder): Promise<Condition> {
  const { engine, book } = parts;
  if (order.timeoutMs < 0 || order.timeoutMs > longestTimeoutMs) {
    throw invalid([`timeout is ${order.timeoutMs / 1000} s, and may be from 0 to ${longestTimeoutMs / 1000} s`]);
  }
  const job = await book.require(order.jobId);
  if (isOver(job)) return job;
  const client = `${updateServiceClients}${order.client}`;
  const asked = await engine.cancel(job.id, { client, isForced: false, doesInsist: false });
  const { job: after, isTimeOver } = await waitForEnd(parts, asked, order);
  if (isOver(after) || !order.isForced || !isTimeOver) return after;
  return await engine.cancel(job.id, { client, isForced: true, doesInsist: order.doesInsist });
}

async function waitForEnd(
  { engine, clock }: CancelParts,
  asked: Condition,
  { timeoutMs, signal }: CancelOrder,
): Promise<{ readonly job: Condition; readonly isTimeOver: boolean }> {
  const end = clock.monotonic() + timeoutMs;
  let current = asked;
  for (;;) {
    const left = end - clock.monotonic();
    const isTimeOver = left <= 0;
    if (isOver(current) || isTimeOver || signal.aborted) return { job: current, isTimeOver };
    const woken = new AbortController();
    const unlisten = engine.onHint(({ conditionId }) => {
      if (conditionId === asked.id) woken.abort();
    });
    await sleep(clock, Math.min(left, lookMs), AbortSignal.any([woken.signal, signal]));
    unlisten();
    current = (await engine.get(asked.id)) ?? current;
  }
}
