import { hasFinalizer } from '../../kube/index.ts';
import type { Deprovisioning } from '../../provisioners/index.ts';
import { bmcOf, isWithoutBmc } from '../credentials/judge-credentials.ts';
import { releaseBootImage } from '../images/boot-image.ts';
import { networkSecretNameOf } from '../images/images-seen.ts';
import { giveNodeBack } from '../nodes/drain-step.ts';
import { finalizers } from '../resources.ts';
import { withSuccess } from '../status/host-status.ts';
import { type Asking, ask, fail } from './ask.ts';
import { cleaningModeOf, deploymentIn, isNothingWanted, withDeployment } from './deployment.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import {
  type Draft,
  type HostEffect,
  type HostSeen,
  type QuestionName,
  type Step,
  telling,
  withStatus,
} from './seen.ts';

/** Takes off a host what is on it. */
export function deprovision(work: Work): Found {
  const { seen, draft: given } = work;
  const current = deploymentIn(given.status, seen.host);
  if (work.access === 'usable' && current !== undefined) {
    const adoption = { isRetry: given.status.errorType === 'provisioned registration error', deployment: current };
    const question = { name: 'adopt', order: adoption } as const;
    const adopted = ask(seen, given, { question, errorType: 'provisioned registration error' });
    if (adopted.kind === 'not yet') return stepFirst(adopted.step);
  }
  const draft = withStatus(given, withSuccess(given.status, 'provisioned registration error'));
  const isRetry = draft.status.errorType === 'provisioning error';
  const order = { isRetry, cleaningMode: cleaningModeOf(seen.host), ...attemptedOf(work) };
  const end = endOf(
    { ...work, draft },
    {
      question: { name: 'deprovision', order },
      errorType: 'provisioning error',
      isStoredFirst: true,
      onStart: (going) => ({ draft: tellStart(going) }),
    },
  );
  if (end.kind !== 'done') return end.found;
  const begun = seen.beganIn === 'deprovisioning' ? draft : tellStart(draft);
  const bare = withStatus(begun, withDeployment(begun.status));
  return facts(telling(bare, 'Normal', 'DeprovisioningComplete', 'Image deprovisioning completed'), { work: 'done' });
}

/**
 * A host without a known deployment was to be written to, but nobody may have heard whether that began: what others run
 * there is theirs, unless the owner removed the image, which asks for a wipe.
 */
function attemptedOf({ seen: { host }, draft: { status }, isLeaving }: Work): Pick<Deprovisioning, 'attempted'> {
  if (deploymentIn(status, host) !== undefined || (!isLeaving && isNothingWanted(host))) return {};
  const { lastAttemptedImage: image } = status;
  return { attempted: image === undefined ? {} : { image } };
}

function tellStart(draft: Draft): Draft {
  return telling(draft, 'Normal', 'DeprovisioningStarted', 'Image deprovisioning started');
}

/** Switches a host off that is to be no more; other work on it ends by that, but for what its BMC writes. */
export function powerOffBeforeDelete(work: Work): Found {
  const { seen, draft } = work;
  if (seen.host.spec?.disablePowerOff === true || isWithoutBmc(seen.host)) return facts(draft, { work: 'done' });
  const isRetry = draft.status.errorType === 'power management error';
  const hardOff = { target: 'off', mode: 'hard', isForced: true, isUpdateSpared: true } as const;
  const end = endOf(work, {
    question: { name: 'power', order: { ...hardOff, isRetry, ...mercyOf(work) } },
    errorType: 'power management error',
    isStoredFirst: true,
  });
  return end.kind === 'done' ? facts(draft, { work: 'done' }) : end.found;
}

/** A machine is only switched off in use where that is known: what others run there is theirs. */
function mercyOf({ seen, draft }: Work): { readonly isOnlyIfUnused?: true } {
  const isKnown = deploymentIn(draft.status, seen.host) !== undefined || seen.host.spec?.externallyProvisioned === true;
  return isKnown ? {} : { isOnlyIfUnused: true };
}

/** Forgets a host. */
export function remove({ seen, draft }: Work): Found {
  // Nothing of it is with its provisioner: what is there under its id is the other one's.
  if (seen.rival !== undefined) return facts(draft, { work: 'done' });
  const asked = ask(seen, draft, {
    question: { name: 'remove' },
    errorType: 'registration error',
    isStoredFirst: true,
  });
  if (asked.kind === 'answered' || seen.answers.remove?.kind === 'unregistered') return facts(draft, { work: 'done' });
  return stepFirst(asked.step);
}

/** What is left to be done once nobody knows the host any more: its Node, the Secret and the host itself are let go. */
export function letGo(seen: HostSeen, draft: Draft): Step {
  const node = giveNodeBack(seen, draft) ?? tryNodeAgain(seen, draft);
  if (node !== undefined) return node;
  const name = bmcOf(seen).credentialsName;
  // Whatever was under way: nobody waits for its end any more.
  const effects: HostEffect[] = [{ kind: 'release-work', key: 'release-work', isForGood: true }];
  if (name !== '' && seen.secret.kind !== 'missing')
    effects.push({ kind: 'release-secret', key: `release ${name}`, name });
  const network = networkSecretNameOf(seen.host);
  if (network !== '' && seen.images.network.kind !== 'missing')
    effects.push({ kind: 'release-network-secret', key: `release network ${network}`, name: network });
  const { bootImage } = seen.images;
  if (bootImage !== undefined && hasFinalizer(bootImage, finalizers.bootImage)) effects.push(releaseBootImage);
  if (hasFinalizer(seen.host, finalizers.host)) {
    effects.push({ kind: 'change-host', key: 'let-go', change: { removeFinalizer: finalizers.host } });
  }
  return { kind: 'do', draft, effects };
}

/** Nobody comes after a host that is gone: it waits for its Node, as often as for other work that fails. */
function tryNodeAgain(seen: HostSeen, draft: Draft): Step | undefined {
  const { given } = seen.nodes;
  if (given?.kind !== 'failed' || draft.status.errorCount >= seen.settings.maxLeavingFailures) return undefined;
  const message = `the Node that was drained for it could not be given back: ${given.message}`;
  return fail(seen, draft, 'registration error', message);
}

type End = { readonly kind: 'done' } | { readonly kind: 'other'; readonly found: Found };

/** A host that leaves is not kept for ever by work that fails, or that nobody can do. */
function endOf(work: Work, asking: Asking & { readonly question: { readonly name: QuestionName } }): End {
  const { seen, draft, isLeaving } = work;
  const outcome = seen.answers[asking.question.name];
  const answer = outcome?.kind;
  const asked = ask(seen, draft, asking);
  if (asked.kind === 'answered') return { kind: 'done' };
  const canBeSkipped = isLeaving || !isNothingWanted(seen.host);
  if (outcome?.kind === 'failed' && outcome.isInUse === true && canBeSkipped) {
    const reason = asking.question.name === 'deprovision' ? 'DeprovisioningSkipped' : 'PowerOffSkipped';
    const told = telling(draft, 'Normal', reason, outcome.message);
    return { kind: 'other', found: facts(told, { work: 'hopeless' }) };
  }
  const failures = draft.status.errorCount + 1;
  if (isLeaving && answer === 'failed' && failures > seen.settings.maxLeavingFailures) {
    return { kind: 'other', found: facts(draft, { work: 'hopeless' }) };
  }
  if (isLeaving && answer === 'unregistered' && work.access === 'without') {
    return { kind: 'other', found: facts(draft, { work: 'lost' }) };
  }
  return { kind: 'other', found: stepFirst(asked.step) };
}
