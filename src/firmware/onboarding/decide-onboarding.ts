import {
  type DiscoveredFirmware,
  ironcoreApiVersion,
  ironcoreConditions,
  type Server,
  type ServerFirmware,
  type ServerFirmwareStatus,
  type ServerStatus,
} from '../../api/index.ts';
import type { Decision, Failure, Instant } from '../../kube/index.ts';
import { type ConditionDraft, conditionOf, writeConditions } from '../conditions.ts';
import type { FirmwareErrorCode } from '../errors.ts';
import { isExcluded, olderFirst } from '../fleet/fleet.ts';
import type { OwnedFirmware, OwnedServer } from '../fleet/objects.ts';
import { hardwareNames, hardwareOf } from '../hardware.ts';
import type { MirroredServer, MirrorOutcome } from '../ports.ts';
import { isAnswered, otherMachineList, unsentJobId } from '../server/server-facts.ts';

/** What the inventory was last told of a server. */
export interface Mirrored {
  readonly fingerprint: string;
  readonly outcome: MirrorOutcome;
}

/** What onboarding of a Server looks at. */
export interface OnboardingSeen {
  readonly server: OwnedServer;
  /** Servers with the same UUID, itself included. */
  readonly twins: readonly Server[];
  /** True when the BMC it is behind is opted out. */
  readonly isBmcExcluded: boolean;
  /** The ServerFirmware that refers to it. */
  readonly firmware: OwnedFirmware | undefined;
  /** True when there is an object of that name that refers to another server. */
  readonly isFirmwareNameTaken: boolean;
  readonly hasDiscovered: boolean;
  readonly isDiscoveredNameTaken: (name: string) => boolean;
  /** What the inventory should know; undefined while there is too little, or nobody to tell. */
  readonly mirror: { readonly fingerprint: string; readonly server: MirroredServer } | undefined;
  readonly mirrored: Mirrored | undefined;
}

/** What onboarding does about a Server. */
export type OnboardingEffect =
  | { readonly kind: 'put-firmware'; readonly key: string; readonly body: ServerFirmware }
  /** Forgets what is known of the machine that the Server was before. */
  | { readonly kind: 'forget-machine'; readonly key: string; readonly status: ServerFirmwareStatus }
  | { readonly kind: 'put-discovered'; readonly key: string; readonly body: DiscoveredFirmware }
  | { readonly kind: 'mirror'; readonly key: string; readonly fingerprint: string; readonly server: MirroredServer };

/** What is decided about taking on one Server. */
export type OnboardingDecision = Decision<OnboardingEffect, ServerStatus>;

const { duplicateMachine, onboardingFailed } = ironcoreConditions;

/** Decides what a Server still lacks. Pure. */
export function decideOnboarding(seen: OnboardingSeen, now: Instant): OnboardingDecision {
  const { server } = seen;
  const duplicate = duplicateOf(seen);
  const isGone = server.metadata.deletionTimestamp !== undefined;
  const first = duplicate !== undefined && conditionOf(server.status?.conditions, duplicateMachine) === undefined;
  return {
    effects: isGone ? [] : effectsOf(seen, duplicate !== undefined),
    status: isGone ? undefined : describeStatus(seen, now),
    wake: { on: 'change' },
    why: duplicate === undefined ? [] : [{ code: duplicateMachine, message: duplicate }],
    ...(first ? { events: [{ type: 'Warning', reason: duplicateMachine, message: duplicate ?? '' }] } : {}),
  };
}

/** What a Server says when something it lacks could not be given; what passes by itself is not told. Pure. */
export function describeOnboardingFailure(
  seen: OnboardingSeen,
  failure: Failure,
  now: Instant,
): ServerStatus | undefined {
  const isPassing = failure.retry === 'transient' && failure.code !== ('MirrorFailed' satisfies FirmwareErrorCode);
  return isPassing ? undefined : describeStatus(seen, now, failure);
}

function describeStatus(seen: OnboardingSeen, now: Instant, failure?: Failure): ServerStatus | undefined {
  const { metadata, status } = seen.server;
  const message = duplicateOf(seen);
  const drafts: ConditionDraft[] = [];
  if (message !== undefined) drafts.push({ type: duplicateMachine, status: 'True', reason: duplicateMachine, message });
  if (failure !== undefined)
    drafts.push({ type: onboardingFailed, status: 'True', reason: failure.code, message: failure.message });
  const context = { before: status?.conditions, generation: metadata.generation, now };
  const conditions = writeConditions(drafts, context, [duplicateMachine, onboardingFailed]);
  const isSilent = conditions.length === 0 && status?.conditions === undefined;
  return isSilent ? undefined : { ...status, conditions };
}

