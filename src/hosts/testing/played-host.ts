import {
  type BareMetalHost,
  type BareMetalHostSpec,
  type BareMetalHostStatus,
  type HardwareData,
  type HostFirmwareComponents,
  type HostFirmwareSettings,
  type HostUpdatePolicy,
  metal3ApiVersion,
} from '../../api/index.ts';
import { createFakeClock, type EventDraft, type FakeClock, type Wake } from '../../kube/index.ts';
import type { PowerOrder } from '../../provisioners/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { decideHost } from '../decide/decide-host.ts';
import {
  type BegunFirmware,
  type ConfigSeen,
  type Count,
  type DuplicateHost,
  type HostDecision,
  type HostEffect,
  type HostSeen,
  type SecretSeen,
  withAnswer,
} from '../decide/seen.ts';
import { type ImageEffect, type ImagesSeen, noImages } from '../images/images-seen.ts';
import type { HostNetwork } from '../network/host-network.ts';
import type { HostNodes } from '../nodes/host-nodes.ts';
import type { NodeEffect } from '../nodes/nodes-seen.ts';
import { performNodeEffect } from '../nodes/perform-nodes.ts';
import { type ExternalWork, nobodyElse } from '../ports.ts';
import { finalizers } from '../resources.ts';
import { defaultHostSettings, type HostSettings } from '../settings.ts';
import { askProvisioner, releaseHost } from '../shell/ask-provisioner.ts';
import { createHeldWork, type HeldWork } from '../shell/held-work.ts';
import { carryOn } from '../shell/host-controller.ts';
import { blankStatus, stateOf } from '../status/host-status.ts';
import { createScriptedProvisioners, type ScriptedProvisioners } from './scripted-provisioners.ts';

/** For tests: a host whose rounds are played in memory. */
export interface PlayedHost {
  host: BareMetalHost;
  secret: SecretSeen;
  hardwareData: HardwareData | undefined;
  firmwareSettings: HostFirmwareSettings | undefined;
  firmwareComponents: HostFirmwareComponents | undefined;
  updatePolicy: HostUpdatePolicy | undefined;
  config: ConfigSeen;
  /** Undefined: it has no switch ports. */
  network: HostNetwork | undefined;
  images: ImagesSeen;
  nodes: HostNodes;
  /** Another host that has the machine that discovery told of. */
  rival: string | undefined;
  /** Another host that is the same machine. */
  duplicate: DuplicateHost | undefined;
  /** What comes of a look whether companions and policy are as the API server has them. */
  wishes: 'current' | 'behind';
  settings: HostSettings;
  /** Called when the firmware is read anew. */
  onRefresh: () => void;
  externalWork: ExternalWork;
  /** The same with what is remembered of it, as rounds use it. */
  readonly heldWork: HeldWork;
  readonly provisioners: ScriptedProvisioners;
  readonly clock: FakeClock;
  readonly events: EventDraft[];
  readonly counts: Count[];
  /** Everything that was done besides questions, in order; `ask` with the name of the question. */
  readonly done: string[];
  /** Statuses that were stored, in order. */
  readonly stored: BareMetalHostStatus[];
  /** One round; how it ended. */
  round(): Promise<HostDecision>;
  /** Rounds until the host rests longer than so, at most ten. */
  settle(longerThanMs?: number): Promise<HostDecision>;
  readonly status: BareMetalHostStatus;
  readonly state: string;
  reasons(): string[];
  edit(spec: Partial<BareMetalHostSpec>): void;
  annotate(values: Readonly<Record<string, string | undefined>>): void;
  delete(): void;
  /** What only a process remembers is gone, as after a restart. */
  forget(): void;
}

/** For tests: what a played host is made of. */
export interface PlayedOptions {
  readonly spec?: Partial<BareMetalHostSpec>;
  readonly annotations?: Record<string, string>;
  readonly status?: Partial<BareMetalHostStatus>;
  readonly secret?: SecretSeen;
  readonly settings?: Partial<HostSettings>;
}

/** For tests: nothing that runs on hosts is a Node. */
export const noNodes: HostNodes = {
  find: async () => ({ kind: 'none' }),
  drain: async () => ({ kind: 'drained' }),
  giveBack: async () => ({ kind: 'done' }),
};

/** For tests: a Secret that can be used. */
export const goodSecret: SecretSeen = {
  kind: 'found',
  version: '7',
  username: 'admin',
  password: 'hunter2',
  isClaimed: true,
};

