import { KubeError, type RetryClass, retryClassOf } from '../errors.ts';

/** Why something did not work, as a value. */
export interface Failure {
  /** A word in CamelCase that machines can match. */
  readonly code: string;
  /** What was wrong, where, and what to do; never a secret. */
  readonly message: string;
  readonly retry: RetryClass;
  /** The least time to wait before trying again. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** What came of something that may fail in expected ways. */
export type Result<T = void> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** It worked. */
export function ok(): Result<void>;
export function ok<T>(value: T): Result<T>;
export function ok<T>(value?: T): Result<T | undefined> {
  return { ok: true, value };
}

/** It did not work. */
export function failed(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}

/** Turns anything thrown into a failure; what nobody classified is a bug. */
export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const retry = retryClassOf(error);
  const code = error instanceof KubeError ? error.reason : retry === 'bug' ? 'UnexpectedError' : 'Failed';
  return {
    code,
    message,
    retry,
    retryAfterMs: error instanceof KubeError ? error.retryAfterMs : undefined,
    cause: error,
  };
}

const soonestFirst: readonly RetryClass[] = ['bug', 'transient', 'blocked', 'terminal'];

/** Several failures as one: it is tried again when the first of them is, and tells of all. */
export function joinFailures(failures: readonly Failure[]): Failure | undefined {
  const urgency = ({ retry }: Failure): number => soonestFirst.indexOf(retry);
  const [first, ...others] = failures.toSorted((left, right) => urgency(left) - urgency(right));
  if (first === undefined || others.length === 0) return first;
  return { ...first, message: [first, ...others].map(({ message }) => message).join('; ') };
}
