import type { Condition, Engine } from '../../engine/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import type { kindOf } from '../kinds.ts';
import { isOver, type JobBook } from './job-book.ts';
import { isJob, jobTypeOf } from './show-job.ts';

/** Which jobs are watched. */
export interface WatchQuery {
  readonly type?: keyof typeof kindOf | undefined;
  readonly target?: string | undefined;
  readonly jobId?: string | undefined;
}

/** What jobs are watched with. */
export interface WatchParts {
  readonly engine: Pick<Engine, 'eventsAfter' | 'lastEvent' | 'get' | 'onHint'>;
  readonly book: Pick<JobBook, 'list' | 'require' | 'targetsOf'>;
  readonly clock: Clock;
  /** How often is looked when no hint comes; a second unless given. */
  readonly lookMs?: number;
}

/** Events that one look reads: all that is held in memory for a watcher, however slow it is. */
const eventsAtOnce = 200;

/**
 * The jobs that are there, then each change of one, until the signal aborts. Nothing is buffered: a watcher that takes its
 * time finds the later state of a job in place of all those in between. A watcher of one job is done when the job is.
 */
export async function* watchJobs(
  parts: WatchParts,
  query: WatchQuery,
  signal: AbortSignal,
): AsyncGenerator<Condition, void, undefined> {
  const { engine, book } = parts;
  let seen = await engine.lastEvent();
  const { jobId = '' } = query;
  const targets = await book.targetsOf(query.target);
  const isWanted = (job: Pick<Condition, 'kind' | 'target' | 'id'>): boolean =>
    isJob(job) &&
    (query.type === undefined || jobTypeOf(job.kind) === query.type) &&
    (targets === undefined || targets.includes(job.target)) &&
    (jobId === '' || job.id === jobId.toLowerCase());
  for await (const job of jobId === '' ? listAll(book, query) : [await book.require(jobId)]) {
    if (signal.aborted) return;
    if (isWanted(job)) yield job;
    if (jobId !== '' && isOver(job)) return;
  }
  const bell = listen(parts, signal);
  try {
    while (!signal.aborted) {
      const events = await engine.eventsAfter(seen, eventsAtOnce);
      seen = events.at(-1)?.seq ?? seen;
      const changed = events.flatMap(({ conditionId: id, kind = '', target = '' }) =>
        id !== undefined && isWanted({ id, kind, target }) ? [id] : [],
      );
      for (const id of new Set(changed)) {
        const job = await engine.get(id);
        if (signal.aborted) return;
        if (job !== undefined) yield job;
        if (job !== undefined && jobId !== '' && isOver(job)) return;
      }
      if (events.length < eventsAtOnce) await bell.wait();
    }
  } finally {
    bell.close();
  }
}

/** Jobs that are not over, page by page. */
async function* listAll(book: Pick<JobBook, 'list'>, query: WatchQuery): AsyncGenerator<Condition, void, undefined> {
  for (const state of ['active', 'pending'] as const) {
    for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
      const { type, target } = query;
      const page = await book.list({ type, target, state, after, limit: 100 });
      yield* page.jobs;
      after = page.next;
    }
  }
}

/** Rings when something changed, or after a while. */
function listen({ engine, clock, lookMs = 1000 }: WatchParts, signal: AbortSignal) {
  let hasRung = false;
  let ring: () => void = () => {};
  const close = engine.onHint(() => {
    hasRung = true;
    ring();
  });
  return {
    close,
    async wait(): Promise<void> {
      if (!hasRung) {
        const woken = new AbortController();
        ring = () => woken.abort();
        await sleep(clock, lookMs, AbortSignal.any([woken.signal, signal]));
      }
      hasRung = false;
    },
  };
}
