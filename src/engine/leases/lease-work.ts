import { sleep } from '../../kube/index.ts';
import type { EngineContext } from '../context.ts';
import { UniqueViolation } from '../store/database.ts';
import type { Lease, WorkerIdentity } from '../worker/worker-port.ts';
import { readBudget } from './budget.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import { claimCandidates } from './claim.ts';

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

/** Leases what can be leased now, up to `max`; none when there is nothing. */
export async function leaseNow(context: EngineContext, request: LeaseRequest): Promise<readonly Lease[]> {
  const leases: Lease[] = [];
  for (let round = 0; round < mostRounds && leases.length < request.max; round++) {
    const max = request.max - leases.length;
    const candidates = await search(context, { ...request, max });
    if (candidates.length === 0) break;
    const claimed = await claim(context, { worker: request.worker, candidates, max });
    leases.push(...claimed);
    // A short search that was claimed whole has found all there is.
    if (claimed.length === candidates.length && candidates.length < max) break;
  }
  for (const one of leases) context.metrics.leased(one.condition);
  return leases;
}

function search(context: EngineContext, request: LeaseRequest): Promise<readonly Candidate[]> {
  const { worker, max, target } = request;
  return context.database.read(async (tx) => {
    const budget = await readBudget(tx, context.limits());
    if (budget.room === 0) return [];
    const found = await findCandidates(tx, worker, { budget, most: max + spare, target });
    return found.slice(0, max + spare);
  });
}

async function claim(
  context: EngineContext,
  claiming: { readonly worker: WorkerIdentity; readonly candidates: readonly Candidate[]; readonly max: number },
): Promise<readonly Lease[]> {
  try {
    return await context.inTurn(() => context.database.write((tx) => claimCandidates(context, tx, claiming)));
  } catch (error) {
    // Another process was faster on one of the devices: the next round looks again.
    if (error instanceof UniqueViolation) return [];
    throw error;
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
