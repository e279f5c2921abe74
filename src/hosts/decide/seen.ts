import type {
  BareMetalHost,
  BareMetalHostStatus,
  HardwareData,
  HardwareDetails,
  HostFirmwareComponents,
  HostFirmwareSettings,
  HostPort,
  HostUpdatePolicy,
} from '../../api/index.ts';
import type { Decision, EventDraft, Reason, Wake } from '../../kube/index.ts';
import type { HostPortsSeen, LinkPort } from '../../network/index.ts';
import type {
  Attempt,
  CapacityOrder,
  Deployment,
  Deprovisioning,
  FirmwareUpdate,
  HostConfig,
  Importing,
  Outcome,
  HostSeen as OutsideSeen,
  PowerOrder,
  Preparation,
  Registration,
  Serviced,
  Servicing,
} from '../../provisioners/index.ts';
import type { ImageEffect, ImagesSeen } from '../images/images-seen.ts';
import type { NodeEffect, NodesSeen } from '../nodes/nodes-seen.ts';
import type { HostSettings } from '../settings.ts';
import type { HostState } from '../table/host-table.ts';

/** The Secret with the credentials of a BMC, as far as it was looked at. */
export type SecretSeen =
  /** It is not in the cache, which only has those that we have claimed. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'found';
      readonly version: string;
      readonly username: string;
      readonly password: string;
      /** True when it has our label, our finalizer and the host as an owner. */
      readonly isClaimed: boolean;
    };

/** What a provisioner is asked about one host. */
export type Question =
  | { readonly name: 'capacity'; readonly what: CapacityOrder['what'] }
  | { readonly name: 'register'; readonly order: Registration }
  | { readonly name: 'import'; readonly order: Importing }
  | { readonly name: 'inventory' }
  | { readonly name: 'adopt'; readonly order: Attempt & { readonly deployment?: Deployment | undefined } }
  | {
      readonly name: 'inspect';
      readonly order: Attempt & {
        readonly isRefresh: boolean;
        readonly isForced: boolean;
        readonly bootMode: Deployment['bootMode'];
      };
    }
  | { readonly name: 'look' }
  | { readonly name: 'prepare'; readonly order: Preparation }
  | {
      readonly name: 'provision';
      readonly order: Attempt & { readonly deployment: Deployment; readonly isForced: boolean };
    }
  | { readonly name: 'deprovision'; readonly order: Deprovisioning }
  | { readonly name: 'service'; readonly order: Servicing }
  | { readonly name: 'power'; readonly order: PowerOrder }
  | { readonly name: 'detach'; readonly order: { readonly isForced: boolean } }
  | { readonly name: 'attach-image'; readonly order: Attempt & { readonly url: string } }
  | { readonly name: 'eject-image'; readonly order: Attempt }
  | { readonly name: 'remove' };

/** The name of a question. */
export type QuestionName = Question['name'];

/** What answers carry, by the name of the question. */
export interface AnswerValues {
  readonly capacity: boolean;
  readonly register: { readonly id: string };
  readonly import: { readonly id: string };
  readonly inventory: HardwareDetails | undefined;
  readonly adopt: undefined;
  readonly inspect: HardwareDetails;
  readonly look: OutsideSeen;
  readonly prepare: undefined;
  readonly provision: undefined;
  readonly deprovision: undefined;
  readonly service: Serviced;
  readonly power: undefined;
  readonly detach: undefined;
  readonly 'attach-image': undefined;
  readonly 'eject-image': undefined;
  readonly remove: undefined;
}

/** The answers that a round got so far. Those to questions of a state go when the state does. */
export type Answers = { readonly [N in QuestionName]?: Outcome<AnswerValues[N]> };

/** What the host is told at its first boot, or why that is not known. */
export type ConfigSeen =
  | { readonly kind: 'read'; readonly config: HostConfig }
  | { readonly kind: 'unreadable'; readonly part: string; readonly message: string };

/** A change of firmware that was begun: it is not begun again before it has ended. */
export interface BegunFirmware {
  /** Of the HostFirmwareSettings whose settings are being made. */
  readonly settingsGeneration: number | undefined;
  readonly updates: readonly FirmwareUpdate[];
  /** The attempt at servicing that its provisioner is known to have taken. */
  readonly ticket?: string;
  /** What that attempt changes; undefined where it is not known. */
  readonly changes?: { readonly settings: boolean; readonly updates: boolean } | undefined;
}

/** Another host that is the same machine, and by what. */
export interface DuplicateHost {
  readonly host: string;
  readonly by: string;
}

/** All that a decision about a host is made from. */
export interface HostSeen {
  /** As it is stored; its status may be behind. */
  readonly host: BareMetalHost;
  /** As it was stored when this round began. */
  readonly hostBefore: BareMetalHost;
  /** As it will be stored. */
  readonly status: BareMetalHostStatus;
  readonly answers: Answers;
  readonly secret: SecretSeen;
  readonly config: ConfigSeen | undefined;
  readonly hardwareData: HardwareData | undefined;
  readonly firmwareSettings: HostFirmwareSettings | undefined;
  readonly firmwareComponents: HostFirmwareComponents | undefined;
  readonly updatePolicy: HostUpdatePolicy | undefined;
  /** How its switch ports are; undefined for a host without any, `unknown` before anybody could look. */
  readonly network: HostPortsSeen | 'unknown' | undefined;
  readonly images: ImagesSeen;
  /** What this round has found out about the Node behind the host. */
  readonly nodes: NodesSeen;
  /** Another host that has the machine of which discovery made this one. */
  readonly rival: string | undefined;
  /** Another host that is the same machine and goes before this one. */
  readonly duplicate: DuplicateHost | undefined;
  /** The state that the host was in when this round began. */
  readonly beganIn: HostState | undefined;
  /** The change of firmware that is under way, as far as this process began it. */
  readonly begun: BegunFirmware | undefined;
  /** How the power is being switched, as far as this process asked for it. */
  readonly powerAsked: PowerOrder | undefined;
  /** True when firmware was read anew in this round. */
  readonly isFirmwareFresh: boolean;
  /** Whether the companions and the policy are as the API server has them: a watch may tell of them after it told of the host. */
  readonly wishes: 'unchecked' | 'current' | 'behind';
  readonly settings: HostSettings;
  /** A number in [0, 1) drawn for this round. */
  readonly share: number;
}

