import type { ResolvedFirmware } from '../api/index.ts';
import { type EngineErrorCode, isEngineError, StoreError } from '../engine/index.ts';
import { KubeError } from '../kube/index.ts';
import { isInventoryError } from '../serverservice/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { isUpdateError, UpdateError, type UpdateErrorCode } from './errors.ts';

/** Why nothing was done, in the words that every answer carries. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** One for each thing that is wrong, when there are several. */
  readonly details: readonly string[];
  readonly jobId?: string;
  readonly resolved?: readonly ResolvedFirmware[];
}

/** The codes that callers decide on. */
export type RefusalCode = Exclude<UpdateErrorCode, 'badProof' | 'noProof'>;

const ofEngine: Partial<Record<EngineErrorCode, RefusalCode>> = {
  badParameters: 'invalidRequest',
  badOrder: 'invalidRequest',
  badQuery: 'invalidRequest',
  unknownMachine: 'serverNotFound',
  notFound: 'jobNotFound',
  queueFull: 'resourceExhausted',
  kindQueueFull: 'resourceExhausted',
  blockedQueueFull: 'resourceExhausted',
  machineBusy: 'conflict',
  cancelUnsafe: 'unsafeToCancel',
  leaseLost: 'leaseLost',
  closed: 'unavailable',
};

/** What somebody is told of an error. What was not foreseen is logged, and nothing of it is told. */
export function toRefusal(error: unknown, logger: Pick<Logger, 'error' | 'warn'>): Refusal {
  if (isUpdateError(error)) return ofUpdate(error);
  if (isEngineError(error)) {
    const code = ofEngine[error.code];
    if (code !== undefined) return { code, message: error.message, details: error.problems };
  }
  if (isInventoryError(error, 'badValue', 'notFound', 'checksumChanged')) {
    return { code: 'invalidRequest', message: error.message, details: error.problems };
  }
  if (error instanceof StoreError && error.code === 'badValue') {
    return { code: 'invalidRequest', message: `the request cannot be taken: ${error.message}`, details: [] };
  }
  if (error instanceof StoreError && error.code === 'diskFull') {
    return { code: 'unavailable', message: error.message, details: [] };
  }
  // Also when nobody knows whether it was stored: who asks again gets the same job.
  if (
    error instanceof StoreError &&
    (error.retry === 'transient' || ['outcomeUnknown', 'closed'].includes(error.code))
  ) {
    return { code: 'unavailable', message: 'the store cannot be reached; ask again later', details: [] };
  }
  if (error instanceof KubeError && error.retry === 'transient') {
    logger.warn('a request could not be answered without the Kubernetes API', { error });
    return { code: 'unavailable', message: 'the Kubernetes API does not answer; ask again later', details: [] };
  }
  logger.error('a request failed in a way that was not foreseen', { error });
  return ofUpdate(new UpdateError('internal', {}));
}

function ofUpdate(error: UpdateError): Refusal {
  const { message, problems: details, jobId, resolved } = error;
  return {
    ...{ code: codeOf(error.code), message, details },
    ...(jobId === undefined ? {} : { jobId }),
    ...(resolved === undefined ? {} : { resolved }),
  };
}

function codeOf(code: UpdateErrorCode): RefusalCode {
  return code === 'badProof' || code === 'noProof' ? 'permissionDenied' : code;
}
