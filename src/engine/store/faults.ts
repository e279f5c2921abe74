/** Where a test can make a database fail. */
export type FaultPoint = 'statement' | 'commit';

/** For tests: asked before every statement and commit; an error it returns is thrown as if the database had said so. */
export interface DatabaseFaults {
  before(point: FaultPoint): Error | undefined;
}

/** What a test makes fail: the n-th statement or commit from now on, counted from 1. */
export interface FaultPlan {
  readonly point: FaultPoint;
  readonly nth: number;
  /** An SQLSTATE; 40001, a serialization failure, unless given. `lost` is a connection that breaks. */
  readonly code?: string;
}

/** For tests: makes chosen statements and commits fail. */
export interface FaultInjector extends DatabaseFaults {
  /** Adds a failure; several may be planned at once. */
  plan(fault: FaultPlan): void;
  /** How many planned failures have happened. */
  readonly injected: number;
}

/** For tests: what the database answers when it asks for a transaction to be run again, or what breaks. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
  readonly code: string;
  readonly severity = 'ERROR';

  constructor(code: string) {
    super(code === 'lost' ? 'injected loss of the connection' : `injected failure ${code}`);
    this.code = code;
  }
}

/** For tests: an injector with nothing planned. */
export function createFaultInjector(): FaultInjector {
  const seen = { statement: 0, commit: 0 };
  const planned: { point: FaultPoint; at: number; code: string }[] = [];
  let injected = 0;
  return {
    plan: ({ point, nth, code }) => void planned.push({ point, at: seen[point] + nth, code: code ?? '40001' }),
    before(point) {
      seen[point] += 1;
      const index = planned.findIndex((fault) => fault.point === point && fault.at === seen[point]);
      const [fault] = index < 0 ? [] : planned.splice(index, 1);
      if (fault === undefined) return undefined;
      injected += 1;
      return new InjectedFault(fault.code);
    },
    get injected() {
      return injected;
    },
  };
}
