import { type FieldError, isJsonObject, type JsonObject } from '../../../schema/index.ts';
import type { RequestContext } from '../../request-context.ts';
import type { UserInfo } from '../../resource.ts';
import { badRequest, invalid } from '../../status.ts';
import type { VirtualResource } from '../../virtual-resource.ts';
import type { AccessQuery, Authorizer } from '../auth.ts';
import { joinFaults, type RbacAuthorizer } from '../rbac/rbac-authorizer.ts';
import { type Review, reviewDecoder, textOf, textsOf } from './review-object.ts';
import type { ReviewKind } from './review-schemas.ts';

const group = 'authorization.k8s.io';
const apiVersion = `${group}/v1`;

/** SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview and SelfSubjectRulesReview. */
export function accessReviews(authorizer: RbacAuthorizer): VirtualResource[] {
  return [
    subjectReview('SubjectAccessReview', authorizer),
    subjectReview('LocalSubjectAccessReview', authorizer),
    selfReview(authorizer),
    rulesReview(authorizer),
  ];
}

function resource(kind: ReviewKind, create: VirtualResource['create']): VirtualResource {
  return {
    group,
    version: 'v1',
    resource: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    kind,
    namespaced: kind === 'LocalSubjectAccessReview',
    verbs: ['create'],
    create,
  };
}

function subjectReview(
  kind: 'SubjectAccessReview' | 'LocalSubjectAccessReview',
  authorizer: Authorizer,
): VirtualResource {
  const decode = reviewDecoder(apiVersion, kind);
  return resource(kind, (context, body) => {
    const review = decode(context, body);
    const { spec } = review;
    const faults = [...attributeFaults(spec), ...subjectFaults(spec)];
    refuse([...faults, ...(kind === 'LocalSubjectAccessReview' ? localFaults(review) : metadataFaults(review))]);
    return answer(review, authorizer, subjectOf(spec));
  });
}

function selfReview(authorizer: Authorizer): VirtualResource {
  const decode = reviewDecoder(apiVersion, 'SelfSubjectAccessReview');
  return resource('SelfSubjectAccessReview', (context, body) => {
    const review = decode(context, body);
    refuse([...attributeFaults(review.spec), ...metadataFaults(review)]);
    return answer(review, authorizer, context.user);
  });
}

function answer({ kind, metadata, spec }: Review, authorizer: Authorizer, user: UserInfo): JsonObject {
  const verdict = authorizer.authorize(queryOf(spec, user));
  const ignored = ignoredSelectors(spec);
  const status = {
    allowed: verdict.isAllowed,
    ...(verdict.reason === '' ? {} : { reason: verdict.reason }),
    ...(ignored.length === 0 ? {} : { evaluationError: joinFaults(ignored) }),
  };
  return { kind, apiVersion, metadata, spec, status };
}

const knownOperators: readonly (string | undefined)[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Selectors narrow nothing down here; of those that cannot even be read, the answer says so. */
function ignoredSelectors({ resourceAttributes: asked }: JsonObject): string[] {
  if (!isJsonObject(asked)) return [];
  return ['fieldSelector', 'labelSelector'].flatMap((name) => {
    const selector = asked[name];
    const given = isJsonObject(selector) && Array.isArray(selector.requirements) ? selector.requirements : [];
    const bad = given.filter((each) => !isJsonObject(each) || !knownOperators.includes(textOf(each.operator)));
    if (bad.length === 0) return [];
    const how = bad.length === given.length ? 'ignored' : 'partially ignored';
    return [`spec.resourceAttributes.${name} ${how} due to parse error`];
  });
}

function subjectOf(spec: JsonObject): UserInfo {
  const uid = textOf(spec.uid);
  const extra = isJsonObject(spec.extra) ? spec.extra : {};
  return {
    username: textOf(spec.user),
    ...(uid === '' ? {} : { uid }),
    groups: textsOf(spec.groups),
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, textsOf(values)])),
  };
}

function queryOf(spec: JsonObject, user: UserInfo): AccessQuery {
  const asked = spec.resourceAttributes;
  const path = spec.nonResourceAttributes;
  if (isJsonObject(asked)) {
    return {
      user,
      isResource: true,
      path: '',
      verb: textOf(asked.verb),
      group: textOf(asked.group),
      version: textOf(asked.version),
      resource: textOf(asked.resource),
      subresource: textOf(asked.subresource),
      namespace: textOf(asked.namespace),
      name: textOf(asked.name),
    };
  }
  const what = isJsonObject(path) ? path : {};
  const nothing = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
  return { user, isResource: false, path: textOf(what.path), verb: textOf(what.verb), ...nothing };
}