/** Who had the machine first, if it was not this one. */
function duplicateOf({ server, twins, mirror, mirrored }: OnboardingSeen): string | undefined {
  const [first] = twins.toSorted(olderFirst);
  if (first !== undefined && first.metadata.name !== server.metadata.name) {
    return `Server ${first.metadata.name} claims the machine ${server.spec.systemUUID} too and was there first; nothing is done here. Delete one of them.`;
  }
  const isCurrent = mirrored !== undefined && mirrored.fingerprint === mirror?.fingerprint;
  if (!isCurrent || mirrored.outcome.kind !== 'duplicate') return undefined;
  return `Another machine has a name of this one: ${mirrored.outcome.message}; nothing is done here. Delete one of them.`;
}

function effectsOf(seen: OnboardingSeen, isDuplicate: boolean): OnboardingEffect[] {
  const { server, mirror, mirrored } = seen;
  const isOut = isExcluded(server.metadata.labels) || seen.isBmcExcluded;
  const isLeftOut = isOut || (isDuplicate && seen.firmware === undefined);
  const isTwin = seen.twins.toSorted(olderFirst)[0]?.metadata.name !== server.metadata.name;
  const effects: OnboardingEffect[] = forgetEffects(seen);
  if (!isLeftOut) effects.push(...firmwareEffects(seen), ...discoveredEffects(seen));
  // A twin would overwrite what the inventory knows of the machine.
  if (mirror !== undefined && !isTwin && mirrored?.fingerprint !== mirror.fingerprint) {
    effects.push({ kind: 'mirror', key: `mirror/${server.spec.systemUUID}`, ...mirror });
  }
  return effects;
}

/** Makes the ServerFirmware, or brings its labels in step with the Server's. */
function firmwareEffects({ server, firmware, isFirmwareNameTaken }: OnboardingSeen): OnboardingEffect[] {
  const { name = '', uid = '', labels = {} } = server.metadata;
  const own = { apiVersion: ironcoreApiVersion, kind: 'ServerFirmware' } as const;
  const ownerReferences = [{ apiVersion: ironcoreApiVersion, kind: 'Server', name, uid, controller: true }];
  const spec = { serverRef: { name } };
  if (firmware === undefined) {
    const metadata = { name: isFirmwareNameTaken ? `${name}-firmware` : name, labels, ownerReferences };
    return [{ kind: 'put-firmware', key: `firmware/${name}`, body: { ...own, metadata, spec } }];
  }
  if (isInStep(server, firmware)) return [];
  const { metadata, ownership } = firmware;
  const known = { name: metadata.name, uid: metadata.uid, labels };
  // What onboarding made it goes on naming, since what it names no more would go; what somebody else made has no owner.
  const body = ownership.isOnboarded
    ? { ...own, metadata: { ...known, ownerReferences }, spec }
    : { ...own, metadata: known };
  return [{ kind: 'put-firmware', key: `firmware/${name}`, body: body as ServerFirmware }];
}

/** Versions of another board say nothing of this one: it is as if it had never been scanned. */
function forgetEffects({ server, firmware }: OnboardingSeen): OnboardingEffect[] {
  const { systemUUID: before, observedGeneration, report, conditions } = firmware?.status ?? {};
  const systemUUID = server.spec.systemUUID.toLowerCase();
  if (before === undefined || before === systemUUID) return [];
  const kept = Object.entries({ observedGeneration, report, conditions }).filter(([, value]) => value !== undefined);
  const openUpdate = updateToTakeBack(firmware?.status);
  const status = { ...Object.fromEntries(kept), systemUUID, ...(openUpdate === undefined ? {} : { openUpdate }) };
  return [{ kind: 'forget-machine', key: `forget/${before}`, status }];
}

/** What waits for its turn on the other board must not be installed on this one; the server controller takes it back. */
function updateToTakeBack(status: ServerFirmwareStatus | undefined): ServerFirmwareStatus['openUpdate'] {
  const request = isAnswered(status) ? undefined : status?.request;
  const update = request?.kind === 'Update' && request.jobID !== unsentJobId ? request : status?.openUpdate;
  return update === undefined ? undefined : { ...update, desiredHash: otherMachineList };
}

function isInStep({ metadata: { uid, labels = {} } }: OwnedServer, { metadata, ownership }: OwnedFirmware): boolean {
  const entries = Object.entries(labels);
  const isOwned = (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
  return (
    entries.length === ownership.onboardedLabels.size &&
    entries.every(([key, value]) => metadata.labels?.[key] === value) &&
    (isOwned || !ownership.isOnboarded)
  );
}

function discoveredEffects({ server, hasDiscovered, isDiscoveredNameTaken }: OnboardingSeen): OnboardingEffect[] {
  const hardware = hardwareOf(server.status ?? {});
  if (hardware === undefined || hasDiscovered) return [];
  const [plain, distinct] = hardwareNames(hardware);
  const name = isDiscoveredNameTaken(plain) ? distinct : plain;
  const body = {
    apiVersion: ironcoreApiVersion,
    kind: 'DiscoveredFirmware',
    metadata: { name },
    spec: { manufacturer: hardware.manufacturer, model: hardware.model },
  } as const;
  return [{ kind: 'put-discovered', key: `discovered/${name}`, body }];
}
