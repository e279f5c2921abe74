import type { JsonObject } from '../engine/index.ts';
import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../kube/index.ts';

/** Everything that conditionOrc refuses or cannot do. `status` is the HTTP answer. */
export const orcErrors = {
  badParameters: { status: 400, retry: 'terminal', message: 'the parameters of {kind} cannot be used: {problems}' },
  badChange: { status: 400, retry: 'terminal', message: 'condition {id} cannot be changed so: {problems}' },
  badEnrolment: { status: 400, retry: 'terminal', message: 'the server cannot be enrolled: {problems}' },
  noWorker: {
    status: 409,
    retry: 'blocked',
    message:
      '{kind} is done by an agent on the host or another worker outside, and none that does it is online for facility {facility}: start one (it works over the worker API), or start this service with the promise that hosts boot one',
  },
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
  otherMachine: {
    status: 409,
    retry: 'blocked',
    message: 'the BMC at {address} is of machine {found} and not of {given}; enrol it under the id that it says',
  },
  bmcRefused: {
    status: 422,
    retry: 'blocked',
    message: 'the server cannot be enrolled, for its BMC does not tell which machine it is: {detail}',
  },
  bmcAway: {
    status: 502,
    retry: 'transient',
    message:
      'the server cannot be enrolled now: {detail}; if only its own facility reaches its BMC, enrol it under its System UUID by /api/v1/serverEnroll/UUID',
  },
  noInventory: {
    status: 503,
    retry: 'blocked',
    message: '{what} needs the inventory, and this conditionOrc was started without one',
  },
  badWebhook: { status: 500, retry: 'terminal', message: 'the webhook for notices cannot be used: {detail}' },
  workerApi: { status: 502, retry: 'terminal', message: 'the worker API refused {what}: {detail}' },
  workerApiAway: { status: 503, retry: 'transient', message: 'the worker API cannot be used for {what}: {detail}' },
  workerApiDenied: { status: 403, retry: 'blocked', message: 'the worker API does not let us {what}: {detail}' },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type OrcErrorCode = keyof typeof orcErrors;

/** What goes with an error besides its message. */
export interface OrcErrorMore extends ErrorMore {
  /** What is there now, for whoever lost against it. */
  readonly record?: JsonObject;
}

/** What conditionOrc refused, with a code to decide on and a message to show. */
export class OrcError extends HttpTableError<OrcErrorCode> {
  readonly record?: JsonObject;

  constructor(code: OrcErrorCode, fields: Readonly<Record<string, string | number>>, more: OrcErrorMore = {}) {
    super({ table: orcErrors, code, fields }, more);
    if (more.record !== undefined) this.record = more.record;
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isOrcError(error: unknown, ...codes: readonly OrcErrorCode[]): error is OrcError {
  return isErrorOf(OrcError, error, codes);
}
