import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../kube/index.ts';

export type { RetryClass } from '../kube/index.ts';

/** Everything the engine refuses or cannot do. `status` is what a front door answers over HTTP. */
export const engineErrors = {
  unknownKind: {
    status: 400,
    retry: 'terminal',
    message: 'there is no kind of condition called {kind}; the kinds are {kinds}',
  },
  badParameters: { status: 400, retry: 'terminal', message: 'the parameters of {kind} cannot be used: {problems}' },
  badOrder: { status: 400, retry: 'terminal', message: 'the order for {target} cannot be taken: {problems}' },
  badQuery: { status: 400, retry: 'terminal', message: 'the query cannot be answered: {problems}' },
  unknownMachine: {
    status: 404,
    retry: 'blocked',
    message: 'no machine {machine} is known; enrol it before asking for work on it',
  },
  notFound: { status: 404, retry: 'terminal', message: 'there is no condition {id}' },
  queueFull: {
    status: 429,
    retry: 'transient',
    message:
      'resource exhausted: {pending} conditions wait already and the limit is {limit}; nothing was stored, ask again later',
  },
  kindQueueFull: {
    status: 429,
    retry: 'transient',
    message:
      'resource exhausted: {pending} conditions of kind {kind} wait already and the limit of the kind is {limit}; nothing was stored, ask again later',
  },
  blockedQueueFull: {
    status: 429,
    retry: 'transient',
    message:
      'resource exhausted: {pending} conditions wait for a worker that is not online or for hosts in use, and the limit of those is {limit}; nothing was stored: start workers or free hosts, then ask again',
  },
  notFinal: {
    status: 409,
    retry: 'blocked',
    message: 'condition {id} is {state}; only what has failed or succeeded can be removed: cancel it first',
  },
  illegalChange: { status: 409, retry: 'terminal', message: 'condition {id} cannot be changed so: {problem}' },
  cancelUnsafe: {
    status: 409,
    retry: 'blocked',
    message:
      'condition {id} is in the middle of something that must not be interrupted (a flash); a forced cancel is refused unless you insist, since the device may be left unusable',
  },
  machineBusy: {
    status: 409,
    retry: 'blocked',
    message: 'machine {machine} cannot be {what} while {conditions} work on it: cancel them or let them end',
  },
  unknownWorker: { status: 404, retry: 'transient', message: 'worker {worker} is not online; it has to say so first' },
  leaseLost: { status: 409, retry: 'blocked', message: 'the lease on condition {id} is not held any more: {detail}' },
  cancelled: { status: 409, retry: 'terminal', message: 'condition {id} was cancelled by {by}' },
  stopping: { status: 503, retry: 'transient', message: 'the worker stops and lets condition {id} go' },
  aborted: { status: 503, retry: 'transient', message: '{what} was given up' },
  closed: { status: 503, retry: 'transient', message: 'the engine is closed' },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type EngineErrorCode = keyof typeof engineErrors;

/** What the engine refused, with a code to decide on and a message to show. */
export class EngineError extends HttpTableError<EngineErrorCode> {
  constructor(code: EngineErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: engineErrors, code, fields }, more);
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isEngineError(error: unknown, ...codes: readonly EngineErrorCode[]): error is EngineError {
  return isErrorOf(EngineError, error, codes);
}
