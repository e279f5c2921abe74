import type { Condition, Work, WorkHandler, WorkOutcome } from '../../engine/index.ts';
import type { Clock, Timer } from '../../kube/index.ts';
import { FlasherError } from '../errors.ts';

const minute = 60_000;

/** A worker that comes to work whose time is over gets this, to find out what came of it. */
const leastMs = 5 * minute;
/** How long a handler may take to notice that its time is over. */
const noticeMs = 30_000;

/** When the first worker began with some work, by the store's time; stored with its progress. */
export function startedAtOf(work: Work): number {
  const { startedAt } = work.condition.progress;
  return typeof startedAt === 'number' ? startedAt : work.now();
}

/**
 * Ends work within a time that begins when the first worker takes it, whatever the handler does and however many workers
 * die over it.
 */
export function withinTime(limitMs: number, handler: WorkHandler, { clock }: { readonly clock: Clock }): WorkHandler {
  return async (work) => {
    const startedAt = startedAtOf(work);
    const over = new AbortController();
    const leftMs = Math.max(leastMs, startedAt + limitMs - work.now());
    const hung = Promise.withResolvers<undefined>();
    let noticing: Timer | undefined;
    const timer = clock.after(leftMs, () => {
      over.abort(overdue(work, startedAt));
      noticing = clock.after(noticeMs, () => hung.resolve(undefined));
    });
    try {
      const outcome = await Promise.race([handler(limited(work, { startedAt, over: over.signal })), hung.promise]);
      return outcome ?? failed(over.signal.reason);
    } catch (error) {
      if (!over.signal.aborted || work.signal.aborted) throw error;
      return failed(over.signal.reason);
    } finally {
      timer.cancel();
      noticing?.cancel();
    }
  };
}

function overdue(work: Work, startedAt: number): FlasherError {
  const minutes = Math.round((work.now() - startedAt) / minute);
  return new FlasherError('overdue', { step: work.condition.kind, minutes, detail: 'see its last message' });
}

function failed({ message }: FlasherError): WorkOutcome {
  return { outcome: 'failed', reason: { code: 'Timeout', message } };
}

/** The same work, which stores when it began, and ends with its time. */
function limited(work: Work, { startedAt, over }: { readonly startedAt: number; readonly over: AbortSignal }): Work {
  const signal = AbortSignal.any([work.signal, over]);
  const throwIfOver = (): void => {
    if (over.aborted && !work.signal.aborted) throw over.reason;
  };
  const condition: Condition = { ...work.condition, progress: { ...work.condition.progress, startedAt } };
  let isStored = work.condition.progress.startedAt === startedAt;
  return changeWork(work, {
    condition,
    signal,
    async report(report = {}) {
      throwIfOver();
      const progress = report.progress ?? (isStored ? undefined : condition.progress);
      await work.report(progress === undefined ? report : { ...report, progress: { ...progress, startedAt } });
      isStored = true;
    },
    async check(options) {
      throwIfOver();
      await work.check(options);
    },
    async confirm() {
      throwIfOver();
      await work.confirm();
    },
    async pause(ms, until) {
      await work.pause(ms, until === undefined ? over : AbortSignal.any([over, until]));
      throwIfOver();
    },
  });
}

/** The same work under the same lease, some of which is done in another way. */
export function changeWork(work: Work, changes: Partial<Omit<Work, 'cancel'>>): Work {
  return {
    condition: work.condition,
    lease: work.lease,
    isFirstLease: work.isFirstLease,
    previous: work.previous,
    leftovers: work.leftovers,
    signal: work.signal,
    ending: work.ending,
    get cancel() {
      return work.cancel;
    },
    report: (report) => work.report(report),
    check: (options) => work.check(options),
    confirm: () => work.confirm(),
    pause: (ms, signal) => work.pause(ms, signal),
    now: () => work.now(),
    acquireSlot: (name) => work.acquireSlot(name),
    ...changes,
  };
}
