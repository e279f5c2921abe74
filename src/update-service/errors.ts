import type { ResolvedFirmware } from '../api/index.ts';
import { type ErrorEntry, type ErrorMore, isErrorOf, TableError } from '../kube/index.ts';

/** Everything that the update service refuses or cannot do. */
export const updateErrors = {
  invalidRequest: { retry: 'terminal', message: 'the request cannot be taken: {problems}' },
  serverNotFound: {
    retry: 'blocked',
    message: 'there is no server {server}: give the name of a Server, or the id of a server in the inventory',
  },
  discoveredFirmwareNotFound: {
    retry: 'blocked',
    message: 'there is no DiscoveredFirmware {name}, and the request does not say manufacturer and model',
  },
  firmwareNotFound: {
    retry: 'blocked',
    message: 'no job was created for server {server}, because nothing of the request can be installed: {problems}',
  },
  resourceExhausted: { retry: 'transient', message: '{detail}' },
  conflict: {
    retry: 'blocked',
    message:
      '{kind} {job} of {target} is {state} and was asked for with other versions; let it end or cancel it, then ask again',
  },
  permissionDenied: { retry: 'terminal', message: '{detail}' },
  badProof: {
    retry: 'terminal',
    message: 'the token is not that of job {job}: a job is told its id and token when it is launched',
  },
  noProof: {
    retry: 'terminal',
    message:
      'a report needs the id and token of its job; reporting without them needs the right report-unfenced, and {user} does not have it',
  },
  leaseLost: { retry: 'terminal', message: 'job {job} does not hold its lease any more: {detail}' },
  jobNotFound: { retry: 'terminal', message: 'there is no job {job}' },
  unsafeToCancel: { retry: 'blocked', message: '{detail}' },
  unavailable: { retry: 'transient', message: '{detail}' },
  internal: { retry: 'bug', message: 'the update service failed in a way that was not foreseen; its log says more' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type UpdateErrorCode = keyof typeof updateErrors;

/** What the update service refused, with a code to decide on and a message to show. */
export class UpdateError extends TableError<UpdateErrorCode> {
  /** The job that stands in the way, where one does. */
  readonly jobId?: string;
  /** What of a request cannot be installed, and why. */
  readonly resolved?: readonly ResolvedFirmware[];

  constructor(
    code: UpdateErrorCode,
    fields: Readonly<Record<string, string | number>>,
    more: ErrorMore & { readonly jobId?: string; readonly resolved?: readonly ResolvedFirmware[] } = {},
  ) {
    super({ table: updateErrors, code, fields }, more);
    if (more.jobId !== undefined) this.jobId = more.jobId;
    if (more.resolved !== undefined) this.resolved = more.resolved;
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isUpdateError(error: unknown, ...codes: readonly UpdateErrorCode[]): error is UpdateError {
  return isErrorOf(UpdateError, error, codes);
}
