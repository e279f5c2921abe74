import {
  type BareMetalHost,
  type Cluster,
  clusterAnnotations,
  type MachineDeployment,
  type MachineSet,
  type Metal3Machine,
  type Metal3MachineSpec,
  type Metal3MachineTemplate,
} from '../../api/index.ts';
import { type Decision, type EventDraft, isBeingDeleted, namesForPeople, type Reason } from '../../kube/index.ts';
import { type HostWish, judgeHost } from '../choice/judge-host.ts';
import { isEmptySelector, matchesLabels } from '../choice/match-labels.ts';
import { chosenHostOf } from '../objects.ts';
import type { MachineNetwork } from '../ports.ts';
import { consumerKey, nameOf, objectKey } from '../references.ts';
import { boundsOf, heldBack, recordOf, type ScaleRecord } from './scale-record.ts';

/** What can be scaled to its hosts. */
export type ScaleTarget = MachineSet | MachineDeployment;

/** Another set or deployment that follows its hosts. */
export interface Rival {
  readonly object: ScaleTarget;
  readonly spec: Metal3MachineSpec;
}

/** What the controller that scales sets looks at. */
export interface ScaleSeen {
  readonly object: ScaleTarget;
  /** Who else decides how many replicas it has, in words; undefined when nobody does. */
  readonly master: string | undefined;
  /** True where it may also be scaled down. */
  readonly isDownAllowed: boolean;
  readonly cluster: Cluster | undefined;
  readonly template: Metal3MachineTemplate | undefined;
  /** Its Metal3Machines, without those that are being deleted. */
  readonly members: readonly Metal3Machine[];
  /** Other Metal3Machines of the namespace that look for a host. */
  readonly seekers: readonly Metal3Machine[];
  readonly hosts: readonly BareMetalHost[];
  readonly rivals: readonly Rival[];
  /** Whether there is a Metal3Machine of a key. */
  readonly isThere: (key: string) => boolean;
  /** Whether there is one that is not being deleted. */
  readonly isStaying: (key: string) => boolean;
  readonly network: MachineNetwork;
}

/** What the controller that scales sets does. */
export type ScaleEffect =
  /** Changes exactly the version that was seen. */
  | { readonly kind: 'scale'; readonly key: string; readonly replicas: number; readonly record: ScaleRecord }
  /** Marks a machine without a host as the one to go. */
  | { readonly kind: 'mark'; readonly key: string; readonly machine: Metal3Machine };

/** What is decided about a set or deployment. */
export type ScaleDecision = Decision<ScaleEffect, never>;

/** Decides how many replicas there should be for the hosts that can be claimed. Pure. */
export function decideScale(seen: ScaleSeen): ScaleDecision {
  const refusal = refusalOf(seen);
  if (refusal !== undefined) return settled(refusal, isWorthTelling(refusal) ? [warning(refusal)] : []);
  const { template, object, members } = seen;
  const wish = wishOf(template?.spec.template.spec ?? {}, seen.network);
  const stray = seen.hosts.find((host) => isStray(seen, host, wish));
  if (stray !== undefined) {
    const message = `The host ${nameOf(stray)} names a Metal3Machine that is not there (yet).`;
    return settled({ code: 'ConsumerMissing', message }, []);
  }
  const { own, shared } = claimableHosts(seen, wish);
  const supply = members.filter((each) => isSupplied(seen, each)).length + own.length;
  const replicas = object.spec.replicas ?? 1;
  // Machines that are too many will give their hosts back, once whoever removes them has got to it.
  const leaving = Math.max(0, members.length - replicas);
  const spare = leaving + seen.hosts.filter((host) => isSpare(seen, host, wish)).length;
  const held = heldBack(recordOf(object), { replicas, spare });
  return scaleTo(seen, { supply, held }, shared.length === 0 ? [] : [sharing(shared)]);
}

/** What there is for replicas. */
interface Stock {
  /** Hosts that it has, or can claim. */
  readonly supply: number;
  /** How many of them it is not to claim, since somebody scaled it down. */
  readonly held: number;
}

function scaleTo(seen: ScaleSeen, { supply, held }: Stock, told: readonly EventDraft[]): ScaleDecision {
  const { object } = seen;
  const bounds = boundsOf(object);
  const replicas = object.spec.replicas ?? 1;
  const record = recordOf(object);
  const up = Math.min(supply - held, bounds.most);
  if (up > replicas) {
    const message = `Scaled from ${replicas} to ${up}: there are hosts for ${supply}.`;
    const effects = [scaleEffect(object, { replicas: up, held })];
    return { ...settled({ code: 'ScaledUp', message }, [...told, normal('ScaledToHosts', message)]), effects };
  }
  const down = Math.max(supply, bounds.least);
  if (seen.isDownAllowed && !bounds.isAutoscaled && down < replicas) return scaleDown(seen, { supply, held }, down);
  const message = `${replicas} replicas, hosts for ${supply}${held > 0 ? `, ${held} of them held back` : ''}.`;
  // Hosts that were left out and are gone are not left out any more, also when others come.
  const isFewer = record !== undefined && held < record.held + record.replicas - replicas;
  const effects = isFewer ? [scaleEffect(object, { replicas, held })] : [];
  return { ...settled({ code: 'Settled', message }, told), effects };
}

function scaleEffect(object: ScaleTarget, record: ScaleRecord): ScaleEffect {
  return { kind: 'scale', key: `scale/${objectKey(object)}`, replicas: record.replicas, record };
}

