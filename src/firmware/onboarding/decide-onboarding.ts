import {
  type DiscoveredFirmware,
  ironcoreApiVersion,
  ironcoreConditions,
  type Server,
  type ServerFirmware,
  type ServerStatus,
} from '../../api/index.ts';
import type { Decision, Instant } from '../../kube/index.ts';
import { writeConditions } from '../conditions.ts';
import { isExcluded, olderFirst } from '../fleet/fleet.ts';
import type { OwnedFirmware, OwnedServer } from '../fleet/objects.ts';
import { hardwareNames, hardwareOf } from '../hardware.ts';
import type { MirroredServer, MirrorOutcome } from '../ports.ts';

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
  | { readonly kind: 'put-discovered'; readonly key: string; readonly body: DiscoveredFirmware }
  | { readonly kind: 'mirror'; readonly key: string; readonly fingerprint: string; readonly server: MirroredServer };

/** What is decided about taking on one Server. */
export type OnboardingDecision = Decision<OnboardingEffect, ServerStatus>;

const { duplicateMachine } = ironcoreConditions;

/** Decides what a Server still lacks. Pure. */
export function decideOnboarding(seen: OnboardingSeen, now: Instant): OnboardingDecision {
  const { server } = seen;
  const duplicate = duplicateOf(seen);
  const isGone = server.metadata.deletionTimestamp !== undefined;
  const drafts =
    duplicate === undefined
      ? []
      : [{ type: duplicateMachine, status: 'True', reason: duplicateMachine, message: duplicate } as const];
  const context = { before: server.status?.conditions, generation: server.metadata.generation, now };
  const conditions = writeConditions(drafts, context, [duplicateMachine]);
  const isSilent = conditions.length === 0 && server.status?.conditions === undefined;
  const first = drafts.length > 0 && !server.status?.conditions?.some(({ type }) => type === duplicateMachine);
  return {
    effects: isGone ? [] : effectsOf(seen, duplicate !== undefined),
    status: isSilent || isGone ? undefined : { ...server.status, conditions },
    wake: { on: 'change' },
    why: duplicate === undefined ? [] : [{ code: duplicateMachine, message: duplicate }],
    ...(first ? { events: [{ type: 'Warning', reason: duplicateMachine, message: duplicate ?? '' }] } : {}),
  };
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
  const isLeftOut = isExcluded(server.metadata.labels) || (isDuplicate && seen.firmware === undefined);
  const isTwin = seen.twins.toSorted(olderFirst)[0]?.metadata.name !== server.metadata.name;
  const effects: OnboardingEffect[] = [];
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
  if (firmware === undefined) {
    const owner = { apiVersion: ironcoreApiVersion, kind: 'Server', name, uid, controller: true };
    const metadata = { name: isFirmwareNameTaken ? `${name}-firmware` : name, labels, ownerReferences: [owner] };
    return [
      { kind: 'put-firmware', key: `firmware/${name}`, body: { ...own, metadata, spec: { serverRef: { name } } } },
    ];
  }
  const { metadata, ownership } = firmware;
  const entries = Object.entries(labels);
  const isInStep =
    entries.length === ownership.onboardedLabels.size &&
    entries.every(([key, value]) => metadata.labels?.[key] === value);
  if (isInStep) return [];
  const ours = (metadata.ownerReferences ?? []).filter((owner) => owner.uid === uid);
  // What onboarding made it goes on naming, since what it names no more would go.
  const spec = ours.length > 0 ? { spec: { serverRef: { name } } } : {};
  const body = {
    ...own,
    metadata: { name: metadata.name, uid: metadata.uid, labels, ...(ours.length > 0 ? { ownerReferences: ours } : {}) },
    ...spec,
  };
  return [{ kind: 'put-firmware', key: `firmware/${name}`, body: body as ServerFirmware }];
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