function fault(field: string, badValue: FieldError['badValue'], detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, badValue, detail };
}

/** Path attributes as Go prints its own struct. */
function shownPath(spec: JsonObject): JsonObject {
  const path = isJsonObject(spec.nonResourceAttributes) ? spec.nonResourceAttributes : {};
  return { Path: textOf(path.path), Verb: textOf(path.verb) };
}

function attributeFaults(spec: JsonObject): FieldError[] {
  const hasResource = isJsonObject(spec.resourceAttributes);
  const hasPath = isJsonObject(spec.nonResourceAttributes);
  if (hasResource && hasPath) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [fault('spec.nonResourceAttributes', shownPath(spec), detail)];
  }
  if (hasResource || hasPath) return selectorFaults(spec);
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [fault('spec.resourceAttributes', null, detail)];
}

function selectorFaults({ resourceAttributes: asked }: JsonObject): FieldError[] {
  if (!isJsonObject(asked)) return [];
  return ['fieldSelector', 'labelSelector'].flatMap((name) => {
    const selector = asked[name];
    if (!isJsonObject(selector)) return [];
    const path = `spec.resourceAttributes.${name}`;
    const raw = textOf(selector.rawSelector);
    const hasRequirements = Array.isArray(selector.requirements) && selector.requirements.length > 0;
    if (raw !== '' && hasRequirements) {
      return [fault(`${path}.rawSelector`, raw, 'may not specified at the same time as requirements')];
    }
    if (raw !== '' || hasRequirements) return [];
    return [
      {
        reason: 'FieldValueRequired',
        field: `${path}.requirements`,
        detail: `when ${path} is specified, requirements or rawSelector is required`,
      },
    ];
  });
}

function subjectFaults(spec: JsonObject): FieldError[] {
  if (textOf(spec.user) !== '' || textsOf(spec.groups).length > 0) return [];
  return [fault('spec.user', '', 'at least one of user or group must be specified')];
}

function isNamed(metadata: JsonObject): boolean {
  return Object.keys(metadata).some((key) => key !== 'managedFields' && key !== 'namespace');
}

function metadataFaults({ metadata }: Review): FieldError[] {
  return isNamed(metadata) ? [fault('metadata', metadata, 'must be empty')] : [];
}

function localFaults({ metadata, spec }: Review): FieldError[] {
  const faults = isNamed(metadata) ? [fault('metadata', metadata, 'must be empty except for namespace')] : [];
  const asked = spec.resourceAttributes;
  if (isJsonObject(asked) && textOf(asked.namespace) !== metadata.namespace) {
    faults.push(fault('spec.resourceAttributes.namespace', textOf(asked.namespace), 'must match metadata.namespace'));
  }
  if (isJsonObject(spec.nonResourceAttributes)) {
    faults.push(fault('spec.nonResourceAttributes', shownPath(spec), 'disallowed on this kind of request'));
  }
  return faults;
}

function refuse(faults: FieldError[]): void {
  if (faults.length > 0) throw invalid({ group, kind: '' }, '', faults);
}

function rulesReview(authorizer: RbacAuthorizer): VirtualResource {
  const decode = reviewDecoder(apiVersion, 'SelfSubjectRulesReview');
  return resource('SelfSubjectRulesReview', (context: RequestContext, body) => {
    const namespace = textOf(decode(context, body).spec.namespace);
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, faults } = authorizer.rulesOf(context.user, namespace);
    const resourceRules = rules.filter((r) => (r.resources ?? []).length > 0);
    const nonResourceRules = rules.filter((r) => (r.nonResourceURLs ?? []).length > 0);
    return {
      kind: 'SelfSubjectRulesReview',
      apiVersion,
      metadata: {},
      spec: {},
      status: {
        resourceRules: resourceRules.map(({ nonResourceURLs: _, ...rule }) => ({ ...rule })),
        nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
        incomplete: false,
        ...(faults.length === 0 ? {} : { evaluationError: joinFaults(faults) }),
      },
    };
  });
}
