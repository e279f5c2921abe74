import { type BareMetalHost, type HardwareDetails, metal3ApiVersion } from '../../api/index.ts';
import {
  compareResourceVersions,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceRef,
} from '../../kube/index.ts';
import type { PowerOrder } from '../../provisioners/index.ts';
import { claimPatch, ownerOf, secretSeen } from '../credentials/secrets.ts';
import { type BegunFirmware, type HostChange, type HostEffect, type HostSeen, withAnswer } from '../decide/seen.ts';
import { performImageEffect } from '../images/perform-images.ts';
import type { HostNetwork } from '../network/host-network.ts';
import type { HostNodes } from '../nodes/host-nodes.ts';
import { performNodeEffect } from '../nodes/perform-nodes.ts';
import type { HostObjects, Secret } from '../objects.ts';
import { fieldManager, finalizers, resources } from '../resources.ts';
import { allowedBy } from '../servicing/live-wish.ts';
import { textOfMoment } from '../status/host-status.ts';
import { type AskParts, askProvisioner, releaseHost } from './ask-provisioner.ts';
import type { HeldWork } from './held-work.ts';
import { mergePatchOf } from './merge-patch.ts';
import type { Newest } from './newest.ts';
import { readConfig } from './read-config.ts';
import { letSecretGo } from './release-secret.ts';

/** The newest known objects of each kind. */
export type NewestObjects = {
  readonly [K in Exclude<keyof HostObjects, 'firmwareSchemas' | 'updatePolicies'>]: Newest<HostObjects[K] & KubeObject>;
};

/** What effects are done with. */
export interface PerformParts extends AskParts {
  readonly client: KubeClient;
  readonly newest: NewestObjects;
  readonly externalWork: HeldWork;
  readonly nodes: HostNodes;
  /** Undefined where nobody looks after switch ports. */
  readonly network: HostNetwork | undefined;
  readonly now: () => number;
  /** What this process has begun, by the key of the host. */
  readonly begun: Map<string, BegunFirmware>;
  /** How this process has the power of hosts switched just now, by the key of the host. */
  readonly powerAsked: Map<string, PowerOrder>;
  /** Reads the firmware of a host anew into its companions. */
  readonly refreshFirmware: (key: string, signal: AbortSignal) => Promise<void>;
}

