import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../schema/index.ts';
import { userInfo } from '../auth/reviews/identity-reviews.ts';
import { scaleOf, withScale } from '../handlers/scale.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import type { AdmissionAttributes } from './admission.ts';
import type { RuleSubject } from './match-rules.ts';

/** The objects of a write in the version a webhook asked for. */
export interface ReviewedObjects {
  /** The version the webhook sees; the request's own unless it matched by equivalence. */
  readonly resource: ServedResource;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

const namespaceBucket = '/namespaces';

/** A write as rules see it, in one version of its resource. */
export function subjectOf(attributes: AdmissionAttributes, resource: ServedResource): RuleSubject {
  return {
    operation: attributes.operation,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    subresource: attributes.subresource,
    namespace: namespaceOf(attributes),
  };
}

/** The namespace of a write; that of a Namespace is its own name. */
export function namespaceOf({ resource, namespace, name }: AdmissionAttributes): string {
  return resource.bucket === namespaceBucket ? name : namespace;
}

/** The `request` of an AdmissionReview. */
export function reviewRequest(attributes: AdmissionAttributes, seen: ReviewedObjects): JsonObject {
  const { subresource } = attributes;
  const name = isNameGenerated(attributes) ? '' : attributes.name;
  const namespace = namespaceOf(attributes);
  return {
    uid: randomUUID(),
    kind: kindOf(attributes, seen.resource),
    resource: resourceOf(seen.resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindOf(attributes, attributes.resource),
    requestResource: resourceOf(attributes.resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: attributes.operation,
    userInfo: userInfo(attributes.user),
    object: seen.object === undefined ? null : asJson(shownObject(seen.resource, subresource, seen.object)),
    oldObject: seen.oldObject === undefined ? null : asJson(shownObject(seen.resource, subresource, seen.oldObject)),
    dryRun: attributes.dryRun,
    options: { ...attributes.options, apiVersion: 'meta.k8s.io/v1' },
  };
}

/** The server chooses a generated name only after webhooks saw the object. */
function isNameGenerated({ operation, object, name }: AdmissionAttributes): boolean {
  const prefix = object?.metadata.generateName ?? '';
  if (operation !== 'CREATE' || prefix === '') return false;
  return name.length > 5 && name.slice(0, -5) === prefix.slice(0, 58);
}

function kindOf({ kind, subresource }: AdmissionAttributes, resource: ServedResource): JsonObject {
  if (kind !== undefined) return { ...kind };
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return { group: resource.group, version: resource.version, kind: resource.kind };
}

function resourceOf({ group, version, resource }: ServedResource): JsonObject {
  return { group, version, resource };
}

/** Webhooks of the scale subresource see a Scale, not the object behind it. */
export function shownObject(resource: ServedResource, subresource: string, object: KubeObject): KubeObject {
  if (subresource !== 'scale' || resource.scale === undefined) return object;
  return scaleOf(resource, resource.scale, object);
}

/** The object behind a Scale that a webhook changed; any other object as it is. */
export function behindShown(
  resource: ServedResource,
  subresource: string,
  { before, shown }: { before: KubeObject; shown: KubeObject },
): KubeObject {
  if (subresource !== 'scale' || resource.scale === undefined) return shown;
  return withScale(resource.scale, structuredClone(before), asJson(shown));
}

/** A new object as mutating webhooks see it: without what the server fills in after them. */
export function beforeDefaults(attributes: AdmissionAttributes): KubeObject | undefined {
  const { operation, object } = attributes;
  if (operation !== 'CREATE' || object === undefined) return object;
  const { uid: _uid, creationTimestamp: _time, ...metadata } = object.metadata;
  if (isNameGenerated(attributes)) delete metadata.name;
  return { ...object, metadata };
}

/** Puts back what `beforeDefaults` took away. */
export function afterDefaults(attributes: AdmissionAttributes, changed: KubeObject): KubeObject {
  const { operation, object } = attributes;
  if (operation !== 'CREATE' || object === undefined) return changed;
  const { uid, creationTimestamp, name } = object.metadata;
  const metadata = { ...changed.metadata };
  if (object.metadata.namespace !== undefined) metadata.namespace ??= object.metadata.namespace;
  if (uid !== undefined) metadata.uid = uid;
  if (creationTimestamp !== undefined) metadata.creationTimestamp = creationTimestamp;
  if (isNameGenerated(attributes) && name !== undefined) metadata.name = name;
  return { ...changed, metadata };
}
