import { type BareMetalHost, clusterFinalizers, type Metal3MachineStatus } from '../../api/index.ts';
import {
  type Decision,
  type EventDraft,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  type Reason,
  takeStep,
  type Wake,
} from '../../kube/index.ts';
import { chosenHostOf, type Node } from '../objects.ts';
import { nameOf, namespaceOf, objectKey } from '../references.ts';
import {
  claimPatch,
  cleaningPatch,
  deployPatch,
  deprovisionPatch,
  type HostPatch,
  isDeployed,
  networkPatch,
  pausePatch,
  reconfigured,
  releasePatch,
  unpausePatch,
} from './host-changes.ts';
import { isPaused, type Metal3MachineSeen, type Reuse } from './machine-seen.ts';
import { type MachineSituation, providerIdOf, situationOf } from './machine-situation.ts';
import { describeMachineStatus, relatedHost } from './machine-status.ts';
import { type MachineAction, type MachineState, machineTable } from './machine-table.ts';

/** What the controller of Metal3Machines does. */
export type Metal3MachineEffect =
  /** Notes down which host it is to be, before anything is done to that host. */
  | { readonly kind: 'choose'; readonly key: string; readonly host: string; readonly failureDomain: string | undefined }
  /** Takes the host that is noted down, of exactly the version that was seen. */
  | { readonly kind: 'claim-host'; readonly key: string; readonly host: string; readonly patch: HostPatch }
  /** Fails, to be looked at again, when the one that a host is to be kept for is not there any more. */
  | { readonly kind: 'check-keeper'; readonly key: string; readonly keeper: NonNullable<Reuse['keeper']> }
  /** Changes a host of exactly the version that was seen. */
  | { readonly kind: 'write-host'; readonly key: string; readonly host: string; readonly patch: HostPatch }
  /** Says on the credentials of a host which cluster they are for, so that they can be moved with it. */
  | { readonly kind: 'label-secret'; readonly key: string; readonly secret: string; readonly cluster: string | null }
  | { readonly kind: 'name-node'; readonly key: string; readonly node: Node; readonly providerId: string }
  | { readonly kind: 'set-provider-id'; readonly key: string; readonly providerId: string }
  | { readonly kind: 'remove-finalizer'; readonly key: string };

/** What is decided about a Metal3Machine. */
export type Metal3MachineDecision = Decision<Metal3MachineEffect, Metal3MachineStatus>;

/** Decides what to do about a Metal3Machine. Pure. */
export function decideMetal3Machine(seen: Metal3MachineSeen, now: Instant): Metal3MachineDecision {
  const { object, host } = seen;
  if (isPaused(object, seen.cluster)) return decidePaused(seen, now);
  const situation = situationOf(seen);
  const { state, action } = settle(situation);
  const before = host === undefined ? undefined : unpausePatch(host);
  const effects: readonly Metal3MachineEffect[] =
    before === undefined ? effectsOf(seen, situation, action) : [writeHost('unpause', seen, host, before)];
  const why = whyOf(seen, situation, state);
  // What changes the object itself also changes its version, so that a status of what was seen could not be written.
  const isOwnWrite = effects.some(
    ({ kind }) => kind === 'choose' || kind === 'set-provider-id' || kind === 'remove-finalizer',
  );
  const status = describeMachineStatus(seen, { state, isPaused: false, why, now });
  return {
    effects,
    status: isOwnWrite ? undefined : status,
    wake: wakeOf(seen, state),
    why: [why],
    events: isOwnWrite || before !== undefined ? [] : eventsOf(seen, action),
    state,
  };
}

function decidePaused(seen: Metal3MachineSeen, now: Instant): Metal3MachineDecision {
  const { host, cluster } = seen;
  const patch = host === undefined ? undefined : pausePatch(host);
  const what = cluster?.spec?.paused === true ? `The Cluster ${nameOf(cluster)}` : 'The Metal3Machine';
  const why = { code: 'Paused', message: `${what} is paused.` };
  const { state } = settle(situationOf(seen));
  return {
    effects: patch === undefined || host === undefined ? [] : [writeHost('pause', seen, host, patch)],
    status: describeMachineStatus(seen, { state, isPaused: true, why, now }),
    wake: { on: 'change' },
    why: [why],
    state,
  };
}