/** Which round effects are done in. */
export interface PerformContext {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Does one effect; what came of it is in what is seen then. */
export async function perform(
  parts: PerformParts,
  seen: HostSeen,
  effect: HostEffect,
  context: PerformContext,
): Promise<HostSeen> {
  switch (effect.kind) {
    case 'ask': {
      const answered = withAnswer(seen, effect.question, await askProvisioner(parts, seen, effect.question));
      notePowerAsked(parts.powerAsked, context.key, answered);
      return answered;
    }
    case 'store-status':
      return storeStatus(parts, seen, context);
    case 'change-host':
      return changeHost(parts, seen, effect.change, context);
    case 'claim-secret':
      return claimSecret(parts, seen, effect, context);
    case 'release-secret':
      await letSecretGo(parts, seen.host, effect.name, context);
      return { ...seen, secret: { kind: 'missing' } };
    case 'put-hardware-data':
      return putHardwareData(parts, seen, effect.hardware, context);
    case 'release-hardware-data':
      return releaseHardwareData(parts, seen, context);
    case 'read-config': {
      const secrets = parts.client.resource<Secret>(resources.secrets);
      return { ...seen, config: await readConfig(secrets, seen.host, context.signal) };
    }
    case 'tell-updates':
      return tellUpdates(parts, seen, effect.updates, context);
    case 'link-port':
      await parts.network?.link(effect, context.signal);
      return { ...seen, network: parts.network?.look(seen.host) };
    case 'note-begun': {
      if (effect.begun === undefined) parts.begun.delete(context.key);
      else parts.begun.set(context.key, effect.begun);
      return { ...seen, begun: effect.begun };
    }
    case 'release-work': {
      await releaseHost(parts, seen, effect);
      parts.powerAsked.delete(context.key);
      return { ...seen, powerAsked: undefined };
    }
    case 'refresh-firmware': {
      await parts.refreshFirmware(context.key, context.signal);
      const { firmwareSettings, firmwareComponents } = parts.newest;
      return {
        ...seen,
        isFirmwareFresh: true,
        firmwareSettings: firmwareSettings.get(context.key),
        firmwareComponents: firmwareComponents.get(context.key),
      };
    }
    case 'check-wishes':
      return { ...seen, wishes: (await areWishesCurrent(parts, seen, context)) ? 'current' : 'behind' };
    case 'find-node':
    case 'drain-node':
    case 'give-node-back':
      return performNodeEffect(parts.nodes, seen, effect);
    default:
      return performImageEffect(parts, seen, effect, context);
  }
}

/** Whether the companions of a host and its policy are as the API server has them. */
async function areWishesCurrent(
  { client }: PerformParts,
  { host, firmwareSettings, firmwareComponents, updatePolicy }: HostSeen,
  { signal }: PerformContext,
): Promise<boolean> {
  const isCurrent = async (resource: ResourceRef, known: KubeObject | undefined): Promise<boolean> => {
    try {
      const { metadata } = await client.resource(resource).get(keyOf(host), { signal });
      const order = compareResourceVersions(known?.metadata?.resourceVersion, metadata?.resourceVersion);
      return known?.metadata?.uid === metadata?.uid && order !== undefined && order >= 0;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return known === undefined;
    }
  };
  if (!(await isCurrent(resources.updatePolicies, updatePolicy))) return false;
  // What nobody allows need not be known.
  const { settings, updates } = allowedBy({ updatePolicy });
  return (
    (!settings || (await isCurrent(resources.firmwareSettings, firmwareSettings))) &&
    (!updates || (await isCurrent(resources.firmwareComponents, firmwareComponents)))
  );
}

function notePowerAsked(asked: Map<string, PowerOrder>, key: string, { powerAsked }: HostSeen): void {
  if (powerAsked === undefined) asked.delete(key);
  else asked.set(key, powerAsked);
}

/** Writes what the status says other than what is stored, to exactly the version that was seen. */
export async function storeStatus(parts: PerformParts, seen: HostSeen, { signal }: PerformContext): Promise<HostSeen> {
  const hosts = parts.client.resource<BareMetalHost & KubeObject>(resources.hosts);
  const status = { ...seen.status, lastUpdated: textOfMoment(parts.now()) };
  const { resourceVersion, uid } = seen.host.metadata;
  const body = { metadata: { resourceVersion, uid }, status: mergePatchOf(seen.host.status, status) };
  const stored = await hosts.status.patch(keyOf(seen.host), { type: 'merge', body }, { fieldManager, signal });
  parts.newest.hosts.wrote(stored);
  return { ...seen, host: stored, status };
}

async function changeHost(
  parts: PerformParts,
  seen: HostSeen,
  change: HostChange,
  { key, signal }: PerformContext,
): Promise<HostSeen> {
  const hosts = parts.client.resource<BareMetalHost & KubeObject>(resources.hosts);
  const { resourceVersion, uid, finalizers: held = [] } = seen.host.metadata;
  const kept = held.filter((name) => name !== change.removeFinalizer);
  const changed = change.addFinalizer === undefined ? kept : [...kept, change.addFinalizer];
  const gone = Object.fromEntries((change.removeAnnotations ?? []).map((name) => [name, null]));
  const annotations = { ...gone, ...change.setAnnotations };
  const { architecture, ports } = change;
  const spec = { ...(architecture === undefined ? {} : { architecture }), ...(ports === undefined ? {} : { ports }) };
  const body = {
    metadata: {
      resourceVersion,
      uid,
      ...((change.addFinalizer ?? change.removeFinalizer) === undefined ? {} : { finalizers: changed }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  const host = await hosts.patch(keyOf(seen.host), { type: 'merge', body }, { fieldManager, signal });
  if (change.removeFinalizer === undefined) parts.newest.hosts.wrote(host);
  else parts.newest.hosts.forget(key);
  return { ...seen, host };
}

async function claimSecret(
  parts: PerformParts,
  seen: HostSeen,
  { name, isLeaving }: { readonly name: string; readonly isLeaving: boolean },
  { signal }: PerformContext,
): Promise<HostSeen> {
  const secrets = parts.client.resource<Secret>(resources.secrets);
  const at = { namespace: seen.host.metadata.namespace, name };
  const body = claimPatch(seen.host, { isLeaving });
  try {
    const secret = await secrets.patch(at, { type: 'strategic', body }, { fieldManager, signal });
    parts.newest.secrets.wrote(secret);
    return { ...seen, secret: { ...secretSeen(seen.host, secret), isClaimed: true } as HostSeen['secret'] };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { ...seen, secret: { kind: 'missing' } };
  }
}

/** What inspection found is written in one request; the object carries its owner and finalizer from the start. */
async function putHardwareData(
  parts: PerformParts,
  seen: HostSeen,
  hardware: HardwareDetails,
  { key, signal }: PerformContext,
): Promise<HostSeen> {
  const client = parts.client.resource<HostObjects['hardwareData'] & KubeObject>(resources.hardwareData);
  const { namespace, name } = seen.host.metadata;
  const metadata = {
    ...(namespace === undefined ? {} : { namespace }),
    name: name ?? '',
    finalizers: [finalizers.hardwareData],
    ownerReferences: [ownerOf(seen.host, { isController: true })],
  };
  const object: HostObjects['hardwareData'] = {
    apiVersion: metal3ApiVersion,
    kind: 'HardwareData',
    metadata,
    spec: { hardware },
  };
  const options = { fieldManager, signal };
  const replace = async (present: HostObjects['hardwareData']) =>
    client.replace({ ...object, metadata: { ...present.metadata, ...metadata } }, options);
  const present = parts.newest.hardwareData.get(key);
  const create = () =>
    client.create(object, options).catch(async (error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return replace(await client.get(keyOf(object), { signal }));
    });
  const written = await (present === undefined ? create() : replace(present));
  parts.newest.hardwareData.wrote(written);
  // As it was asked for: a server that drops what it does not know must not make us write it for ever.
  return { ...seen, hardwareData: { ...written, spec: { hardware } } };
}

async function releaseHardwareData(
  parts: PerformParts,
  seen: HostSeen,
  { key, signal }: PerformContext,
): Promise<HostSeen> {
  const { hardwareData } = seen;
  if (hardwareData === undefined) return seen;
  const client = parts.client.resource<HostObjects['hardwareData'] & KubeObject>(resources.hardwareData);
  const { resourceVersion, uid, finalizers: held = [] } = hardwareData.metadata;
  const kept = held.filter((name) => name !== finalizers.hardwareData);
  const body = { metadata: { resourceVersion, uid, finalizers: kept } };
  try {
    const released = await client.patch(keyOf(hardwareData), { type: 'merge', body }, { fieldManager, signal });
    parts.newest.hardwareData.wrote(released);
    return { ...seen, hardwareData: released };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    parts.newest.hardwareData.forget(key);
    return { ...seen, hardwareData: undefined };
  }
}

async function tellUpdates(
  parts: PerformParts,
  seen: HostSeen,
  updates: Extract<HostEffect, { kind: 'tell-updates' }>['updates'],
  { signal }: PerformContext,
): Promise<HostSeen> {
  const { firmwareComponents } = seen;
  if (firmwareComponents === undefined) return seen;
  const client = parts.client.resource<HostObjects['firmwareComponents'] & KubeObject>(resources.firmwareComponents);
  const { resourceVersion, uid } = firmwareComponents.metadata;
  const body = { metadata: { resourceVersion, uid }, status: { updates } };
  const told = await client.status.patch(keyOf(firmwareComponents), { type: 'merge', body }, { fieldManager, signal });
  parts.newest.firmwareComponents.wrote(told);
  return { ...seen, firmwareComponents: told };
}