/** Only machines without a host go, and the right ones are marked first. */
function scaleDown(seen: ScaleSeen, { supply, held }: Stock, replicas: number): ScaleDecision {
  const { object, members } = seen;
  const before = object.spec.replicas ?? 1;
  const idle = members.filter((each) => !isSupplied(seen, each)).slice(0, before - replicas);
  const marks: ScaleEffect[] = idle.map((machine) => ({ kind: 'mark', key: `mark/${objectKey(machine)}`, machine }));
  const message = `Scaled from ${before} to ${replicas}: there are hosts for ${supply}.`;
  const decision = settled({ code: 'ScaledDown', message }, [normal('ScaledToHosts', message)]);
  return { ...decision, effects: [...marks, scaleEffect(object, { replicas, held })] };
}

function refusalOf({ object, master, cluster, template }: ScaleSeen): Reason | undefined {
  if (isBeingDeleted(object)) return { code: 'Deleting', message: 'It is being deleted.' };
  if (master !== undefined)
    return { code: 'ScaledByAnother', message: `${master} decides how many replicas there are.` };
  if (cluster === undefined || isBeingDeleted(cluster))
    return { code: 'ClusterNotFound', message: 'Its Cluster is not there.' };
  if (cluster.spec?.paused === true || object.metadata.annotations?.[clusterAnnotations.paused] !== undefined) {
    return { code: 'Paused', message: 'It or its Cluster is paused.' };
  }
  if (template === undefined) return { code: 'TemplateNotFound', message: 'Its Metal3MachineTemplate is not there.' };
  if (isEmptySelector(template.spec.template.spec.hostSelector)) {
    const message = `The Metal3MachineTemplate ${nameOf(template)} has no hostSelector: it would take every host.`;
    return { code: 'SelectorEmpty', message };
  }
  return undefined;
}

function isWorthTelling({ code }: Reason): boolean {
  return code === 'SelectorEmpty' || code === 'ScaledByAnother';
}

function wishOf({ hostSelector, networkConfiguration = [] }: Metal3MachineSpec, network: MachineNetwork): HostWish {
  return { selector: hostSelector, networkConfiguration, network, reuse: undefined };
}

/** A machine that has a host, or had one that is gone: neither waits for one. */
function isSupplied({ hosts }: ScaleSeen, machine: Metal3Machine): boolean {
  if (machine.spec.providerID !== undefined) return true;
  return hosts.some((host) => consumerKey(host) === objectKey(machine));
}

/** A host of the right kind that no machine has which stays: whatever its state, it may be what was left out. */
function isSpare({ isStaying }: ScaleSeen, host: BareMetalHost, { selector }: HostWish): boolean {
  if (!matchesLabels(selector, host.metadata.labels)) return false;
  const key = consumerKey(host);
  return key === undefined ? host.spec?.consumerRef === undefined : !isStaying(key);
}

function isStray({ isThere }: ScaleSeen, host: BareMetalHost, { selector, ...wish }: HostWish): boolean {
  const key = consumerKey(host);
  if (key === undefined || isThere(key)) return false;
  return judgeHost(host, { ...wish, selector }) !== 'Selector';
}

/** Hosts that it can claim, and those that an older set or deployment has before it. */
function claimableHosts(seen: ScaleSeen, wish: HostWish): { readonly own: BareMetalHost[]; readonly shared: string[] } {
  const free = seen.hosts.filter((host) => judgeHost(host, wish) === undefined);
  const isOthers = (host: BareMetalHost): boolean =>
    seen.rivals.some(
      ({ object, spec }) => isBefore(object, seen.object) && judgeHost(host, wishOf(spec, seen.network)) === undefined,
    );
  const own = new Set(free.filter((host) => !isOthers(host)));
  // Machines of others that look for a host will take some of these.
  for (const seeker of seen.seekers) {
    const other = wishOf(seeker.spec, seen.network);
    const fitting = [...own].filter((host) => judgeHost(host, other) === undefined);
    const taken = fitting.find((host) => nameOf(host) === chosenHostOf(seeker)) ?? fitting[0];
    if (taken !== undefined) own.delete(taken);
  }
  return { own: [...own], shared: free.filter(isOthers).map(nameOf) };
}

/** The older of two comes first; of the same age, the one whose name does. */
function isBefore(one: ScaleTarget, other: ScaleTarget): boolean {
  const [mine, theirs] = [one.metadata.creationTimestamp ?? '', other.metadata.creationTimestamp ?? ''];
  if (mine !== theirs) return mine < theirs;
  return `${one.kind}/${nameOf(one)}` < `${other.kind}/${nameOf(other)}`;
}

function settled(why: Reason, events: readonly EventDraft[]): ScaleDecision {
  return { effects: [], status: undefined, wake: { on: 'change' }, why: [why], events };
}

function warning({ code, message }: Reason): EventDraft {
  return { type: 'Warning', reason: 'NotScaledToHosts', message: `${code}: ${message}` };
}

function normal(reason: string, message: string): EventDraft {
  return { type: 'Normal', reason, message };
}

function sharing(hosts: readonly string[]): EventDraft {
  const message = `Hosts that are selected here too are counted for an older set or deployment: ${namesForPeople(hosts, 5)}.`;
  return { type: 'Warning', reason: 'HostsShared', message };
}
