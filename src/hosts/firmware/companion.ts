import type { BareMetalHost, Condition, ObjectMeta } from '../../api/index.ts';
import { type Instant, isBeingDeleted } from '../../kube/index.ts';
import { isPaused } from '../annotations/read-annotations.ts';
import { isWithoutBmc } from '../credentials/judge-credentials.ts';
import { stateOf, textOfMoment } from '../status/host-status.ts';

/** Why nothing is read of the firmware of a host; undefined when it can be. */
export function whyUnread(host: BareMetalHost): { readonly code: string; readonly message: string } | undefined {
  if (isBeingDeleted(host)) return { code: 'Leaving', message: 'the host is being deleted' };
  if (isPaused(host)) return { code: 'Paused', message: 'the host is paused' };
  if (host.status?.operationalStatus === 'detached') return { code: 'Detached', message: 'the host is detached' };
  const state = host.status === undefined ? 'none' : stateOf(host.status);
  const isKnown = (host.status?.provisioning.ID ?? '') !== '';
  if (!isKnown || ['none', 'unmanaged', 'importing', 'registering'].includes(state)) {
    return { code: 'Unregistered', message: 'the host is not registered yet' };
  }
  if (isWithoutBmc(host)) return { code: 'NoBmc', message: 'nothing is said about the BMC of the host' };
  return undefined;
}

/** True when an object names the host as an owner. */
export function isOwnedBy({ metadata }: { readonly metadata: ObjectMeta }, host: BareMetalHost): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === host.metadata.uid);
}

/** What a condition should say; since when is worked out. */
export interface CompanionCondition {
  readonly type: 'ChangeDetected' | 'Valid';
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a companion, each of the generation that was looked at, also where nothing else changed. */
export function companionConditions(
  drafts: readonly CompanionCondition[],
  {
    before,
    generation,
    now,
  }: {
    readonly before: readonly Condition[] | undefined;
    readonly generation: number | undefined;
    readonly now: Instant;
  },
): Condition[] {
  return drafts.map(({ type, isTrue, reason, message }) => {
    const status = isTrue ? 'True' : 'False';
    const present = before?.find((each) => each.type === type);
    const since = present?.status === status ? present.lastTransitionTime : textOfMoment(now);
    return {
      type,
      status,
      reason,
      message: message.slice(0, 4000),
      lastTransitionTime: since,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
}
