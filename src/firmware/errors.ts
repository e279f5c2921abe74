import type { Failure, RetryClass } from '../kube/index.ts';
import type { RequestOutcome } from './ports.ts';

/** Why something this room asked for was not done. */
export const firmwareErrors = {
  Conflict: { retry: 'blocked' },
  QueueFull: { retry: 'transient' },
  FirmwareNotFound: { retry: 'blocked' },
  Refused: { retry: 'transient' },
  UpdateServiceUnavailable: { retry: 'transient' },
  BmcUnreadable: { retry: 'transient' },
  MirrorFailed: { retry: 'transient' },
} as const satisfies Record<string, { retry: RetryClass }>;

/** A row of that table. */
export type FirmwareErrorCode = keyof typeof firmwareErrors;

/** A failure by that table. */
export function firmwareFailure(
  code: FirmwareErrorCode,
  message: string,
  more: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
): Failure {
  return { code, message, retry: firmwareErrors[code].retry, ...more };
}

/** What is in no catalogue may be discovered any time; asking more often than discovery runs helps nobody. */
const catalogueWaitMs = 10 * 60_000;
const conflictWaitMs = 5 * 60_000;
const queueWaitMs = 5000;

/** The failure an outcome is; undefined for a request that was taken. */
export function failureOf(outcome: RequestOutcome): Failure | undefined {
  switch (outcome.kind) {
    case 'accepted':
    case 'already-scheduled':
      return undefined;
    case 'conflict':
      return firmwareFailure('Conflict', outcome.message, { retryAfterMs: conflictWaitMs });
    case 'resource-exhausted':
      return firmwareFailure('QueueFull', outcome.message, { retryAfterMs: outcome.retryAfterMs ?? queueWaitMs });
    case 'firmware-not-found':
      return firmwareFailure('FirmwareNotFound', outcome.message, { retryAfterMs: catalogueWaitMs });
    case 'refused':
      return firmwareFailure('Refused', `${outcome.code}: ${outcome.message}`);
    case 'unavailable':
      return firmwareFailure('UpdateServiceUnavailable', outcome.message);
  }
}
