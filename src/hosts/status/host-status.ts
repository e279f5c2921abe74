import type { BareMetalHostStatus, HostErrorType, ProvisioningState } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { HostState } from '../table/host-table.ts';

/** The status of a host that nobody has looked at. */
export const blankStatus: BareMetalHostStatus = {
  operationalStatus: '',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  provisioning: { state: '', ID: '' },
};

/** The state of the table that a stored one is; two of old versions have other names. */
export function stateOf({ provisioning }: BareMetalHostStatus): HostState {
  switch (provisioning.state) {
    case '':
      return 'none';
    case 'ready':
      return 'available';
    case 'match profile':
      return 'preparing';
    default:
      return provisioning.state;
  }
}

/** The status in another state. */
export function inState(status: BareMetalHostStatus, state: HostState): BareMetalHostStatus {
  const stored: ProvisioningState = state === 'none' || state === 'gone' ? '' : state;
  return { ...status, provisioning: { ...status.provisioning, state: stored } };
}

/** The status after a failure; the same one told again counts as another. */
export function withError(
  status: BareMetalHostStatus,
  errorType: HostErrorType,
  errorMessage: string,
): BareMetalHostStatus {
  return {
    ...status,
    operationalStatus: 'error',
    errorType,
    errorMessage,
    errorCount: status.errorCount + 1,
  };
}

/**
 * The status without its error, or only without one of the given types. What the host is doing stays: a host that is
 * being serviced goes on being so.
 */
export function withoutError(status: BareMetalHostStatus, ...types: readonly HostErrorType[]): BareMetalHostStatus {
  const { errorType, ...rest } = status;
  if (errorType === undefined && status.operationalStatus !== 'error') return withoutDelay(status);
  if (types.length > 0 && (errorType === undefined || !types.includes(errorType))) return status;
  const operationalStatus = status.operationalStatus === 'error' ? fineStatus(status) : status.operationalStatus;
  return { ...rest, operationalStatus, errorMessage: '' };
}

/** True while a live update is under way, has failed, or is being given up. */
export function isServiceOpen({ operationHistory }: BareMetalHostStatus): boolean {
  const { start, end } = operationHistory?.service ?? {};
  return (start ?? null) !== null && (end ?? null) === null;
}

/** What a host without an error is: one that is being serviced goes on being so, whatever came in between. */
export function fineStatus(status: BareMetalHostStatus): 'OK' | 'servicing' {
  return isServiceOpen(status) ? 'servicing' : 'OK';
}

/** The status once what had failed went well: an error of these types is over, and so are the failures in a row. */
export function withSuccess(status: BareMetalHostStatus, ...types: readonly HostErrorType[]): BareMetalHostStatus {
  const fine = withoutError(status, ...types);
  const isOver = status.errorType !== undefined && fine.errorType === undefined;
  return isOver ? { ...fine, errorCount: 0 } : fine;
}

function withoutDelay(status: BareMetalHostStatus): BareMetalHostStatus {
  return status.operationalStatus === '' ? { ...status, operationalStatus: 'OK' } : status;
}

/** The status of a host that waits until others have ended, or does so no more. */
export function withDelay(
  status: BareMetalHostStatus,
  { isDelayed }: { readonly isDelayed: boolean },
): BareMetalHostStatus {
  if (isDelayed) return { ...status, operationalStatus: 'delayed' };
  if (status.operationalStatus !== 'delayed') return status;
  return { ...status, operationalStatus: status.errorType === undefined ? fineStatus(status) : 'error' };
}

/** What `operationHistory` tells of. */
export type Operation = keyof NonNullable<BareMetalHostStatus['operationHistory']>;

/** The operation that a state is, where its times are told. */
export const operationOfState: Readonly<Partial<Record<HostState, Operation>>> = {
  importing: 'register',
  registering: 'register',
  inspecting: 'inspect',
  provisioning: 'provision',
  deprovisioning: 'deprovision',
};

/** The status with an operation begun. */
export function withBegin(status: BareMetalHostStatus, operation: Operation, now: Instant): BareMetalHostStatus {
  return withTimes(status, operation, { start: textOfMoment(now) });
}

/** The status with an operation ended, where it had begun. */
export function withEnd(status: BareMetalHostStatus, operation: Operation, now: Instant): BareMetalHostStatus {
  const times = status.operationHistory?.[operation];
  if (times?.start === undefined || times.start === null || (times.end ?? null) !== null) return status;
  return withTimes(status, operation, { start: times.start, end: textOfMoment(now) });
}

function withTimes(
  status: BareMetalHostStatus,
  operation: Operation,
  times: { start: string; end?: string },
): BareMetalHostStatus {
  return { ...status, operationHistory: { ...status.operationHistory, [operation]: times } };
}

/** A moment as objects carry it: RFC 3339, whole seconds. */
export function textOfMoment(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/**
 * The wait after failures in a row: between 2^(n-1) and 2^n minutes, never more than eight and a half hours. `share` in
 * [0, 1) is where in between.
 */
export function retryDelayMs(errorCount: number, share: number): number {
  const steps = Math.min(Math.max(errorCount, 1), 9);
  const least = 2 ** (steps - 1) * 60_000;
  return Math.round(least + least * share);
}