/** For tests: a host that is as told. */
export function playHost(options: PlayedOptions = {}): PlayedHost {
  const provisioners = createScriptedProvisioners();
  const clock = createFakeClock();
  const memory: Memory = { begun: undefined, powerAsked: undefined };
  const spec = {
    online: true,
    bmc: { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', credentialsName: 'bmc' },
    ...options.spec,
  };
  const annotations = options.annotations;
  const host: BareMetalHost = {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: {
      name: 'h1',
      namespace: 'fleet',
      uid: 'u1',
      generation: 1,
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec,
    ...(options.status === undefined ? {} : { status: { ...blankStatus, ...options.status } }),
  };
  const played: PlayedHost = {
    host,
    secret: options.secret ?? goodSecret,
    hardwareData: undefined,
    firmwareSettings: undefined,
    firmwareComponents: undefined,
    updatePolicy: undefined,
    config: { kind: 'read', config: {} },
    network: undefined,
    images: noImages,
    nodes: noNodes,
    rival: undefined,
    duplicate: undefined,
    wishes: 'current',
    settings: { ...defaultHostSettings, ...options.settings },
    onRefresh: () => {},
    externalWork: nobodyElse,
    heldWork: createHeldWork(
      {
        hold: (identity, what) => played.externalWork.hold(identity, what),
        release: (identity) => played.externalWork.release(identity),
        releaseOwner: (name) => played.externalWork.releaseOwner(name),
        owners: () => played.externalWork.owners(),
      },
      silentLogger,
    ),
    provisioners,
    clock,
    events: [],
    counts: [],
    done: [],
    stored: [],
    round: () => playRound(played, memory),
    async settle(longerThanMs = 1000) {
      for (let round = 0; round < 10; round++) {
        const end = await played.round();
        if (wakeMs(end.wake) > longerThanMs) return end;
        clock.advance(wakeMs(end.wake));
      }
      throw new Error('the host does not come to rest');
    },
    get status() {
      return { ...blankStatus, ...played.host.status };
    },
    get state() {
      return played.host.status?.provisioning.state ?? '';
    },
    reasons: () => played.events.map(({ reason }) => reason),
    edit(change) {
      const generation = (played.host.metadata.generation ?? 0) + 1;
      // What is undefined is not there, as on a server.
      const next = JSON.parse(JSON.stringify({ ...played.host.spec, ...change })) as BareMetalHostSpec;
      played.host = { ...played.host, metadata: { ...played.host.metadata, generation }, spec: next };
    },
    annotate(values) {
      const all = { ...played.host.metadata.annotations, ...values };
      const kept = Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      played.host = { ...played.host, metadata: { ...played.host.metadata, annotations: kept } };
    },
    delete() {
      const held = played.host.metadata.finalizers ?? [finalizers.host];
      played.host = {
        ...played.host,
        metadata: { ...played.host.metadata, deletionTimestamp: '2025-01-01T00:00:00Z', finalizers: held },
      };
    },
    forget() {
      memory.begun = undefined;
      memory.powerAsked = undefined;
    },
  };
  return played;
}

/** For tests: how long a wake is from now. */
export function wakeMs(wake: Wake): number {
  return 'after' in wake ? wake.after : Number.POSITIVE_INFINITY;
}

interface Memory {
  begun: BegunFirmware | undefined;
  powerAsked: PowerOrder | undefined;
}

async function playRound(played: PlayedHost, memory: Memory): Promise<HostDecision> {
  await played.heldWork.makeGood({ namespace: 'fleet', name: 'h1' });
  let seen: HostSeen = {
    host: played.host,
    hostBefore: played.host,
    status: { ...blankStatus, ...played.host.status },
    answers: {},
    secret: played.secret,
    config: undefined,
    hardwareData: played.hardwareData,
    firmwareSettings: played.firmwareSettings,
    firmwareComponents: played.firmwareComponents,
    updatePolicy: played.updatePolicy,
    network: played.network?.look(played.host),
    images: played.images,
    nodes: {},
    rival: played.rival,
    duplicate: played.duplicate,
    beganIn: stateOf({ ...blankStatus, ...played.host.status }),
    begun: memory.begun,
    powerAsked: memory.powerAsked,
    isFirmwareFresh: false,
    wishes: 'unchecked',
    settings: played.settings,
    share: 0.5,
  };
  for (let moment = 0; moment < 60; moment++) {
    const decision = decideHost(seen, played.clock.now());
    played.events.push(...decision.events);
    played.counts.push(...decision.counts);
    seen = carryOn(seen, decision);
    for (const effect of decision.effects) {
      played.done.push(effect.kind === 'ask' ? `ask ${effect.question.name}` : effect.kind);
      seen = await playOutside(played, seen, effect, memory);
      memory.powerAsked = seen.powerAsked;
    }
    played.host = seen.host;
    if (!decision.isRoundOver) continue;
    if (!decision.why.some(({ code }) => code === 'Gone')) store(played, seen);
    return decision;
  }
  throw new Error('the round does not end');
}

const nobodyServiced = { list: () => [], letIn: () => undefined };

async function playOutside(played: PlayedHost, seen: HostSeen, effect: HostEffect, memory: Memory): Promise<HostSeen> {
  const machines = { isTaken: async () => false };
  const parts = {
    provisioners: played.provisioners,
    externalWork: played.heldWork,
    machines,
    serviced: nobodyServiced,
  };
  if (effect.kind === 'ask') {
    return withAnswer(seen, effect.question, await askProvisioner(parts, seen, effect.question));
  }
  if (effect.kind === 'link-port') {
    await played.network?.link(effect, new AbortController().signal);
    return { ...seen, network: played.network?.look(seen.host) };
  }
  if (effect.kind === 'find-node' || effect.kind === 'drain-node' || effect.kind === 'give-node-back') {
    return performNodeEffect(played.nodes, seen, effect);
  }
  if (effect.kind !== 'release-work') return playEffect(played, seen, effect, memory);
  await releaseHost(parts, seen, effect);
  return { ...seen, powerAsked: undefined };
}

function store(played: PlayedHost, seen: HostSeen): HostSeen {
  const status = structuredClone(seen.status);
  played.stored.push(status);
  const host = { ...seen.host, status: { ...status, lastUpdated: '2025-01-01T00:00:00Z' } };
  played.host = host;
  return { ...seen, host, status: host.status };
}

function playEffect(
  played: PlayedHost,
  seen: HostSeen,
  effect: Exclude<HostEffect, { kind: 'ask' | 'release-work' | 'link-port' | NodeEffect['kind'] }>,
  memory: Memory,
): HostSeen {
  const { metadata } = seen.host;
  switch (effect.kind) {
    case 'store-status':
      return store(played, seen);
    case 'change-host': {
      const {
        addFinalizer,
        removeFinalizer,
        setAnnotations,
        removeAnnotations = [],
        architecture,
        ports,
      } = effect.change;
      const held = [...(metadata.finalizers ?? []), ...(addFinalizer === undefined ? [] : [addFinalizer])];
      const left = Object.entries(metadata.annotations ?? {}).filter(([name]) => !removeAnnotations.includes(name));
      const spec = seen.host.spec as BareMetalHostSpec;
      return {
        ...seen,
        host: {
          ...seen.host,
          metadata: {
            ...metadata,
            finalizers: held.filter((name) => name !== removeFinalizer),
            annotations: { ...Object.fromEntries(left), ...setAnnotations },
          },
          spec: {
            ...spec,
            ...(architecture === undefined ? {} : { architecture }),
            ...(ports === undefined ? {} : { ports: [...ports] }),
          },
        },
      };
    }
    case 'claim-secret':
      return {
        ...seen,
        secret: played.secret.kind === 'found' ? { ...played.secret, isClaimed: true } : { kind: 'missing' },
      };
    case 'release-secret':
      return seen;
    case 'put-hardware-data': {
      const hardwareData: HardwareData = {
        apiVersion: metal3ApiVersion,
        kind: 'HardwareData',
        metadata: { name: 'h1', namespace: 'fleet', finalizers: [finalizers.hardwareData] },
        spec: { hardware: effect.hardware },
      };
      played.hardwareData = hardwareData;
      return { ...seen, hardwareData };
    }
    case 'release-hardware-data':
      played.hardwareData = undefined;
      return { ...seen, hardwareData: undefined };
    case 'read-config':
      return { ...seen, config: played.config };
    case 'tell-updates': {
      const { firmwareComponents } = seen;
      if (firmwareComponents === undefined) return seen;
      const told = { ...firmwareComponents, status: { ...firmwareComponents.status, updates: [...effect.updates] } };
      played.firmwareComponents = told;
      return { ...seen, firmwareComponents: told };
    }
    case 'note-begun':
      memory.begun = effect.begun;
      return { ...seen, begun: effect.begun };
    case 'refresh-firmware': {
      played.onRefresh();
      const { firmwareSettings, firmwareComponents } = played;
      return { ...seen, isFirmwareFresh: true, firmwareSettings, firmwareComponents };
    }
    case 'check-wishes':
      return { ...seen, wishes: played.wishes };
    default:
      played.images = playImageEffect(played.images, effect, metadata);
      return { ...seen, images: played.images };
  }
}

function playImageEffect(images: ImagesSeen, effect: ImageEffect, of: BareMetalHost['metadata']): ImagesSeen {
  switch (effect.kind) {
    case 'claim-network-secret': {
      const { network } = images;
      return { ...images, network: network.kind === 'found' ? { ...network, isClaimed: true } : { kind: 'missing' } };
    }
    case 'put-boot-image': {
      const ownerReferences = [
        { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', name: of.name ?? '', uid: of.uid ?? '' },
      ];
      const generation = (images.bootImage?.metadata.generation ?? 0) + 1;
      const metadata = {
        name: 'h1',
        namespace: 'fleet',
        generation,
        finalizers: [finalizers.bootImage],
        ownerReferences,
      };
      const { status } = images.bootImage ?? {};
      const made = { apiVersion: metal3ApiVersion, kind: 'PreprovisioningImage', metadata, spec: effect.spec } as const;
      return { ...images, bootImage: status === undefined ? made : { ...made, status } };
    }
    case 'release-boot-image':
      return { ...images, bootImage: undefined };
    case 'release-network-secret':
      return { ...images, network: { kind: 'missing' } };
    case 'tell-data-image': {
      const { dataImage } = images;
      return { ...images, dataImage: dataImage === undefined ? undefined : { ...dataImage, status: effect.status } };
    }
  }
}
