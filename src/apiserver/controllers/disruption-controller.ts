import { isDeepStrictEqual } from 'node:util';
import { createWorkQueue, systemClock, type WorkOutcome } from '../../kube/index.ts';
import { budgetBucket, type PodDisruptionBudget } from '../builtins/pod-disruption-budgets.ts';
import { type Pod, podBucket } from '../builtins/pod-object.ts';
import { covers, disruptionConditions, isReady } from '../builtins/subresources/disruption-check.ts';
import type { ServerCore } from '../core.ts';
import { systemContext, systemWrite } from '../handlers/system-context.ts';
import { updateObject } from '../handlers/update.ts';
import { ApiError } from '../status.ts';
import type { EveryBucket } from './every-bucket.ts';
import { LaterQueue } from './later-queue.ts';
import { addressOf, keyAt } from './object-address.ts';

/** A pod that was evicted is counted as gone for this long, even if nobody has seen it go. */
const evictionGraceMs = 2 * 60_000;

/** Keeps the numbers of pod disruption budgets: how many pods are healthy, how many must be, how many may go. */
export class DisruptionController {
  readonly #core: ServerCore;
  readonly #queue: LaterQueue;

  constructor(core: ServerCore, onFault: (error: unknown) => void) {
    this.#core = core;
    const queue = createWorkQueue({
      name: 'disruption-budgets',
      clock: systemClock,
      random: Math.random,
      work: async (address) => {
        try {
          return await this.#work(address);
        } catch (error) {
          if (!(error instanceof ApiError)) onFault(error);
          throw error;
        }
      },
    });
    this.#queue = new LaterQueue(queue);
  }

  /** Listens and begins; `buckets` is started by the caller. */
  start(buckets: EveryBucket): void {
    const wake = (stored: { bucket: string; namespace: string; name: string }): void => {
      if (stored.bucket === budgetBucket) this.#queue.add(addressOf(stored));
      else if (stored.bucket === podBucket) this.#wakeNamespace(stored.namespace);
    };
    buckets.listen({ set: wake, remove: wake });
    this.#queue.start();
  }

  async close(): Promise<void> {
    await this.#queue.drain();
  }

  #wakeNamespace(namespace: string): void {
    if (this.#core.store.count(budgetBucket) === 0) return;
    const page = this.#core.store.list({ bucket: budgetBucket, namespace });
    if (page !== 'expired') for (const stored of page.items) this.#queue.add(addressOf(stored));
  }

  async #work(address: string): Promise<WorkOutcome> {
    const key = keyAt(address);
    const served = this.#core.registry.storage(budgetBucket);
    const stored = this.#core.store.get(key);
    if (served === undefined || stored === undefined) return { kind: 'done' };
    const budget = JSON.parse(stored.json) as PodDisruptionBudget;
    const now = this.#core.now();
    const pods = this.#podsOf(budget);
    if (isDeepStrictEqual(budgetStatus(budget, pods, now), budget.status)) return this.#outcome(budget, now);
    const context = systemContext(this.#core, served, { verb: 'update', namespace: key.namespace, name: key.name });
    await updateObject(this.#core, context, served, {
      key,
      subresource: 'status',
      options: systemWrite('UpdateOptions', 'kube-controller-manager'),
      isManaged: false,
      transform: (live: PodDisruptionBudget) => ({ ...live, status: budgetStatus(live, pods, now) }),
    });
    return this.#outcome(budget, now);
  }

  /** Comes back when the oldest eviction that nobody has seen through is forgotten. */
  #outcome(budget: PodDisruptionBudget, now: Date): WorkOutcome {
    const times = Object.values(budget.status?.disruptedPods ?? {}).map((time) => Date.parse(time));
    if (times.length === 0) return { kind: 'done' };
    return { kind: 'again', afterMs: Math.max(1_000, Math.min(...times) + evictionGraceMs - now.getTime()) };
  }

  #podsOf(budget: PodDisruptionBudget): Pod[] {
    const page = this.#core.store.list({ bucket: podBucket, namespace: budget.metadata.namespace ?? '' });
    if (page === 'expired') return [];
    return page.items.map(({ json }) => JSON.parse(json) as Pod).filter((pod) => covers(budget, pod));
  }
}

/** The status a budget should have, given the pods it covers. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  now: Date,
): NonNullable<PodDisruptionBudget['status']> {
  const { spec = {}, status = {}, metadata } = budget;
  const running = pods.filter((pod) => !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''));
  const disruptedPods = stillDisrupted(status.disruptedPods ?? {}, running, now);
  const isLeaving = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp !== undefined || Object.hasOwn(disruptedPods, pod.metadata.name ?? '');
  const expectedPods = running.length;
  const currentHealthy = running.filter((pod) => isReady(pod) && !isLeaving(pod)).length;
  const desiredHealthy =
    spec.maxUnavailable === undefined
      ? amountOf(spec.minAvailable ?? 0, expectedPods)
      : Math.max(0, expectedPods - amountOf(spec.maxUnavailable, expectedPods));
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { disruptedPods: _before, ...kept } = status;
  const next = {
    ...kept,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
  return { ...next, conditions: disruptionConditions({ ...budget, status: next }, now) };
}

/** Evictions that have not been seen through yet. */
function stillDisrupted(disrupted: Record<string, string>, pods: readonly Pod[], now: Date): Record<string, string> {
  const alive = new Set(pods.filter((p) => p.metadata.deletionTimestamp === undefined).map((p) => p.metadata.name));
  const isOpen = ([name, time]: [string, string]): boolean =>
    alive.has(name) && Date.parse(time) + evictionGraceMs > now.getTime();
  return Object.fromEntries(Object.entries(disrupted).filter(isOpen));
}

/** A number, or a share of the pods, rounded up. */
function amountOf(amount: number | string, total: number): number {
  return typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * total) / 100);
}
