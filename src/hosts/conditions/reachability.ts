import {
  type BareMetalHostStatus,
  busyHostStates,
  type Condition,
  isBmcInTheWay,
  managementProblemOf,
  powerFailure,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { BmcProblem } from '../../provisioners/index.ts';
import { fineStatus, isServiceOpen } from '../status/host-status.ts';

/** Whether the BMC of a host answers. One silence that may pass is a doubt, the next one is an error. */
export type Reachability =
  | { readonly kind: 'answers' }
  | { readonly kind: 'doubtful' | 'lost'; readonly message: string };

/** The reason of `Manageable` while nobody knows whether the BMC is lost. */
export const notAnswering = 'BMCNotAnswering';

/** How soon a BMC that did not answer is asked again: what passes by itself mostly has by then. */
export const confirmMs = 10_000;

const errorType = 'power management error';

/** Judges what kept the BMC from being asked, by the condition that was stored before. */
export function judgeReachability(
  problem: BmcProblem | undefined,
  { status, now }: { readonly status: BareMetalHostStatus; readonly now: Instant },
): Reachability {
  if (problem === undefined) return { kind: 'answers' };
  const failure = failureIn(status);
  if (failure !== undefined) {
    // The words of one failure change from call to call; each change would be a write.
    const isSame =
      problem.kind === 'expected' || managementProblemOf(failure.message) === managementProblemOf(problem.message);
    return { kind: 'lost', message: isSame ? failure.message : problem.message };
  }
  const { kind, message } = problem;
  if (kind === 'lasting') return { kind: 'lost', message };
  const doubt = doubtIn(status);
  const doubtful = { kind: 'doubtful', message: doubt?.message ?? message } as const;
  // A live update restarts the BMC, and says itself when it has failed.
  if (kind === 'expected' || isServiceOpen(status) || doubt === undefined) return doubtful;
  return now - Date.parse(doubt.lastTransitionTime) >= confirmMs ? { kind: 'lost', message } : doubtful;
}

/** The status with the error that a lost BMC is, or without it; an error of another kind stays as it is. */
export function withReachability(status: BareMetalHostStatus, reachability: Reachability): BareMetalHostStatus {
  if (reachability.kind !== 'lost') return withoutOutage(status);
  const { message } = reachability;
  const isOther = status.errorType !== undefined && !isOutage(status);
  if (isOther || isServiceOpen(status)) return status;
  const errorCount = Math.max(status.errorCount, 1);
  return { ...status, operationalStatus: 'error', errorType, errorMessage: message, errorCount };
}

/** True when the error of a host is that its BMC was lost: nothing was tried on the host, and nothing failed there. */
export function isOutage(status: BareMetalHostStatus): boolean {
  return status.errorType === errorType && status.errorMessage === failureIn(status)?.message;
}

/** True when the BMC of a host did not answer at the last look. */
export function isLost(status: BareMetalHostStatus): boolean {
  return failureIn(status) !== undefined;
}

/**
 * Why a host whose power is not read is not manageable; undefined where nothing says so. Its power is only read at rest:
 * before that it has to be registered, and in the middle of work only failures say that its BMC is lost.
 */
export function readLossFromFailure({
  errorType,
  errorMessage,
  provisioning,
}: BareMetalHostStatus): string | undefined {
  if (errorType === 'registration error') return errorMessage;
  const isUnread = busyHostStates.includes(provisioning.state) || errorType === 'provisioned registration error';
  return errorType !== undefined && isUnread && isBmcInTheWay(errorMessage) ? errorMessage : undefined;
}

/** True where the BMC was lost in the middle of work that goes on by now. */
export function isLossOver(status: BareMetalHostStatus): boolean {
  const failure = failureIn(status);
  const isBusy = busyHostStates.includes(status.provisioning.state);
  return failure !== undefined && isBusy && status.errorMessage !== failure.message;
}

function withoutOutage(status: BareMetalHostStatus): BareMetalHostStatus {
  if (!isOutage(status)) return status;
  const { errorType: _, ...rest } = status;
  return { ...rest, operationalStatus: fineStatus(status), errorMessage: '', errorCount: 0 };
}

function failureIn({ conditions }: BareMetalHostStatus): Condition | undefined {
  return conditions?.find(
    ({ type, status, reason }) => type === 'Manageable' && status === 'False' && reason === powerFailure,
  );
}

function doubtIn({ conditions }: BareMetalHostStatus): Condition | undefined {
  return conditions?.find(
    ({ type, status, reason }) => type === 'Manageable' && status === 'Unknown' && reason === notAnswering,
  );
}
