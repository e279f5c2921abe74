import type { BareMetalHostStatus } from '../../api/index.ts';
import { type Facts, type Instant, takeStep } from '../../kube/index.ts';
import { givingUp } from '../conditions/host-conditions.ts';
import { counting, type Draft, telling, withStatus } from '../decide/seen.ts';
import { isServiceOpen, textOfMoment, withBegin, withEnd, withoutError } from '../status/host-status.ts';
import { type ServicePhase, serviceTable } from './service-table.ts';

/** How far the live update of a host is, by what is stored of it alone: whoever comes after us goes on from there. */
export function phaseOf(status: BareMetalHostStatus): ServicePhase {
  if (!isServiceOpen(status)) return 'none';
  // What was given up once stays so, whatever is wanted by now: nobody could tell later how far it had come.
  if (isGivenUp(status)) return 'giving up';
  return status.errorType === 'servicing error' ? 'failed' : 'servicing';
}

function isGivenUp({ conditions = [] }: BareMetalHostStatus): boolean {
  return conditions.some(({ type, reason }) => type === 'Progressing' && reason === givingUp);
}

/** The name of the attempt that is under way: each begins at another moment, and that is stored before it is made. */
export function ticketOf({ operationHistory }: BareMetalHostStatus): string {
  return operationHistory?.service?.start ?? '';
}

/** An attempt begins. */
export function beginService(draft: Draft, now: Instant, message: string): Draft {
  const begun = withBegin(withoutError(draft.status), 'service', now);
  return telling(
    withStatus(draft, { ...begun, operationalStatus: 'servicing' }),
    'Normal',
    'ServicingStarted',
    message,
  );
}

/** Nothing of it is wanted any more; it is under way all the same. */
export function giveUpService(draft: Draft, now: Instant): Draft {
  const { conditions = [] } = draft.status;
  const mark = {
    type: 'Progressing',
    status: 'True' as const,
    reason: givingUp,
    message: '',
    lastTransitionTime: textOfMoment(now),
  };
  const status = withoutError(draft.status, 'servicing error');
  return withStatus(draft, { ...status, conditions: [...conditions.filter(({ type }) => type !== mark.type), mark] });
}

/** How a live update can end. */
export type ServiceResult = 'completed' | 'aborted';

/** The live update has ended, and the host is as it was but for what was changed. */
export function endService(
  draft: Draft,
  now: Instant,
  { result, message }: { readonly result: ServiceResult; readonly message: string },
): Draft {
  const { start } = draft.status.operationHistory?.service ?? {};
  const ended = withoutError(withEnd(draft.status, 'service', now), 'servicing error');
  const operationalStatus = ended.operationalStatus === 'servicing' ? 'OK' : ended.operationalStatus;
  const closed = withStatus(draft, { ...ended, operationalStatus, errorCount: 0 });
  const told = telling(closed, 'Normal', result === 'completed' ? 'ServicingComplete' : 'ServicingAborted', message);
  const counted = counting(told, 'service', { labels: { result } });
  const seconds = (now - Date.parse(start ?? '')) / 1000;
  return Number.isNaN(seconds) ? counted : counting(counted, 'serviceDuration', { seconds });
}

/** All that counts of a host that is gone from us. */
const left: Facts<(typeof serviceTable)['facts']> = {
  use: 'left',
  wanted: 'no',
  change: 'none',
  reboot: 'no',
  ability: 'yes',
  work: 'unasked',
};

/** A host that is used no more, or not by us, is not serviced any more; its provisioner ends what is under way. */
export function abandonService(draft: Draft, now: Instant): Draft {
  const position = { state: phaseOf(draft.status), since: now };
  if (!takeStep(serviceTable, position, left, now).isTaken) return draft;
  const { errorCount } = draft.status;
  const message = 'Live update aborted: the host is taken out of use; what was installed by then is not known';
  const ended = endService(draft, now, { result: 'aborted', message });
  return withStatus(ended, { ...ended.status, errorCount });
}
