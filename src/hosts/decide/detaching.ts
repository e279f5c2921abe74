import type { BareMetalHost, BareMetalHostStatus } from '../../api/index.ts';
import { type Instant, isBeingDeleted } from '../../kube/index.ts';
import { detachWishOf } from '../annotations/read-annotations.ts';
import { giveNodeBack } from '../nodes/drain-step.ts';
import { giveUpFirst } from '../servicing/decide-service.ts';
import { abandonService } from '../servicing/service-record.ts';
import type { HostSettings } from '../settings.ts';
import { stateOf, withoutError } from '../status/host-status.ts';
import type { HostState, hostTable } from '../table/host-table.ts';
import { ask } from './ask.ts';
import { isAttempted } from './deployment.ts';
import { counting, type Draft, type HostSeen, releaseWork, type Step, withStatus } from './seen.ts';

const detachable: readonly (HostState | undefined)[] = ['provisioned', 'externally provisioned', 'available'];

/** Whether, and how, a host is being deleted. */
export type Leaving = (typeof hostTable)['facts']['leaving'][number];

/** Finds that out. */
export function leavingOf(host: BareMetalHost, status: BareMetalHostStatus, settings: HostSettings): Leaving {
  if (!isBeingDeleted(host)) return 'no';
  const wish = detachWishOf(host);
  const isDetached = status.operationalStatus === 'detached';
  if (wish?.deleteAction === 'delay' || (isDetached && wish === undefined)) return 'delayed';
  if (wish !== undefined) return 'detached';
  if (isRefused(status)) return 'refused';
  const isUnreachable = status.errorType === 'registration error' && status.errorCount > settings.maxLeavingFailures;
  return isUnreachable ? 'unreachable' : 'yes';
}

/** Nothing was written to the host, since its machine was in use. */
function isRefused(status: BareMetalHostStatus): boolean {
  return stateOf(status) === 'provisioning' && status.errorType === 'provisioning error' && !isAttempted(status);
}

/** Lets its provisioner forget a host, or takes it back; undefined when there is nothing of that. */
export function detachStep(seen: HostSeen, draft: Draft, now: Instant): Step | undefined {
  const wish = detachWishOf(seen.host);
  const isDetached = draft.status.operationalStatus === 'detached';
  if (wish === undefined) return isDetached ? attach(draft) : undefined;
  const state = stateOf(draft.status);
  // One that goes is forgotten for good.
  if (state === 'deleting' || (!wish.isForced && !detachable.includes(state))) return undefined;
  const wake = { after: seen.settings.unmanagedPollMs };
  const isDelayed = isBeingDeleted(seen.host);
  const counted = isDelayed ? counting(draft, 'deleteDelayedForDetached') : draft;
  const why = [{ code: 'Detached', message: 'it is detached from its provisioner' }];
  // The machine runs on, and so may what is on it.
  if (isDetached)
    return giveNodeBack(seen, draft) ?? { kind: 'rest', draft: counted, wake, why, effects: [releaseWork] };
  const givenUp = wish.isForced ? undefined : giveUpFirst(seen, draft, { end: 'detached', now });
  if (givenUp !== undefined) return givenUp;
  const asked = ask(seen, counted, {
    question: { name: 'detach', order: { isForced: wish.isForced } },
    errorType: 'detach error',
  });
  const isForgotten = asked.kind === 'answered' || seen.answers.detach?.kind === 'unregistered';
  if (!isForgotten) return asked.step;
  // Whoever takes it back takes it back as it is then.
  const left = abandonService(draft, now);
  const status = { ...withoutError(left.status, 'detach error'), operationalStatus: 'detached' as const };
  return { kind: 'again', draft: withStatus(left, { ...status, errorCount: 0 }) };
}

function attach(draft: Draft): Step {
  const operationalStatus = draft.status.errorType === undefined ? 'OK' : 'error';
  return { kind: 'again', draft: withStatus(draft, { ...draft.status, operationalStatus }) };
}
