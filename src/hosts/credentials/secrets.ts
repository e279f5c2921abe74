import type { BareMetalHost, OwnerReference } from '../../api/index.ts';
import { hasFinalizer } from '../../kube/index.ts';
import type { SecretSeen } from '../decide/seen.ts';
import type { Secret } from '../objects.ts';
import { finalizers, resources, secretLabel } from '../resources.ts';

/** What is read of the Secret of a BMC. */
export function secretSeen(host: BareMetalHost, secret: Secret | undefined): SecretSeen {
  if (secret === undefined) return { kind: 'unread' };
  const { labels, ownerReferences, resourceVersion } = secret.metadata;
  const isClaimed =
    labels?.[secretLabel.name] === secretLabel.value &&
    hasFinalizer(secret, finalizers.secret) &&
    (ownerReferences ?? []).some(({ uid }) => uid === host.metadata.uid);
  return {
    kind: 'found',
    version: resourceVersion ?? '',
    username: textOf(secret, 'username').trim(),
    password: textOf(secret, 'password').trim(),
    isClaimed,
  };
}

/** A value of a Secret as text; empty when it is not there. */
export function textOf({ data }: Secret, name: string): string {
  return Buffer.from(data?.[name] ?? '', 'base64').toString('utf8');
}

/** The host as an owner of something. */
export function ownerOf(host: BareMetalHost, { isController = false } = {}): OwnerReference {
  return {
    apiVersion: host.apiVersion,
    kind: resources.hosts.kind ?? 'BareMetalHost',
    name: host.metadata.name ?? '',
    uid: host.metadata.uid ?? '',
    ...(isController ? { controller: true, blockOwnerDeletion: true } : {}),
  };
}

/**
 * What makes a Secret ours: label, owner and finalizer. In a strategic merge these are added to what is there, so the
 * Secret need not be read before, and its answer is what it says.
 */
export function claimPatch(host: BareMetalHost, { isLeaving }: { readonly isLeaving: boolean }): object {
  const labels = { [secretLabel.name]: secretLabel.value };
  if (isLeaving) return { metadata: { labels } };
  return { metadata: { labels, finalizers: [finalizers.secret], ownerReferences: [ownerOf(host)] } };
}

/**
 * What lets a Secret go with its host: it loses the finalizer, and stays owned, so that the garbage collector takes it
 * once the host is gone. One that another host uses stays that one's. Undefined when there is nothing of ours.
 */
export function releasePatch(host: BareMetalHost, secret: Secret): object | undefined {
  const { ownerReferences = [], finalizers: held = [], resourceVersion } = secret.metadata;
  const others = ownerReferences.filter(({ uid }) => uid !== host.metadata.uid);
  if (others.some(({ kind }) => kind === resources.hosts.kind)) {
    if (others.length === ownerReferences.length) return undefined;
    return { metadata: { resourceVersion, ownerReferences: others } };
  }
  if (!held.includes(finalizers.secret)) return undefined;
  return { metadata: { resourceVersion, finalizers: held.filter((name) => name !== finalizers.secret) } };
}
