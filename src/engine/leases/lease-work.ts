import { sleep } from '../../kube/index.ts';
import type { EngineContext } from '../context.ts';
import { UniqueViolation } from '../store/database.ts';
import { StoreError } from '../store/errors.ts';
import type { Lease, WorkerIdentity } from '../worker/worker-port.ts';
import { readBudget } from './budget.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import { claimCandidates, findClaimed } from './claim.ts';

/** How a worker asks for work. */
export interface LeaseRequest {
  readonly worker: WorkerIdentity;
  readonly max: number;
  /** Only work on this; on anything unless given. */
  readonly target?: string | undefined;
}

/** How many more than asked for are looked at, since others may take some of them meanwhile. */
const spare = 4;

/** How often a search is repeated when others took everything that was found. */
const mostRounds = 5;

/** The most that one transaction leases: others get in between, and a statement takes only so many values. */
const mostAtOnce = 250;

/** Leases what can be leased now, up to `max`; none when there is nothing. */
export async function leaseNow(context: EngineContext, request: LeaseRequest): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  for (let misses = 0; misses < mostRounds && leases.length < request.max; ) {
    const max = Math.min(request.max - leases.length, mostAtOnce);
    const candidates = await search(context, { ...request, max });
    if (candidates.length === 0) break;
    const claimed = await claim(context, { worker: request.worker, candidates, max });
    leases.push(...claimed);
    // A short search that was claimed whole has found all there is.
    if (claimed.length === candidates.length && candidates.length < max) break;
    if (claimed.length < max) misses += 1;
  }
  for (const one of leases) context.metrics.leased(one.condition);
  return leases;
}

async function search(context: EngineContext, request: LeaseRequest): Promise<readonly Candidate[]> {
  const { worker, max, target } = request;
  const before = context.clock.monotonic();
  const { found, look } = await context.database.read(async (tx) => {
    const look = { now: tx.now, before, after: context.clock.monotonic() };
    const budget = await readBudget(tx, context.limits(), context.kinds.activeLimits);
    if (budget.room === 0) return { found: [], look };
    return { found: await findCandidates(tx, worker, { budget, most: max + spare, target }), look };
  });
  // By a clock that leapt ahead, devices would be quiet that are not.
  await context.clockWatch.mind(look);
  return found.slice(0, max + spare);
}

async function claim(
  context: EngineContext,
  claiming: { readonly worker: WorkerIdentity; readonly candidates: readonly Candidate[]; readonly max: number },
): Promise<readonly Lease[]> {
  try {
    return await context.write((tx) => claimCandidates(context, tx, claiming));
  } catch (error) {
    // Another process was faster on one of the devices: the next round looks again.
    if (error instanceof UniqueViolation) return [];
    if (!(error instanceof StoreError) || error.code !== 'outcomeUnknown') throw error;
    // Nobody would work on what may have been leased before its lease ends.
    return await context.write((tx) => findClaimed(context, tx, claiming));
  }
}

/** Wakes those who wait for work. */
export interface Waker {
  /** From now on this worker is woken by what it can do. */
  join(worker: WorkerIdentity): void;
  leave(workerId: string): void;
  /** How often it was woken so far: taken before a search, so that nothing that comes during the search is missed. */
  countOf(workerId: string): number;
  /** Resolves when it was woken more often than `seen`, when the time is over or when the signal aborts. */
  wait(
    workerId: string,
    waiting: { readonly seen: number; readonly ms: number; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Looks again: something may be there for this worker. */
  wake(workerId: string): void;
}

interface Sleeper {
  readonly worker: WorkerIdentity;
  wakes: number;
  readonly waiting: Set<() => void>;
}

/** Makes the waker of one engine; it hears what became ready in this process. */
export function createWaker(context: EngineContext): Waker {
  const sleepers = new Map<string, Sleeper>();
  const wake = (workerId: string): void => {
    const sleeper = sleepers.get(workerId);
    if (sleeper === undefined) return;
    sleeper.wakes += 1;
    for (const done of [...sleeper.waiting]) done();
  };
  context.hints.onWork((ready) => {
    for (const [workerId, { worker }] of sleepers) if (ready.some((one) => isFor(worker, one))) wake(workerId);
  });
  return {
    wake,
    join(worker) {
      sleepers.set(worker.id, { worker, wakes: 0, waiting: new Set() });
    },
    leave(workerId) {
      wake(workerId);
      sleepers.delete(workerId);
    },
    countOf: (workerId) => sleepers.get(workerId)?.wakes ?? 0,
    async wait(workerId, { seen, ms, signal }) {
      const sleeper = sleepers.get(workerId);
      if (sleeper === undefined || sleeper.wakes > seen) return;
      const woken = new AbortController();
      const done = (): void => woken.abort();
      sleeper.waiting.add(done);
      await sleep(context.clock, ms, AbortSignal.any([woken.signal, signal]));
      sleeper.waiting.delete(done);
    },
  };
}

function isFor(worker: WorkerIdentity, ready: { readonly facility: string; readonly kind: string }): boolean {
  const isNear = ready.facility === '' || worker.facilities.includes(ready.facility);
  return isNear && worker.kinds.includes(ready.kind);
}
