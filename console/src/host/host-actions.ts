import { resources, type StatusCondition, type Where } from '../api/kinds.ts';
import { createObject, getObject, patchObject } from '../api/objects.ts';
import { RefusedError } from '../api/refused.ts';
import type { HostObject } from '../fleet/host-row.ts';
import type { ComponentsObject } from './firmware-slots.ts';

const rebootAnnotation = 'reboot.metal3.io';
const detachedAnnotation = 'baremetalhost.metal3.io/detached';

/** What a live update is to change. */
export type LiveChange =
  | { readonly kind: 'setting'; readonly name: string; readonly value: string }
  | { readonly kind: 'firmware'; readonly component: string; readonly url: string };

/** Asks for a reboot; what waits for one is done with it. */
export function reboot(where: Where): Promise<HostObject> {
  return patchObject(resources.hosts, where, { metadata: { annotations: { [rebootAnnotation]: '' } } });
}

/** Whether nobody is to look after it. */
export function isDetached({ metadata }: HostObject): boolean {
  return metadata.annotations?.[detachedAnnotation] !== undefined;
}

/** Detaches a host, or takes it back. */
export function setDetached(where: Where, isWanted: boolean): Promise<HostObject> {
  const value = isWanted ? '{"deleteAction":"delay"}' : null;
  return patchObject(resources.hosts, where, { metadata: { annotations: { [detachedAnnotation]: value } } });
}

/** Says what is wanted, lets it happen at a reboot, and reboots once the host tells of it, so that the reboot finds it all. */
export async function liveUpdate(where: Where, change: LiveChange): Promise<void> {
  if (change.kind === 'setting') {
    const settings = { [change.name]: change.value };
    await patchObject(resources.firmwareSettings, where, { spec: { settings } });
  } else {
    await wantFirmware(where, change);
  }
  await allowOnReboot(where, change.kind === 'setting' ? 'firmwareSettings' : 'firmwareUpdates');
  await untilTold(where, change.kind === 'setting' ? change.name : change.component);
  await reboot(where);
}

type Updates = NonNullable<NonNullable<ComponentsObject['spec']>['updates']>;

/** The updates that are wanted with another one among them, in the place of that of the same component. */
export function updatesWith(before: Updates, wanted: Updates[number]): Updates {
  const isThere = before.some(({ component }) => component === wanted.component);
  if (!isThere) return [...before, wanted];
  return before.map((update) => (update.component === wanted.component ? wanted : update));
}

/** A list that is patched is replaced: whoever else changed it meanwhile must not lose what they want. */
async function wantFirmware(where: Where, { component, url }: Updates[number]): Promise<void> {
  for (;;) {
    const now = await getObject<ComponentsObject>(resources.firmwareComponents, where);
    const updates = updatesWith(now?.spec?.updates ?? [], { component, url });
    const { resourceVersion } = now?.metadata ?? {};
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
    try {
      await patchObject(resources.firmwareComponents, where, { ...metadata, spec: { updates } });
      return;
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 409)) throw error;
    }
  }
}

const lookEveryMs = 500;
/** Where it is so already the host has nothing to tell: then it is only rebooted. */
const mostLooks = 20;

/** Each object that was written reaches the controller of hosts by a way of its own. */
async function untilTold(where: Where, what: string): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks++) {
    const host = await getObject<HostObject>(resources.hosts, where);
    const updates = host?.status?.conditions?.find(({ type }) => type === 'LiveUpdates');
    if (isAbout(updates, what)) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

function isAbout({ reason = '', message = '' }: Partial<StatusCondition> = {}, what: string): boolean {
  if (['Draining', 'NotSupported', 'Servicing'].includes(reason)) return true;
  // Who says so has not heard of the policy yet.
  return reason !== 'HostInUse' && message.includes(what);
}

interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, string>>;
}

async function allowOnReboot(where: Where, what: 'firmwareSettings' | 'firmwareUpdates'): Promise<void> {
  const policy = await getObject<Policy>(resources.updatePolicies, where);
  if (policy?.spec?.[what] === 'onReboot') return;
  const spec = { [what]: 'onReboot' };
  if (policy !== undefined) {
    await patchObject(resources.updatePolicies, where, { spec });
    return;
  }
  await createObject(resources.updatePolicies, where, {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'HostUpdatePolicy',
    metadata: { name: where.name, namespace: where.namespace },
    spec,
  });
}