/** Goes through the table until it rests or asks for something. */
function settle({ facts }: MachineSituation): {
  readonly state: MachineState;
  readonly action: MachineAction | undefined;
} {
  let state: MachineState = machineTable.initial;
  for (let steps = 0; steps < machineTable.states.length; steps++) {
    const { position, actions } = takeStep(machineTable, { state, since: 0 }, facts, 0);
    const [action] = actions;
    if (action !== undefined) return { state: position.state, action };
    if (position.state === state) break;
    state = position.state;
  }
  return { state, action: undefined };
}

function writeHost(what: string, seen: Metal3MachineSeen, host: BareMetalHost | undefined, patch: HostPatch) {
  const name = host === undefined ? '' : nameOf(host);
  return { kind: 'write-host' as const, key: `${what}/${objectKey(seen.object)}`, host: name, patch };
}

function effectsOf(
  seen: Metal3MachineSeen,
  { choice }: MachineSituation,
  action: MachineAction | undefined,
): Metal3MachineEffect[] {
  const { object, host, chosen } = seen;
  const key = `${action}/${objectKey(object)}`;
  const failureDomain = seen.machine?.spec.failureDomain;
  if (host !== undefined && !isNoted(seen, host)) return [{ kind: 'choose', key, host: nameOf(host), failureDomain }];
  switch (action) {
    case 'choose': {
      return choice?.kind === 'host' ? [{ kind: 'choose', key, host: nameOf(choice.host), failureDomain }] : [];
    }
    case 'claim':
      if (chosen === undefined) return [];
      return [
        { kind: 'claim-host', key, host: nameOf(chosen), patch: claimPatch(seen, chosen) },
        ...labelSecret(seen, chosen, { isTaken: true }),
      ];
    case 'deploy':
      return host === undefined ? [] : [writeHost('deploy', seen, host, deployPatch(seen, host))];
    case 'name':
      return nameEffects(seen, key);
    case 'deprovision': {
      const patch = host === undefined ? undefined : deprovisionPatch(seen, host);
      return patch === undefined ? [] : [writeHost('deprovision', seen, host, patch)];
    }
    case 'release':
      return host === undefined ? [] : releaseEffects(seen, host);
    case 'let-go':
      return hasFinalizer(object, clusterFinalizers.metal3Machine) ? [{ kind: 'remove-finalizer', key }] : [];
    default:
      return [...cleaningEffects(seen), ...networkEffects(seen)].slice(0, 1);
  }
}

function releaseEffects(seen: Metal3MachineSeen, host: BareMetalHost): Metal3MachineEffect[] {
  const keeper = seen.reuse?.keeper;
  const key = `check-keeper/${objectKey(seen.object)}`;
  return [
    ...(keeper === undefined ? [] : [{ kind: 'check-keeper' as const, key, keeper }]),
    ...labelSecret(seen, host, { isTaken: false }),
    writeHost('release', seen, host, releasePatch(seen, host)),
  ];
}

/** Machines that were moved here from another cluster have lost what holds them. */
function isNoted({ object }: Metal3MachineSeen, host: BareMetalHost): boolean {
  if (isBeingDeleted(object)) return true;
  return hasFinalizer(object, clusterFinalizers.metal3Machine) && chosenHostOf(object) === nameOf(host);
}

function labelSecret(
  { object, machine }: Metal3MachineSeen,
  { spec }: BareMetalHost,
  { isTaken }: { readonly isTaken: boolean },
): Metal3MachineEffect[] {
  const secret = spec?.bmc?.credentialsName;
  if (secret === undefined || secret === '') return [];
  const cluster = isTaken ? (machine?.spec.clusterName ?? null) : null;
  return [{ kind: 'label-secret', key: `label-secret/${objectKey(object)}`, secret, cluster }];
}

function nameEffects(seen: Metal3MachineSeen, key: string): Metal3MachineEffect[] {
  const { nodes, host, metal3Cluster } = seen;
  if (nodes.kind !== 'found' || host === undefined) return [];
  const { node } = nodes;
  const own = providerIdOf(seen, host);
  const present = node.spec?.providerID;
  // Where a cloud provider gives nodes their ids, the id is taken from there, once it is.
  const isOthers = metal3Cluster?.spec.cloudProviderEnabled === true || (present !== undefined && present !== '');
  if (isOthers) {
    return present === undefined || present === '' ? [] : [{ kind: 'set-provider-id', key, providerId: present }];
  }
  return [
    { kind: 'name-node', key: `node/${key}`, node, providerId: own },
    { kind: 'set-provider-id', key, providerId: own },
  ];
}

