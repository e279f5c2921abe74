import type { JsonSchema } from '../../../schema/index.ts';

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const extra: JsonSchema = { type: 'object', additionalProperties: texts };

function struct(goType: string, properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', 'x-go-type': goType, properties };
}

function kind(name: string, spec: JsonSchema | undefined): JsonSchema {
  return struct(`v1.${name}`, {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ...(spec === undefined ? {} : { spec }),
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  });
}

function selector(goType: string): JsonSchema {
  const requirement = struct('v1.SelectorRequirement', { key: text, operator: text, values: texts });
  return struct(goType, { rawSelector: text, requirements: { type: 'array', items: requirement } });
}

const resourceAttributes = struct('v1.ResourceAttributes', {
  namespace: text,
  verb: text,
  group: text,
  version: text,
  resource: text,
  subresource: text,
  name: text,
  fieldSelector: selector('v1.FieldSelectorAttributes'),
  labelSelector: selector('v1.LabelSelectorAttributes'),
});
const attributes = {
  resourceAttributes,
  nonResourceAttributes: struct('v1.NonResourceAttributes', { path: text, verb: text }),
};
const subjectSpec = struct('v1.SubjectAccessReviewSpec', {
  ...attributes,
  user: text,
  groups: texts,
  extra,
  uid: text,
});

/** The shapes of the kinds that are asked and not stored. */
export const reviewSchemas = {
  SubjectAccessReview: kind('SubjectAccessReview', subjectSpec),
  LocalSubjectAccessReview: kind('LocalSubjectAccessReview', subjectSpec),
  SelfSubjectAccessReview: kind('SelfSubjectAccessReview', struct('v1.SelfSubjectAccessReviewSpec', attributes)),
  SelfSubjectRulesReview: kind('SelfSubjectRulesReview', struct('v1.SelfSubjectRulesReviewSpec', { namespace: text })),
  TokenReview: kind('TokenReview', struct('v1.TokenReviewSpec', { token: text, audiences: texts })),
  SelfSubjectReview: kind('SelfSubjectReview', undefined),
  TokenRequest: kind(
    'TokenRequest',
    struct('v1.TokenRequestSpec', {
      audiences: texts,
      expirationSeconds: { type: 'integer', format: 'int64' },
      boundObjectRef: struct('v1.BoundObjectReference', { kind: text, apiVersion: text, name: text, uid: text }),
    }),
  ),
} as const;

/** The name of a kind that is asked and not stored. */
export type ReviewKind = keyof typeof reviewSchemas;
