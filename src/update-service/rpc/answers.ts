import { type Code, ConnectError } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import { type Condition, readCancelOutcome } from '../../engine/index.ts';
import type { TakenRequest } from '../desk/request-desk.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';

const { ErrorCode, RequestStatus } = updateRpc;

const codes: Readonly<Record<RefusalCode, updateRpc.ErrorCode>> = {
  invalidRequest: ErrorCode.INVALID_REQUEST,
  serverNotFound: ErrorCode.SERVER_NOT_FOUND,
  discoveredFirmwareNotFound: ErrorCode.DISCOVERED_FIRMWARE_NOT_FOUND,
  firmwareNotFound: ErrorCode.FIRMWARE_NOT_FOUND,
  resourceExhausted: ErrorCode.RESOURCE_EXHAUSTED,
  conflict: ErrorCode.CONFLICT,
  permissionDenied: ErrorCode.PERMISSION_DENIED,
  leaseLost: ErrorCode.LEASE_LOST,
  jobNotFound: ErrorCode.JOB_NOT_FOUND,
  unsafeToCancel: ErrorCode.UNSAFE_TO_CANCEL,
  unavailable: ErrorCode.UNAVAILABLE,
  internal: ErrorCode.INTERNAL,
};

/** The answer to a request that nothing came of. */
export function refused({ code, message, details, jobId = '', resolved = [] }: Refusal) {
  return {
    status: RequestStatus.REFUSED,
    error: { code: codes[code], message, details: [...details] },
    jobId,
    resolved: [...resolved],
  };
}

/** The same for what ends a call with an error of the protocol: its code and reason are among the details. */
export function protocolError(
  error: Pick<Refusal, 'message'> & { readonly code: RefusalCode | 'unauthenticated' },
  { code, cause }: { readonly code: Code; readonly cause?: unknown },
): ConnectError {
  const told = error.code === 'unauthenticated' ? ErrorCode.UNAUTHENTICATED : codes[error.code];
  const detail = { desc: updateRpc.RequestErrorSchema, value: { code: told, message: error.message } };
  return new ConnectError(error.message, code, undefined, [detail], cause);
}

/** The code of an answer in the words of this room; undefined where the answer has none. */
export function refusalCodeOf(code: updateRpc.ErrorCode): RefusalCode | undefined {
  return (Object.keys(codes) as RefusalCode[]).find((name) => codes[name] === code);
}

/** The answer to a request that became a job. */
export function scheduled({ job, isNew, resolved = [] }: TakenRequest) {
  const status = isNew ? RequestStatus.SCHEDULED : RequestStatus.ALREADY_SCHEDULED;
  return { status, jobId: job.id, resolved: [...resolved] };
}

/** The answer to a cancel, by what became of the job. */
export function cancelled(job: Condition) {
  const isTooLate = readCancelOutcome(job) === 'finished';
  return { status: isTooLate ? RequestStatus.ALREADY_FINISHED : RequestStatus.SUCCEEDED };
}

/** Done. */
export const succeeded = { status: RequestStatus.SUCCEEDED } as const;
