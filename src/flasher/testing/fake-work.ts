import {
  type Condition,
  EngineError,
  type JsonObject,
  type PreviousHolder,
  type StepReport,
  type Work,
} from '../../engine/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import type { Mortal } from './mortal.ts';

/** For tests: what an engine would keep of one condition. */
export interface StoredWork {
  readonly id: string;
  readonly target: string;
  readonly kind: string;
  readonly parameters: JsonObject;
  progress: JsonObject;
  status: JsonObject;
  sessionUri: string | undefined;
  isCancelUnsafe: boolean;
  cancel: Condition['cancel'];
  leases: number;
  /** Every status that was reported, in order. */
  readonly statuses: JsonObject[];
}

/** For tests: a new condition. */
export function storeWork(order: Pick<StoredWork, 'kind' | 'parameters'> & { readonly target?: string }): StoredWork {
  return {
    id: 'condition-1',
    target: 'server/1',
    progress: {},
    status: {},
    sessionUri: undefined,
    isCancelUnsafe: false,
    cancel: undefined,
    leases: 0,
    statuses: [],
    ...order,
  };
}

/** For tests: leases stored work to a process, as the engine's worker would. */
export function leaseWork(
  stored: StoredWork,
  process: { readonly mortal: Mortal; readonly clock: Clock; readonly leaseMs?: number },
): Work & { stop(): void } {
  const { mortal, clock } = process;
  const leftovers: PreviousHolder[] =
    stored.sessionUri === undefined
      ? []
      : [{ controller: 'before', token: stored.leases, sessionUri: stored.sessionUri }];
  stored.leases += 1;
  const token = stored.leases;
  const condition = conditionOf(stored);
  const leaseMs = process.leaseMs ?? 300_000;
  const lease = { condition, token, until: 0, previous: leftovers[0], leftovers, leaseMs };
  const ending = new AbortController();
  let hasThrown = false;
  const hold = (): void => {
    if (mortal.isDead) throw mortal.signal.reason;
    if (token !== stored.leases) throw new EngineError('leaseLost', { id: stored.id, detail: 'another has it' });
  };
  const hear = (): void => {
    if (stored.cancel !== undefined && !ending.signal.aborted) {
      ending.abort(new EngineError('cancelled', { id: stored.id, by: stored.cancel.by }));
    }
  };
  const throwAtSafePoint = (): void => {
    if (!ending.signal.aborted || stored.isCancelUnsafe || hasThrown) return;
    hasThrown = true;
    throw ending.signal.reason;
  };
  return {
    condition,
    lease,
    isFirstLease: token === 1,
    previous: leftovers[0],
    leftovers,
    signal: mortal.signal,
    ending: ending.signal,
    get cancel() {
      return stored.cancel;
    },
    async report(report: StepReport = {}) {
      hold();
      const { progress, status, sessionUri, isCancelUnsafe } = report;
      if (progress !== undefined) stored.progress = structuredClone(progress);
      if (status !== undefined) {
        stored.status = structuredClone(status);
        stored.statuses.push(stored.status);
      }
      if (sessionUri !== undefined) stored.sessionUri = sessionUri;
      if (isCancelUnsafe !== undefined) stored.isCancelUnsafe = isCancelUnsafe;
      if (progress !== undefined) mortal.moment(`stored ${String(progress.state)}`);
      hear();
      throwAtSafePoint();
    },
    check: async () => hold(),
    confirm: async () => hold(),
    now: () => clock.now(),
    async pause(ms, signal) {
      await sleep(clock, ms, signal === undefined ? mortal.signal : AbortSignal.any([mortal.signal, signal]));
      hold();
      hear();
      throwAtSafePoint();
    },
    async acquireSlot() {
      hold();
      return async () => {};
    },
    stop: () => ending.abort(new EngineError('stopping', { id: stored.id })),
  };
}

function conditionOf(stored: StoredWork): Condition {
  return {
    id: stored.id,
    unit: stored.id,
    unitIndex: 0,
    target: stored.target,
    lockKey: 'bmc/1',
    kind: stored.kind,
    state: 'active',
    parameters: stored.parameters,
    status: stored.status,
    progress: stored.progress,
    controller: 'flasher/test',
    lock: String(stored.leases),
    priority: 0,
    facility: 'fc1',
    client: 'test',
    reason: undefined,
    fencingToken: stored.leases,
    leaseUntil: undefined,
    leases: stored.leases,
    cancel: stored.cancel,
    isCancelUnsafe: false,
    deadline: undefined,
    createdAt: 0,
    updatedAt: 0,
    finalizedAt: undefined,
  };
}
