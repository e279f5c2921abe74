import type { Authorizer } from '../auth/auth.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import { forbidden, notFound } from '../status.ts';
import type { ObjectStore } from '../store/store.ts';
import type { AdmissionAttributes } from './admission.ts';
import type { Equivalents } from './equivalents.ts';
import { matchesRules } from './match-rules.ts';
import { namespaceOf, type ReviewedObjects, reviewRequest, subjectOf } from './review-request.ts';
import type { CompiledWebhook } from './webhook-configuration.ts';

/** What matching looks at besides the write itself. */
export interface MatchParts {
  readonly store: ObjectStore;
  readonly equivalents: Equivalents;
  readonly authorizer: Authorizer;
}

/** The version in which a webhook wants to see this write; undefined when it does not want to see it at all. */
export function matchedResource(
  parts: MatchParts,
  hook: CompiledWebhook,
  attributes: AdmissionAttributes,
): ServedResource | undefined {
  if (!matchesSelectors(parts, hook, attributes)) return undefined;
  const own = attributes.resource;
  if (matchesRules(hook.rules, subjectOf(attributes, own))) return own;
  if (!hook.isEquivalent) return undefined;
  return parts.equivalents
    .of(own)
    .find((other) => other !== own && matchesRules(hook.rules, subjectOf(attributes, other)));
}

function matchesSelectors(parts: MatchParts, hook: CompiledWebhook, attributes: AdmissionAttributes): boolean {
  const { object, oldObject } = attributes;
  if (hook.objectSelector !== undefined) {
    const isEither = [object, oldObject].some((o) => o !== undefined && hook.objectSelector?.(o.metadata.labels));
    if (!isEither) return false;
  }
  if (hook.namespaceSelector === undefined) return true;
  const labels = namespaceLabels(parts.store, attributes);
  return labels === 'cluster-scoped' || hook.namespaceSelector(labels);
}

function namespaceLabels(
  store: ObjectStore,
  attributes: AdmissionAttributes,
): Readonly<Record<string, string>> | undefined | 'cluster-scoped' {
  const namespace = namespaceOf(attributes);
  if (namespace === '') return 'cluster-scoped';
  const isNamespace = attributes.resource.bucket === '/namespaces';
  if (isNamespace && attributes.object !== undefined) return attributes.object.metadata.labels;
  const stored = store.head({ bucket: '/namespaces', namespace: '', name: namespace });
  if (stored === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return stored.labels;
}

/** Whether the webhook's match conditions let the write through to it. Throws 403 when that cannot be said. */
export function meetsConditions(
  parts: MatchParts,
  hook: CompiledWebhook,
  attributes: AdmissionAttributes,
  seen: ReviewedObjects,
): boolean {
  if (hook.conditions === undefined) return true;
  const verdict = hook.conditions({
    request: reviewRequest(attributes, seen),
    object: jsonOrNull(seen.object),
    oldObject: jsonOrNull(seen.oldObject),
    user: attributes.user,
    authorize: (query) => parts.authorizer.authorize(query),
  });
  if (typeof verdict === 'boolean') return verdict;
  if (!hook.mustSucceed) return false;
  throw forbidden(attributes.resource, attributes.name, verdict.fault);
}

function jsonOrNull(object: KubeObject | undefined) {
  return object === undefined ? null : asJson(object);
}
