import { ironcoreConditions, jobWaitReasons, type ServerFirmwareStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { asSentence, conditionOf } from '../conditions.ts';
import type { JobWait } from '../ports.ts';
import { textOfMoment } from '../times.ts';

type OpenRequest = ServerFirmwareStatus['request'];
type Progress = NonNullable<ServerFirmwareStatus['conditions']>[number];

const { progressing, upToDate } = ironcoreConditions;

/** What the open request was last known to wait for: its result tells that it does so no more. */
export function waitBefore(
  { status }: { readonly status?: ServerFirmwareStatus },
  request: OpenRequest,
): Progress | undefined {
  if (request === undefined || request.jobID !== status?.request?.jobID) return undefined;
  const before = conditionOf(status.conditions, progressing);
  return before !== undefined && jobWaitReasons.includes(before.reason) ? before : undefined;
}

/** `Progressing` of a request that is under way. */
export function describeRequest(request: OpenRequest): { readonly reason: string; readonly message: string } {
  const reason = request?.kind === 'Scan' ? 'ScanRequested' : 'UpdateRequested';
  return { reason, message: `${introduce(request)}; its result wakes this.` };
}

function introduce(request: OpenRequest): string {
  const what = request?.kind === 'Scan' ? 'scan' : 'update';
  return `The ${what} was asked for at ${request?.time ?? 'some time'}`;
}

/** The status once the job of the open request waits; without a wait, once it goes on. */
export function withWait(status: ServerFirmwareStatus, wait: JobWait | undefined, now: Instant): ServerFirmwareStatus {
  const { request } = status;
  const progress =
    wait === undefined
      ? { status: 'True' as const, ...describeRequest(request) }
      : {
          status: 'False' as const,
          reason: wait.code,
          message: `${introduce(request)} and waits: ${asSentence(wait.message)}`,
        };
  const isUpdate = request?.kind === 'Update';
  const conditions = (status.conditions ?? []).map((each) => {
    if (each.type === progressing) {
      const since = each.status === progress.status ? each.lastTransitionTime : textOfMoment(now);
      return { ...each, ...progress, lastTransitionTime: since };
    }
    if (each.type !== upToDate || each.status !== 'False' || !isUpdate) return each;
    return { ...each, reason: wait?.code ?? 'Updating' };
  });
  return { ...status, conditions };
}
