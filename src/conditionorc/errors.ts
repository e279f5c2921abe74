import type { JsonObject } from '../engine/index.ts';

/** Whether trying again can help: by itself, after somebody did something, never, or only after a repair of our code. */
export type OrcRetryClass = 'transient' | 'blocked' | 'terminal' | 'bug';

/** Everything that conditionOrc refuses or cannot do. `status` is the HTTP answer. */
export const orcErrors = {
  badParameters: { status: 400, retry: 'terminal', message: 'the parameters of {kind} cannot be used: {problems}' },
  badChange: { status: 400, retry: 'terminal', message: 'condition {id} cannot be changed so: {problems}' },
  badEnrolment: { status: 400, retry: 'terminal', message: 'the server cannot be enrolled: {problems}' },
  unknownServer: { status: 404, retry: 'blocked', message: 'there is no server {server}; enrol it first' },
  noCondition: { status: 404, retry: 'terminal', message: '{what} has no condition{detail}' },
  conflict: {
    status: 409,
    retry: 'blocked',
    message:
      '{kind} {id} of this server is {state} and was asked for with other parameters or in another unit; let it end or cancel it first',
  },
  staleLock: {
    status: 409,
    retry: 'blocked',
    message: 'condition {id} has changed since: {given}; its lock is {lock} now, look at the record and ask again',
  },
  serverBusy: {
    status: 409,
    retry: 'blocked',
    message: 'server {server} cannot be deleted while {conditions} wait or work on it: cancel them or let them end',
  },
  notHolder: { status: 409, retry: 'blocked', message: 'condition {id} is not held by {worker}: {detail}' },
  staleTask: { status: 422, retry: 'blocked', message: 'the task of condition {id} is stale: {detail}' },
  notServed: { status: 501, retry: 'terminal', message: '{what} is not served here: {instead}' },
  noInventory: {
    status: 503,
    retry: 'blocked',
    message: '{what} needs the inventory, and this conditionOrc was started without one',
  },
  workerApi: { status: 502, retry: 'terminal', message: 'the worker API refused {what}: {detail}' },
  workerApiAway: { status: 503, retry: 'transient', message: 'the worker API cannot be used for {what}: {detail}' },
  workerApiDenied: { status: 403, retry: 'blocked', message: 'the worker API does not let us {what}: {detail}' },
} as const satisfies Record<string, { status: number; retry: OrcRetryClass; message: string }>;

/** A key of the error table. */
export type OrcErrorCode = keyof typeof orcErrors;

/** What goes with an error besides its message. */
export interface OrcErrorMore {
  readonly problems?: readonly string[];
  /** What is there now, for whoever lost against it. */
  readonly record?: JsonObject;
  readonly cause?: unknown;
}

/** What conditionOrc refused, with a code to decide on and a message to show. */
export class OrcError extends Error {
  override readonly name = 'OrcError';
  readonly code: OrcErrorCode;
  readonly status: number;
  readonly retry: OrcRetryClass;
  readonly problems: readonly string[];
  readonly record?: JsonObject;

  constructor(code: OrcErrorCode, fields: Readonly<Record<string, string | number>>, more: OrcErrorMore = {}) {
    const shown: Record<string, string | number> = { problems: (more.problems ?? []).join('; '), ...fields };
    const { message, status, retry } = orcErrors[code];
    const text = message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(shown[name] ?? '?'));
    super(text, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = status;
    this.retry = retry;
    this.problems = more.problems ?? [];
    if (more.record !== undefined) this.record = more.record;
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isOrcError(error: unknown, ...codes: readonly OrcErrorCode[]): error is OrcError {
  return error instanceof OrcError && (codes.length === 0 || codes.includes(error.code));
}
