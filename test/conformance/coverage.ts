import type { Topic } from './case.ts';

/** Something a client of a Kubernetes API server relies on, and the cases that compare it. */
export interface CoveredBehaviour {
  readonly what: string;
  /** Ids of cases, or `topic/*` for all of a topic. */
  readonly cases: readonly string[];
}

/** What must be the same as on the real server, behaviour by behaviour. */
export const coverage: readonly CoveredBehaviour[] = [
  {
    what: 'server-side apply: ownership moves between managers',
    cases: [
      'apply/conflict-and-force',
      'apply/takes-over-from-update',
      'ownership/transfer-by-giving-up',
      'ownership/same-manager-two-operations',
      'ownership/metadata-has-owners',
      'ownership/old-style-last-applied',
      'ownership/two-versions-one-owner',
    ],
  },
  {
    what: 'server-side apply: list-maps, sets, atomic parts',
    cases: [
      'apply/several-owners-of-lists',
      'apply/granular-and-atomic',
      'apply/duplicate-list-keys',
      'apply/pod-lists',
      'ownership/list-map-with-two-keys',
      'ownership/order-of-merged-lists',
      'ownership/sets-of-numbers',
      'ownership/atomic-lists-and-maps',
      'ownership/items-inside-items',
      'ownership/owned-lists-of-built-ins',
      'ownership/tolerations-and-env-order',
    ],
  },
  {
    what: 'server-side apply: force, managers dropped on update, status and scale managers',
    cases: [
      'ownership/force-takes-only-what-is-named',
      'ownership/managers-dropped-on-update',
      'ownership/managed-fields-rewritten-by-hand',
      'ownership/status-managers',
      'ownership/scale-managers',
      'apply/status-subresource',
      'apply/managed-fields-of-update',
    ],
  },
  {
    what: 'CEL: messages, fieldPath, reason',
    cases: ['cel/simple-rules', 'rules/messages', 'rules/reasons-and-paths', 'rules/bad-field-paths'],
  },
  {
    what: 'CEL: transition rules and optional old self',
    cases: [
      'cel/transition-rules',
      'cel/optional-old-self',
      'rules/transition-rules-in-lists',
      'rules/transition-rules-where-none-can-be',
      'rules/optional-old-self-of-objects',
      'rules/a-rule-ratchets',
    ],
  },
  {
    what: 'CEL: cost limits, types, libraries, failures',
    cases: [
      'cel/library-functions',
      'rules/cost-limits-of-definitions',
      'rules/cost-limits-of-requests',
      'rules/rules-that-fail-to-run',
      'rules/types-in-rules',
      'rules/more-library-functions',
      'rules/rules-in-maps-and-embedded-objects',
    ],
  },
  {
    what: 'defaulting in nested schemas',
    cases: [
      'schema/defaulting',
      'structure/defaults-in-lists-and-maps',
      'structure/defaults-on-every-way-in',
      'structure/defaults-of-status',
      'structure/defaults-that-do-not-fit',
    ],
  },
  {
    what: 'pruning in nested and preserve-unknown-fields schemas',
    cases: [
      'schema/pruning',
      'structure/pruning-in-nested-schemas',
      'structure/preserving-with-known-fields-inside',
      'structure/preserving-at-the-root',
    ],
  },
  {
    what: 'int-or-string and embedded resources',
    cases: [
      'structure/int-or-string',
      'structure/int-or-string-definitions',
      'structure/embedded-resources',
      'structure/embedded-definitions',
    ],
  },
  { what: 'several versions of a kind, conversion webhooks', cases: ['conversion/*', 'versions/*'] },
  {
    what: 'definitions that change under living objects',
    cases: [
      'crds/schema-change',
      'crds/new-default-selected',
      'versions/field-removed-under-objects',
      'versions/required-field-added-under-objects',
      'versions/type-changed-under-objects',
      'versions/subresources-switched-on-and-off',
      'versions/columns-and-names-changed',
      'versions/definition-deleted-and-made-again',
      'commands/crd-rollout',
    ],
  },
  {
    what: 'scale',
    cases: [
      'subresources/scale-of-widget',
      'edges/scales-that-do-not-fit',
      'tries/scale-needs-its-path',
      'tries/scale-defined-wrongly',
      'ownership/scale-managers',
    ],
  },
  {
    what: 'deletecollection with selectors',
    cases: [
      'deletion/delete-collection',
      'deletion/delete-collection-by-pages',
      'tries/collection-by-labels-and-fields',
      'tries/collection-options',
      'tries/collection-of-pods-and-others',
      'streams/deleted-collections',
    ],
  },
  {
    what: 'dry runs of everything',
    cases: [
      'crud/dry-run',
      'tries/every-verb-on-widgets',
      'tries/status-and-scale',
      'tries/conflicts-and-absences',
      'tries/generated-names',
      'tries/namespaces',
      'tries/finalizers-and-grace',
      'tries/definitions',
      'tries/other-built-ins',
      'tries/webhooks-and-dry-runs',
    ],
  },
  {
    what: 'warnings of field validation',
    cases: [
      'schema/field-validation-of-widgets',
      'schema/field-validation-of-built-ins',
      'structure/warnings-of-field-validation',
      'structure/warnings-of-built-ins',
    ],
  },
  { what: 'tables: columns with JSONPath, types and priorities', cases: ['table/*', 'columns/*'] },
  {
    what: 'watches from version 0, from an exact one, from one too old',
    cases: [
      'watch/from-version-replays',
      'watch/too-old',
      'watch/future-version',
      'streams/from-zero',
      'streams/from-an-exact-version',
      'streams/too-old-and-expired',
      'streams/only-real-changes',
    ],
  },
  {
    what: 'watches: bookmarks and initial events',
    cases: [
      'watch/initial-events',
      'watch/initial-events-of-built-ins',
      'watch/timeout',
      'streams/initial-events-from-a-version',
      'streams/initial-events-with-selectors',
      'streams/initial-events-refused',
      'streams/initial-events-of-metadata',
    ],
  },
  {
    what: 'continue tokens across writes',
    cases: [
      'selectors/limit-and-continue',
      'selectors/expired-continue',
      'edges/pages-of-any-version',
      'streams/continue-across-writes',
      'streams/continue-with-other-parameters',
      'streams/pages-and-selectors',
    ],
  },
  {
    what: 'garbage collection: foreground, orphan, owners in other namespaces',
    cases: [
      'deletion/foreground-propagation',
      'deletion/orphan-propagation',
      'garbage/three-generations',
      'garbage/foreground-three-generations',
      'garbage/foreground-without-blocking',
      'garbage/foreground-with-a-second-owner',
      'garbage/orphans-of-custom-resources',
      'garbage/orphan-by-finalizer',
      'garbage/policy-changed-while-deleting',
      'garbage/owners-in-other-namespaces',
      'garbage/wrong-owner-names',
      'garbage/jobs-leave-their-pods',
    ],
  },
  {
    what: 'namespaces deleted with finalizers',
    cases: [
      'deletion/namespace-goes-with-everything',
      'garbage/namespace-with-own-finalizer',
      'garbage/namespace-deleted-twice',
      'garbage/namespace-preconditions',
      'subresources/namespace-finalize-and-status',
    ],
  },
  {
    what: 'admission webhooks: order, reinvocation, failure policy, timeouts',
    cases: [
      'webhooks/failure-policy',
      'webhooks/failure-policy-ignore',
      'admission/mutating-order',
      'admission/reinvocation',
      'admission/mutated-then-validated',
      'admission/mutation-of-metadata',
      'admission/timeouts-fail',
      'admission/timeouts-are-ignored',
      'admission/unreachable-webhooks',
      'admission/untrusted-webhooks',
    ],
  },
  {
    what: 'admission webhooks: match conditions, namespace and object selectors',
    cases: [
      'webhooks/selectors',
      'admission/match-conditions',
      'admission/match-conditions-that-fail',
      'admission/bad-match-conditions',
      'admission/namespace-selectors',
      'admission/object-selectors-see-both-sides',
      'admission/rules-with-wildcards',
      'admission/equivalent-versions',
    ],
  },
  {
    what: 'RBAC: aggregation, resource names, escalation and bind checks, impersonation',
    cases: [
      'auth/aggregated-cluster-roles',
      'auth/no-escalation',
      'auth/impersonation',
      'edges/names-from-selectors',
      'rights/resource-names',
      'rights/wildcards-and-subresources',
      'rights/escalation-of-roles',
      'rights/escalate-lifts-it',
      'rights/bind-lifts-it',
      'rights/cluster-roles-and-urls',
      'rights/aggregation-follows-labels',
      'rights/aggregation-needs-everything',
      'rights/impersonation-needs-rights',
    ],
  },
  {
    what: 'chunks and compression',
    cases: [
      'encoding/gzip-from-128-kilobytes',
      'encoding/gzip-of-custom-resources',
      'encoding/accepted-encodings',
      'encoding/gzip-of-other-documents',
      'encoding/gzip-of-watches',
      'encoding/gzip-of-requests',
      'encoding/chunks-of-large-lists',
    ],
  },
  {
    what: 'protobuf and other media types, taken and refused',
    cases: [
      'errors/media-types',
      'table/accept-order',
      'encoding/protobuf-bodies',
      'encoding/protobuf-negotiated',
      'encoding/protobuf-answers',
      'encoding/cbor-is-not-on',
      'encoding/accept-headers',
      'encoding/content-types-of-patches',
    ],
  },
  { what: 'errors word for word', cases: ['errors/*', 'edges/*', 'crud/update-conflicts', 'crud/invalid-names'] },
  { what: 'kubectl', cases: ['kubectl/*', 'commands/*'] },
];

/** What people type besides the everyday commands; each has a case of its own on both servers. */
export const commandCoverage: Readonly<Record<string, string>> = {
  diff: 'commands/diff',
  'edit by a script': 'commands/edit',
  'get -o custom-columns': 'commands/custom-columns',
  'get -o jsonpath': 'commands/jsonpath',
  'explain --recursive': 'commands/explain-recursive',
  'api-resources': 'commands/api-resources-and-versions',
  'create token': 'commands/create-token',
  'delete --cascade': 'commands/cascade-forms',
  'apply --prune': 'commands/apply-prune',
  'rollout of a changed definition': 'commands/crd-rollout',
  proxy: 'commands/proxy',
};

/** The cases that a behaviour names, one by one. */
export function casesOf(behaviour: CoveredBehaviour, topics: readonly Topic[]): string[] {
  return behaviour.cases.flatMap((id) => {
    if (!id.endsWith('/*')) return [id];
    const found = topics.find(({ name }) => `${name}/*` === id);
    return found === undefined ? [id] : found.cases.map((each) => each.id);
  });
}
