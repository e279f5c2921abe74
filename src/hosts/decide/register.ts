import type { BareMetalHostStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { Registration } from '../../provisioners/index.ts';
import { notedIdOf } from '../annotations/discovery-note.ts';
import { isVersion, noteVersion } from '../credentials/judge-credentials.ts';
import { findBootImage } from '../images/boot-image.ts';
import { stateOf, withBegin, withEnd, withSuccess } from '../status/host-status.ts';
import { ask } from './ask.ts';
import { bootModeOf, cleaningModeOf, deploymentIn, withSettings } from './deployment.ts';
import { counting, type Draft, type HostSeen, type Step, telling, withStatus } from './seen.ts';

/** A host that is known to its provisioner with these credentials, or what to do until it is. */
export type Registered =
  | { readonly kind: 'registered'; readonly draft: Draft }
  | { readonly kind: 'not yet'; readonly step: Step };

/** Registers a host, in every round anew: that it is known, and as it should be, is the provisioner's to say. */
export function registerHost(seen: HostSeen, draft: Draft, now: Instant): Registered {
  const boot = findBootImage(seen, draft);
  if (boot.kind === 'not yet') return boot;
  const isTried = isVersion(draft.status.triedCredentials, seen);
  const begun = seen.answers.register === undefined ? begin(seen, draft, now) : draft;
  // What failed may have been told before it took effect.
  const isDoubted = draft.status.errorType === 'registration error' && !isVersion(draft.status.goodCredentials, seen);
  const order = { ...orderOf(seen, draft.status, { haveCredentialsChanged: !isTried || isDoubted }), ...boot.order };
  const asked = ask(seen, begun, { question: { name: 'register', order }, errorType: 'registration error' });
  if (asked.kind === 'not yet') return { kind: 'not yet', step: untriedAgain(seen, asked.step) };
  return { kind: 'registered', draft: conclude(seen, draft, { id: asked.value.id, now }) };
}

/** What is tried is noted, so that a provisioner is told once that credentials are new. */
function begin(seen: HostSeen, draft: Draft, now: Instant): Draft {
  const { status } = draft;
  const isAgain =
    stateOf(status) !== 'registering' &&
    (status.errorType === 'registration error' || !isVersion(status.goodCredentials, seen));
  const begun = isAgain ? withBegin(status, 'register', now) : status;
  if (isVersion(status.triedCredentials, seen)) return withStatus(draft, begun);
  const counted = counting(draft, 'credentialsUpdated');
  return withStatus(counted, { ...begun, triedCredentials: noteVersion(seen) });
}

/** A provisioner that could not be asked was told nothing: the credentials are as new to it as before. */
function untriedAgain(seen: HostSeen, step: Step): Step {
  const answer = seen.answers.register?.kind;
  if (answer === 'failed') return { ...step, draft: counting(step.draft, 'noManagementAccess') };
  if (answer !== 'unavailable' && answer !== 'busy' && answer !== 'needs-image') return step;
  const { triedCredentials: _, ...rest } = step.draft.status;
  const before = seen.host.status?.triedCredentials;
  const status = before === undefined ? rest : { ...rest, triedCredentials: before };
  return { ...step, draft: withStatus(step.draft, status) };
}

function orderOf(
  { host }: HostSeen,
  status: BareMetalHostStatus,
  { haveCredentialsChanged }: { readonly haveCredentialsChanged: boolean },
): Registration {
  const { architecture, inspectionMode, externallyProvisioned } = host.spec ?? {};
  const current = deploymentIn(status, host);
  return {
    isRetry: status.errorType === 'registration error',
    haveCredentialsChanged,
    bootMode: bootModeOf(host),
    cleaningMode: cleaningModeOf(host),
    ...(architecture === undefined ? {} : { architecture }),
    ...(inspectionMode === undefined ? {} : { inspectionMode }),
    ...(current === undefined ? {} : { current }),
    isExternallyProvisioned: externallyProvisioned === true,
    ...(notedIdOf(host) === undefined ? {} : { isDiscovered: true as const }),
  };
}

function conclude(seen: HostSeen, draft: Draft, { id, now }: { readonly id: string; readonly now: Instant }): Draft {
  const known = noteId(seen, draft, id);
  const isNew = draft.status.provisioning.ID === '';
  const told = isNew ? telling(known, 'Normal', 'Registered', 'Registered new host') : known;
  const profiled = noteProfile(seen, told);
  const status = withSuccess(profiled.status, 'registration error');
  const ended = stateOf(status) === 'registering' ? status : withEnd(status, 'register', now);
  const fine = withStatus(profiled, ended);
  if (isVersion(ended.goodCredentials, seen)) return fine;
  const good = withStatus(fine, { ...ended, goodCredentials: noteVersion(seen) });
  return telling(good, 'Normal', 'BMCAccessValidated', 'Verified access to BMC');
}

/** Another id is another node: nothing that was set up on the old one holds for it. */
export function noteId(seen: HostSeen, draft: Draft, id: string): Draft {
  const { provisioning } = draft.status;
  const isInUse = deploymentIn(draft.status, seen.host) !== undefined;
  const bootMode = isInUse ? (provisioning.bootMode ?? bootModeOf(seen.host)) : bootModeOf(seen.host);
  const status = { ...draft.status, provisioning: { ...provisioning, ID: id, bootMode } };
  if (id === provisioning.ID) return bootMode === provisioning.bootMode ? draft : withStatus(draft, status);
  const isPreparing = stateOf(status) === 'preparing';
  return withStatus(draft, isPreparing ? withSettings(status) : status);
}

/** The profile of hardware that a host is said to have, or none in particular. */
export function noteProfile(seen: HostSeen, draft: Draft): Draft {
  const wanted = seen.host.spec?.hardwareProfile ?? '';
  const { hardwareProfile = '' } = draft.status;
  const profile = wanted !== '' ? wanted : hardwareProfile !== '' ? hardwareProfile : 'unknown';
  if (profile === hardwareProfile) return draft;
  const noted = withStatus(draft, { ...draft.status, hardwareProfile: profile });
  return telling(noted, 'Normal', 'ProfileSet', `Hardware profile set: ${profile}`);
}
