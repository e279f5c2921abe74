import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../kube/index.ts';

/** Everything a REST service answers by itself, whatever the service is about. */
export const restErrors = {
  badRequest: { status: 400, retry: 'terminal', message: 'the request cannot be taken: {problems}' },
  unauthenticated: { status: 401, retry: 'blocked', message: '{detail}' },
  forbidden: { status: 403, retry: 'blocked', message: '{user} may not {verb} {resource}: {detail}' },
  noSuchPath: { status: 404, retry: 'terminal', message: 'nothing is served at {path}; /openapi.json lists what is' },
  methodNotAllowed: { status: 405, retry: 'terminal', message: '{path} does not take {method}; it takes {allowed}' },
  tooSlow: { status: 408, retry: 'transient', message: 'the request did not arrive in time' },
  tooLarge: {
    status: 413,
    retry: 'terminal',
    message: 'the body is larger than {limit} bytes, the most that is taken',
  },
  uriTooLong: { status: 414, retry: 'terminal', message: 'a part of the path is longer than {limit} characters' },
  wrongMediaType: {
    status: 415,
    retry: 'terminal',
    message: 'bodies are taken as application/json only, not as {type}',
  },
  headersTooLarge: { status: 431, retry: 'terminal', message: 'the headers of the request are too large' },
  internal: {
    status: 500,
    retry: 'bug',
    message: 'the service failed at this request; its log has the reason under request {request}',
  },
  unavailable: { status: 503, retry: 'transient', message: '{detail}; try again later' },
  closing: { status: 503, retry: 'transient', message: 'the service is stopping; try again later' },
  diskFull: { status: 507, retry: 'transient', message: '{detail}; try again when there is room' },
  plaintextRefused: {
    status: 500,
    retry: 'terminal',
    message: 'tokens would pass {host} in clear text: give a certificate, or listen on a loopback address',
  },
  badKeyFile: { status: 500, retry: 'terminal', message: 'the key file {file} cannot be used: {detail}' },
  badIssuer: { status: 500, retry: 'terminal', message: 'the token issuer {issuer} cannot be used: {detail}' },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type RestErrorCode = keyof typeof restErrors;

/** What goes with an error besides its message. */
export interface RestErrorMore extends ErrorMore {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal by the REST layer itself. */
export class RestError extends HttpTableError<RestErrorCode> {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RestErrorCode, fields: Readonly<Record<string, string | number>>, more: RestErrorMore = {}) {
    super({ table: restErrors, code, fields }, more);
    this.headers = more.headers ?? {};
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isRestError(error: unknown, ...codes: readonly RestErrorCode[]): error is RestError {
  return isErrorOf(RestError, error, codes);
}
