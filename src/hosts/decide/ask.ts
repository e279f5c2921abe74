import type { HostErrorType } from '../../api/index.ts';
import { retryDelayMs, withError, withoutError } from '../status/host-status.ts';
import { isSameStatus } from '../status/same-status.ts';
import {
  type AnswerValues,
  counting,
  type Draft,
  type HostEffect,
  type HostSeen,
  type Question,
  type QuestionName,
  rest,
  type Step,
  telling,
  withStatus,
} from './seen.ts';

/** What an answer changes, and what is to be done first. Effects that were done must not be among them any more. */
export interface Aftermath {
  readonly draft: Draft;
  readonly effects?: readonly HostEffect[];
}

/** What is done about an answer, where it is not what was asked for. */
export interface Asking {
  readonly question: Question;
  /** The error that a failure is. */
  readonly errorType: HostErrorType;
  /** True for what must not begin before the status that says so is stored. */
  readonly isStoredFirst?: boolean;
  /** What a failure does besides being told. */
  readonly onFailure?: (draft: Draft) => Aftermath;
  /** What its beginning does. */
  readonly onStart?: (draft: Draft) => Aftermath;
  /** How a failure is worded; as the provisioner did unless given. */
  readonly worded?: (message: string) => string;
  /** What is done when the provisioner does not know the host. */
  readonly onUnregistered?: (draft: Draft) => Step;
}

/** Why a host rests whose power waits for its BMC, which is at an update of firmware. */
export const updateRunning = 'UpdateRunning';

/** The answer when it is there and good; otherwise what to do until it is. */
export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'not yet'; readonly step: Step };

/** Asks a question once a round and sees to every answer but the good one. */
export function ask<N extends QuestionName>(
  seen: HostSeen,
  draft: Draft,
  asking: Asking & { readonly question: { readonly name: N } },
): Asked<AnswerValues[N]> {
  const { name } = asking.question as Question;
  const answer = seen.answers[name as N];
  if (answer === undefined) return { kind: 'not yet', step: askNow(seen, draft, asking) };
  switch (answer.kind) {
    case 'done':
      return { kind: 'answered', value: answer.value as AnswerValues[N] };
    case 'continue': {
      // What is tried anew has not failed yet; and only so is it not begun anew at every look.
      const going = withStatus(draft, withoutError(draft.status, asking.errorType));
      const after = answer.hasStarted === true ? asking.onStart?.(going) : undefined;
      const why = `its provisioner goes on with: ${asking.question.name}`;
      return notYet(doFirst(draft, after) ?? rest(after?.draft ?? going, { after: answer.afterMs }, 'UnderWay', why));
    }
    case 'busy':
      return notYet(
        rest(draft, { after: answer.afterMs }, answer.isUpdating === true ? updateRunning : 'Busy', answer.message),
      );
    case 'failed': {
      const after = asking.onFailure?.(draft);
      const message = asking.worded?.(answer.message) ?? answer.message;
      return notYet(doFirst(draft, after) ?? fail(seen, after?.draft ?? draft, asking.errorType, message));
    }
    case 'unregistered':
      return notYet((asking.onUnregistered ?? registerAnew)(draft));
    case 'needs-image': {
      const wake = { after: seen.settings.bootImageWaitMs };
      return notYet(
        rest(
          counting(draft, 'waitingForBootImage'),
          wake,
          'WaitsForImage',
          'its provisioner has no image to boot it with',
        ),
      );
    }
    case 'unavailable':
      return notYet(
        rest(counting(draft, 'provisionerNotReady'), { after: answer.afterMs }, 'ProvisionerNotReady', answer.message),
      );
  }
}

function notYet(step: Step): { readonly kind: 'not yet'; readonly step: Step } {
  return { kind: 'not yet', step };
}

/** What has to be done before the answer is told of. Nothing else of it is kept: it is looked at again then. */
function doFirst(draft: Draft, after: Aftermath | undefined): Step | undefined {
  const effects = after?.effects ?? [];
  return effects.length === 0 ? undefined : { kind: 'do', draft, effects };
}

function askNow(seen: HostSeen, draft: Draft, { question, isStoredFirst }: Asking): Step {
  const isStored = seen.host.status !== undefined && isSameStatus(seen.host.status, draft.status);
  const first: HostEffect[] = isStoredFirst === true && !isStored ? [{ kind: 'store-status', key: 'status' }] : [];
  return { kind: 'do', draft, effects: [...first, { kind: 'ask', key: `ask ${question.name}`, question }] };
}

/** The provisioner has forgotten the host: it is registered anew. */
function registerAnew(draft: Draft): Step {
  const status = { ...draft.status, provisioning: { ...draft.status.provisioning, ID: '' } };
  const lost = counting(withStatus(draft, status), 'hostRegistrationRequired');
  return rest(lost, { after: 1000 }, 'Unregistered', 'its provisioner does not know it; it is registered anew');
}

const eventOf: Readonly<Record<HostErrorType, string>> = {
  'provisioned registration error': 'ProvisionedRegistrationError',
  'registration error': 'RegistrationError',
  'inspection error': 'InspectionError',
  'preparation error': 'PreparationError',
  'provisioning error': 'ProvisioningError',
  'power management error': 'PowerManagementError',
  'servicing error': 'ServicingError',
  'detach error': 'DetachError',
  'network error': 'NetworkError',
};

/** The host failed: told, counted, and tried again after a growing while. */
export function fail(seen: HostSeen, draft: Draft, errorType: HostErrorType, message: string): Step {
  const status = withError(draft.status, errorType, message);
  const told = telling(withStatus(draft, status), 'Warning', eventOf[errorType], message);
  const wake = { after: retryDelayMs(status.errorCount, seen.share) };
  return rest(counting(told, 'hostError', { labels: { error_type: errorType } }), wake, eventOf[errorType], message);
}
