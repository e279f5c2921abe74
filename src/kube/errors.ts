/** What to do about a failure: try again soon, wait for someone else, wait for a change of the object, or fix the code. */
export type RetryClass = 'transient' | 'blocked' | 'terminal' | 'bug';

/** The Kubernetes `Status` object that answers a failed request. */
export interface KubeStatus {
  kind: 'Status';
  apiVersion: 'v1';
  metadata?: { continue?: string; resourceVersion?: string; [field: string]: unknown };
  status?: string;
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
    retryAfterSeconds?: number;
  };
  code?: number;
}

/** Every reason a request can fail for: those of the API, then those of the way to it. */
export const kubeErrors = {
  BadRequest: { code: 400, retry: 'terminal' },
  Unauthorized: { code: 401, retry: 'blocked' },
  Forbidden: { code: 403, retry: 'blocked' },
  NotFound: { code: 404, retry: 'transient' },
  MethodNotAllowed: { code: 405, retry: 'terminal' },
  NotAcceptable: { code: 406, retry: 'bug' },
  AlreadyExists: { code: 409, retry: 'transient' },
  Conflict: { code: 409, retry: 'transient' },
  Gone: { code: 410, retry: 'transient' },
  Expired: { code: 410, retry: 'transient' },
  RequestEntityTooLarge: { code: 413, retry: 'terminal' },
  UnsupportedMediaType: { code: 415, retry: 'bug' },
  Invalid: { code: 422, retry: 'terminal' },
  TooManyRequests: { code: 429, retry: 'transient' },
  InternalError: { code: 500, retry: 'transient' },
  ServiceUnavailable: { code: 503, retry: 'transient' },
  ServerTimeout: { code: 500, retry: 'transient' },
  StoreReadError: { code: 500, retry: 'transient' },
  /** Of the embedded API server: its disk is full. */
  DiskFull: { code: 507, retry: 'transient' },
  Timeout: { code: 504, retry: 'transient' },
  Unknown: { code: 500, retry: 'transient' },
  /** The server could not be reached, or the connection broke. */
  ConnectionFailed: { code: 0, retry: 'transient' },
  /** No answer within the time-out of the request. */
  RequestTimeout: { code: 0, retry: 'transient' },
  /** The caller gave up. */
  Aborted: { code: 0, retry: 'transient' },
  /** The answer is not what the API promises. */
  MalformedAnswer: { code: 0, retry: 'transient' },
  /** The connection settings (kubeconfig, credentials plug-in) are unusable. */
  BadConnectionSettings: { code: 0, retry: 'blocked' },
} as const satisfies Record<string, { code: number; retry: RetryClass }>;

/** The name of a row in the error table. */
export type KubeErrorReason = keyof typeof kubeErrors;

const reasonByCode = new Map<number, KubeErrorReason>([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
  [507, 'DiskFull'],
]);

/** A request that failed, with the Status the server gave or the one that describes why there is none. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly status: KubeStatus;
  /** How long the server asked to wait before trying again. */
  readonly retryAfterMs: number | undefined;
  constructor(status: KubeStatus, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(
      status.message ?? status.reason ?? 'request failed',
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.status = status;
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = options.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }
  /** The HTTP code; 0 when there was no answer. */
  get code(): number {
    return this.status.code ?? 0;
  }
  get reason(): KubeErrorReason {
    const named = this.status.reason;
    if (named !== undefined && Object.hasOwn(kubeErrors, named)) return named as KubeErrorReason;
    return reasonByCode.get(this.code) ?? 'Unknown';
  }
  get retry(): RetryClass {
    return kubeErrors[this.reason].retry;
  }
}

/** A KubeError for a failure that the server did not describe. */
export function kubeError(reason: KubeErrorReason, message: string, cause?: unknown): KubeError {
  const status: KubeStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    message,
    code: kubeErrors[reason].code,
  };
  return new KubeError(status, { cause });
}

function isReason(error: unknown, ...reasons: KubeErrorReason[]): error is KubeError {
  return error instanceof KubeError && reasons.includes(error.reason);
}

/** The object or the path does not exist. */
export const isNotFound = (error: unknown): error is KubeError => isReason(error, 'NotFound');
/** The write was based on an old version, or another field manager owns a field. */
export const isConflict = (error: unknown): error is KubeError => isReason(error, 'Conflict');
/** An object of that name exists. */
export const isAlreadyExists = (error: unknown): error is KubeError => isReason(error, 'AlreadyExists');
/** The resourceVersion or continue token is too old: list again. */
export const isExpired = (error: unknown): error is KubeError => isReason(error, 'Expired', 'Gone');
/** The object breaks a rule of its kind. */
export const isInvalid = (error: unknown): error is KubeError => isReason(error, 'Invalid');
/** RBAC or admission said no. */
export const isForbidden = (error: unknown): error is KubeError => isReason(error, 'Forbidden');
/** A rule that the cluster has beside those of the kind refused this very write. Rights have nothing to do with it. */
export const isDeniedByAdmission = (error: unknown): error is KubeError =>
  error instanceof KubeError &&
  /^admission webhook "[^"]*" denied the request|ValidatingAdmissionPolicy /.test(error.message);
/** The credentials are not accepted. */
export const isUnauthorized = (error: unknown): error is KubeError => isReason(error, 'Unauthorized');
/** The server asks to slow down. */
export const isTooManyRequests = (error: unknown): error is KubeError => isReason(error, 'TooManyRequests');
/** There was no answer in time, on either side. */
export const isTimeout = (error: unknown): error is KubeError =>
  isReason(error, 'RequestTimeout', 'Timeout', 'ServerTimeout');
/** The caller gave up. */
export const isAborted = (error: unknown): error is KubeError => isReason(error, 'Aborted');

/** The class of any thrown value; what is not a KubeError and does not say otherwise is a bug. */
export function retryClassOf(error: unknown): RetryClass {
  if (error instanceof KubeError) return error.retry;
  const own = typeof error === 'object' && error !== null && 'retry' in error ? error.retry : undefined;
  return own === 'transient' || own === 'blocked' || own === 'terminal' ? own : 'bug';
}
