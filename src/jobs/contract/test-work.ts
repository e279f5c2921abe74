import { type Condition, EngineError, type JsonObject, type StepReport, type Work } from '../../engine/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';

/** For tests: a condition as an engine keeps it, and what strategies reported of it. */
export interface TestCondition {
  readonly kind: 'firmwareInstall' | 'inventoryOOB';
  readonly target: string;
  readonly parameters: JsonObject;
  progress: JsonObject;
  status: JsonObject;
  isCancelUnsafe: boolean;
  /** How often it was leased. */
  leases: number;
  isCancelAsked: boolean;
  /** Every report, in order. */
  readonly reports: StepReport[];
}

/** For tests: a new condition. */
export function createTestCondition(order: Pick<TestCondition, 'kind' | 'target' | 'parameters'>): TestCondition {
  return { ...order, progress: {}, status: {}, isCancelUnsafe: false, leases: 0, isCancelAsked: false, reports: [] };
}

/** For tests: the end of a process at some moment. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

/** For tests: how one process lives. */
export interface TestLife {
  readonly clock: Clock;
  /** It dies right after this many reports became durable; never unless given. */
  readonly diesAfter?: number;
  /** It dies right before the first such report would become durable; never unless given. */
  readonly diesBefore?: (report: StepReport) => boolean;
}

/** For tests: leases a condition to one process, as a worker of the engine would. */
export function leaseTestWork(
  condition: TestCondition,
  { clock, diesAfter = Number.POSITIVE_INFINITY, diesBefore = () => false }: TestLife,
): Work {
  condition.leases += 1;
  const token = condition.leases;
  const ended = new AbortController();
  const ending = new AbortController();
  let reports = 0;
  let hasThrown = false;
  const id = 'condition-under-test';
  const cancel = () => (condition.isCancelAsked ? { at: clock.now(), isForced: false, by: 'the test' } : undefined);
  const die = (): never => {
    ended.abort(new ProcessDied('the process died'));
    throw ended.signal.reason;
  };
  const hold = (): void => {
    if (ended.signal.aborted) throw ended.signal.reason;
    if (token === condition.leases) return;
    const error = new EngineError('leaseLost', { id, detail: 'another has it' });
    ended.abort(error);
    throw error;
  };
  const throwAtSafePoint = (): void => {
    if (condition.isCancelAsked && !ending.signal.aborted)
      ending.abort(new EngineError('cancelled', { id, by: 'the test' }));
    if (!ending.signal.aborted || condition.isCancelUnsafe || hasThrown) return;
    hasThrown = true;
    throw ending.signal.reason;
  };
  const shown = conditionOf(condition, id);
  return {
    condition: shown,
    lease: {
      condition: shown,
      token,
      until: clock.now() + 600_000,
      previous: undefined,
      leftovers: [],
      leaseMs: 600_000,
    },
    isFirstLease: token === 1,
    previous: undefined,
    leftovers: [],
    signal: ended.signal,
    ending: ending.signal,
    get cancel() {
      return cancel();
    },
    async report(report: StepReport = {}) {
      hold();
      if (diesBefore(report)) die();
      if (report.progress !== undefined) condition.progress = structuredClone(report.progress);
      if (report.status !== undefined) condition.status = structuredClone(report.status);
      condition.isCancelUnsafe = report.isCancelUnsafe ?? condition.isCancelUnsafe;
      condition.reports.push(structuredClone(report));
      reports += 1;
      if (reports >= diesAfter) die();
      throwAtSafePoint();
    },
    check: async () => hold(),
    confirm: async () => hold(),
    now: () => clock.now(),
    async pause(ms, signal) {
      await sleep(clock, ms, signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]));
      hold();
      throwAtSafePoint();
    },
    async acquireSlot() {
      hold();
      return async () => {};
    },
  };
}

function conditionOf(condition: TestCondition, id: string): Condition {
  const { kind, target, parameters, progress, status, leases } = condition;
  return {
    id,
    unit: id,
    unitIndex: 0,
    target,
    lockKey: target,
    kind,
    state: 'active',
    parameters,
    status: structuredClone(status),
    progress: structuredClone(progress),
    controller: 'test',
    lock: String(leases),
    priority: 0,
    facility: '',
    client: 'test',
    reason: undefined,
    fencingToken: leases,
    leaseUntil: undefined,
    leases,
    cancel: undefined,
    isCancelUnsafe: condition.isCancelUnsafe,
    deadline: undefined,
    createdAt: 0,
    updatedAt: 0,
    finalizedAt: undefined,
  };
}
