import type { BareMetalHost } from '../../api/index.ts';
import {
  type Change,
  type ControllerOptions,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceClient,
} from '../../kube/index.ts';
import type { HostIdentity, Outcome, Provisioners } from '../../provisioners/index.ts';
import { bmcOf } from '../credentials/judge-credentials.ts';
import { ownerOf, secretSeen } from '../credentials/secrets.ts';
import { HostError } from '../errors.ts';
import type { HostInformers } from '../objects.ts';
import { fieldManager } from '../resources.ts';
import type { HostSettings } from '../settings.ts';
import { identityOf } from '../shell/ask-provisioner.ts';
import { mergePatchOf } from '../shell/merge-patch.ts';
import type { Newest } from '../shell/newest.ts';
import type { NewestObjects } from '../shell/perform.ts';
import { blankStatus } from '../status/host-status.ts';
import { whyUnread } from './companion.ts';

/** What the controllers of companions work with. */
export interface CompanionParts {
  readonly client: KubeClient;
  readonly provisioners: Provisioners;
  readonly informers: HostInformers;
  readonly newest: NewestObjects;
  readonly settings: HostSettings;
  readonly shell: ControllerOptions;
}

/** The host as a provisioner is told of it. */
export function identityFor({ newest }: CompanionParts, host: BareMetalHost): HostIdentity {
  const secret = newest.secrets.get(`${host.metadata.namespace ?? ''}/${bmcOf({ host }).credentialsName}`);
  return identityOf({ host, status: { ...blankStatus, ...host.status }, secret: secretSeen(host, secret) });
}

/** Why a reading came to nothing. */
export interface Unread {
  readonly kind: 'unread';
  readonly message: string;
  readonly afterMs: number;
  /** True where it would have come to something at another moment. */
  readonly isPassing: boolean;
}

/** What an answer that is not the wanted one means for a reading. */
export function unreadFrom(outcome: Exclude<Outcome<unknown>, { kind: 'done' }>, pollMs: number): Unread {
  const afterMs = 'afterMs' in outcome ? outcome.afterMs : pollMs;
  const message = 'message' in outcome ? outcome.message : `its provisioner answered: ${outcome.kind}`;
  const isPassing = outcome.kind === 'busy' || outcome.kind === 'unavailable' || outcome.kind === 'continue';
  return { kind: 'unread', message, afterMs, isPassing };
}

/** Throws where only the moment was wrong: what was read before tells nothing about what was done since. */
export function mustBeRead(key: string, reading: Unread | { readonly kind: 'read' }): void {
  if (reading.kind === 'unread' && reading.isPassing) {
    throw new HostError('firmwareUnread', { host: key, detail: reading.message });
  }
}

/** True when a change of a host may change what is done about its companions. */
export function isOtherForCompanions({ previous, current }: Change<BareMetalHost & KubeObject>): boolean {
  if (previous === undefined || current === undefined || previous === current) return true;
  const isSameId = previous.status?.provisioning.ID === current.status?.provisioning.ID;
  return (
    !isSameId ||
    previous.metadata.uid !== current.metadata.uid ||
    whyUnread(previous)?.code !== whyUnread(current)?.code
  );
}

/** True when somebody else changed what a companion asks for, or a companion came or went. */
export function isCompanionNews<T extends KubeObject>(
  { previous, current }: Change<T>,
  isOwn: (object: T) => boolean,
): boolean {
  if (current === undefined) return true;
  if (isOwn(current)) return false;
  if (previous === undefined || previous === current) return true;
  const { generation, ownerReferences = [] } = current.metadata ?? {};
  return (
    generation !== previous.metadata?.generation ||
    ownerReferences.length !== previous.metadata?.ownerReferences?.length
  );
}

/** The metadata of a companion that is made for a host. */
export function companionMeta(host: BareMetalHost) {
  const { namespace = '', name = '' } = host.metadata;
  return { namespace, name, ownerReferences: [ownerOf(host, { isController: true })] };
}

/** Makes the host an owner of what somebody else made for it. */
export async function adopt<T extends KubeObject>(
  client: ResourceClient<T>,
  { host, object, signal }: { readonly host: BareMetalHost; readonly object: T; readonly signal: AbortSignal },
): Promise<T> {
  const { resourceVersion, uid, ownerReferences = [] } = object.metadata ?? {};
  const owners = [...ownerReferences, ownerOf(host)];
  const body = { metadata: { resourceVersion, uid, ownerReferences: owners } };
  return client.patch(keyOf(object), { type: 'merge', body }, { fieldManager, signal });
}

/** Writes what a status says other than what is stored, to exactly the version that was seen. */
export async function writeCompanionStatus<T extends KubeObject & { status?: unknown }>(
  client: ResourceClient<T>,
  newest: Newest<T>,
  { object, status, signal }: { readonly object: T; readonly status: object; readonly signal: AbortSignal },
): Promise<void> {
  const { resourceVersion, uid } = object.metadata ?? {};
  const body = { metadata: { resourceVersion, uid }, status: mergePatchOf(object.status, status) };
  newest.wrote(await client.status.patch(keyOf(object), { type: 'merge', body }, { fieldManager, signal }));
}