function cleaningEffects(seen: Metal3MachineSeen): Metal3MachineEffect[] {
  const { object, host } = seen;
  if (host === undefined || object.metadata.deletionTimestamp !== undefined) return [];
  const patch = cleaningPatch(object, host);
  return patch === undefined ? [] : [writeHost('cleaning', seen, host, patch)];
}

/** A machine may ask for other networks while its host runs. */
function networkEffects(seen: Metal3MachineSeen): Metal3MachineEffect[] {
  const { object, host } = seen;
  if (host === undefined || isBeingDeleted(object) || !isDeployed(host)) return [];
  const patch = networkPatch(seen, host);
  return patch === undefined ? [] : [writeHost('network', seen, host, patch)];
}

function wakeOf({ object, nodes, settings }: Metal3MachineSeen, state: MachineState): Wake {
  // Ports, their limits and configurations are not followed here.
  const isAboutPorts = (object.spec.networkConfiguration ?? []).length > 0;
  const isBefore = state === 'Pending' || state === 'Choosing' || state === 'Associated';
  if (isBefore && isAboutPorts) return { after: settings.networkPollMs };
  return state === 'Joining' && nodes.kind !== 'found' ? { after: settings.nodePollMs } : { on: 'change' };
}

function eventsOf({ object, chosen, host }: Metal3MachineSeen, action: MachineAction | undefined): EventDraft[] {
  if (action === 'claim' && chosen !== undefined) {
    const message = `Took the host ${nameOf(chosen)}.`;
    return [{ type: 'Normal', reason: 'BareMetalHostAssociated', message, related: relatedHost(chosen) }];
  }
  if (action === 'release' && host !== undefined) {
    const message = `Gave the host ${nameOf(host)} back to ${namespaceOf(object)}.`;
    return [{ type: 'Normal', reason: 'BareMetalHostReleased', message, related: relatedHost(host) }];
  }
  return [];
}

function whyOf(seen: Metal3MachineSeen, { gate, choice }: MachineSituation, state: MachineState): Reason {
  const { host, nodes } = seen;
  const name = host === undefined ? '' : nameOf(host);
  const condition = host?.status?.provisioning.state || 'not registered yet';
  const trouble = host?.status?.errorMessage;
  switch (state) {
    case 'Pending':
      return gate ?? { code: 'Pending', message: 'Nothing is known yet.' };
    case 'Choosing':
      return choice?.kind === 'none'
        ? { code: choice.code, message: choice.message }
        : { code: 'TakingHost', message: 'A host is being taken.' };
    case 'Associated':
      return gate ?? { code: 'DeployingHost', message: `The host ${name} is being told what to run.` };
    case 'Provisioning':
      return trouble === undefined || trouble === ''
        ? { code: 'ProvisioningHost', message: `The host ${name} is ${condition}.` }
        : { code: 'HostError', message: `The host ${name} is ${condition}: ${trouble}` };
    case 'Joining':
      return nodes.kind === 'unreachable'
        ? { code: 'ClusterUnreachable', message: nodes.message }
        : { code: 'WaitingForNode', message: `The host ${name} runs; its node has not joined yet.` };
    case 'Lost':
      return {
        code: 'HostMissing',
        message: 'The host that ran this machine is gone: delete the Machine to replace it.',
      };
    case 'Deprovisioning':
      return { code: 'Deleting', message: `The host ${name} is ${condition}; it is given back once it is free.` };
    case 'Provisioned': {
      const ports = host === undefined ? undefined : reconfigured(seen, host);
      return ports?.kind === 'unfit'
        ? { code: 'NetworkConfigurationUnfit', message: `It cannot have its networkConfiguration: ${ports.message}.` }
        : { code: state, message: `The host ${name} runs.` };
    }
    default:
      return { code: state, message: 'Nothing is held any more.' };
  }
}