/** What is seen once a question was answered; firmware that is being changed has to be read again. */
export function withAnswer(seen: HostSeen, question: Question, answer: Answers): HostSeen {
  const isFirmwareFresh = seen.isFirmwareFresh && question.name !== 'prepare' && question.name !== 'service';
  const powerAsked = question.name === 'power' ? askedBy(question.order, answer, seen.powerAsked) : seen.powerAsked;
  return { ...seen, answers: { ...seen.answers, ...answer }, isFirmwareFresh, powerAsked };
}

/** Where nothing was done, what was asked for before still is. */
function askedBy(order: PowerOrder, { power }: Answers, before: PowerOrder | undefined): PowerOrder | undefined {
  if (power?.kind === 'continue') return order;
  return power?.kind === 'busy' || power?.kind === 'unavailable' ? before : undefined;
}

/** What is changed in a host besides its status, in one write. */
export interface HostChange {
  readonly addFinalizer?: string;
  readonly removeFinalizer?: string;
  readonly setAnnotations?: Readonly<Record<string, string>>;
  readonly removeAnnotations?: readonly string[];
  readonly architecture?: string;
  /** What users linked to its switch ports. */
  readonly ports?: readonly HostPort[];
}

/** What can be done for a host; doing one of a key twice is harmless. */
export type HostEffect = { readonly key: string } & (
  | { readonly kind: 'change-host'; readonly change: HostChange }
  | { readonly kind: 'store-status' }
  | { readonly kind: 'claim-secret'; readonly name: string; readonly isLeaving: boolean }
  | { readonly kind: 'release-secret'; readonly name: string }
  | { readonly kind: 'put-hardware-data'; readonly hardware: HardwareDetails }
  | { readonly kind: 'release-hardware-data' }
  | { readonly kind: 'tell-updates'; readonly updates: readonly FirmwareUpdate[] }
  | { readonly kind: 'note-begun'; readonly begun: BegunFirmware | undefined }
  | { readonly kind: 'refresh-firmware' }
  | { readonly kind: 'check-wishes' }
  /** For good: whatever is held for the host, on whichever machine. */
  | { readonly kind: 'release-work'; readonly isForGood: boolean }
  | { readonly kind: 'read-config' }
  | { readonly kind: 'ask'; readonly question: Question }
  | LinkPort
  | ImageEffect
  | NodeEffect
);

/** Nobody is kept away from the machine any more; where nobody was, nothing is done. */
export const releaseWork: HostEffect = { kind: 'release-work', key: 'release-work', isForGood: false };

/** Something to be counted once what was decided is stored. */
export interface Count {
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of a distribution. */
  readonly seconds?: number;
}

/** What is wanted for a host at one moment of a round. */
export interface HostDecision extends Decision<HostEffect, BareMetalHostStatus> {
  readonly status: BareMetalHostStatus;
  readonly events: readonly EventDraft[];
  readonly counts: readonly Count[];
  /** False: do the effects, if any, and decide again with what came of them. */
  readonly isRoundOver: boolean;
  readonly state: string;
}

/** What is being made of a moment: the status to be, and what is to be told. */
export interface Draft {
  readonly status: BareMetalHostStatus;
  readonly events: readonly EventDraft[];
  readonly counts: readonly Count[];
}

/** What a part of the decision comes to. */
export type Step =
  /** Do these, and look again. */
  | { readonly kind: 'do'; readonly draft: Draft; readonly effects: readonly HostEffect[] }
  /** The status is another: look again. */
  | { readonly kind: 'again'; readonly draft: Draft }
  /** Nothing more for now. */
  | {
      readonly kind: 'rest';
      readonly draft: Draft;
      readonly wake: Wake;
      readonly why: readonly Reason[];
      /** What is done at the end of the round. */
      readonly effects?: readonly HostEffect[];
      readonly isLeftAlone?: boolean;
    };

/** A draft with another status. */
export function withStatus(draft: Draft, status: BareMetalHostStatus): Draft {
  return { ...draft, status };
}

/** A draft that tells something more. */
export function telling(draft: Draft, type: EventDraft['type'], reason: string, message: string): Draft {
  return { ...draft, events: [...draft.events, { type, reason, message }] };
}

/** A draft that counts something more. */
export function counting(draft: Draft, metric: string, more: Omit<Count, 'metric'> = {}): Draft {
  return { ...draft, counts: [...draft.counts, { metric, ...more }] };
}

/** Nothing more, until then. */
export function rest(draft: Draft, wake: Wake, code: string, message: string): Step {
  return { kind: 'rest', draft, wake, why: [{ code, message }] };
}
