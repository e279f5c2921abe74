import {
  duplicateError,
  type FieldError,
  invalidError,
  type JsonSchema,
  notSupportedError,
  requiredError,
  subdomainFaults,
} from '../../schema/index.ts';
import type { WebhookClientConfig } from '../crd/crd-object.ts';
import { reviewVersionErrors } from '../crd/validate-conversion.ts';
import { webhookClientErrors } from '../crd/validate-webhook-client.ts';
import type { LabelSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { selectorFaults } from './checks.ts';
import { ageColumn, ageOf, nameColumn } from './table.ts';
import { matchConditionFaults } from './webhook-conditions.ts';
import { webhookRuleFaults } from './webhook-rules.ts';

/** One rule of a webhook: which operations on which resources it is asked about. */
export interface WebhookRule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

/** One admission webhook. */
export interface Webhook {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: WebhookRule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  matchConditions?: { name?: string; expression?: string }[];
  reinvocationPolicy?: string;
}

interface WebhookConfiguration extends KubeObject {
  webhooks?: Webhook[];
}

type Kind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

function applyDefaults(configuration: WebhookConfiguration, kind: Kind): void {
  for (const hook of configuration.webhooks ?? []) {
    hook.failurePolicy ??= 'Fail';
    hook.matchPolicy ??= 'Equivalent';
    hook.namespaceSelector ??= {};
    hook.objectSelector ??= {};
    hook.timeoutSeconds ??= 10;
    if (kind === 'MutatingWebhookConfiguration') hook.reinvocationPolicy ??= 'Never';
    for (const rule of hook.rules ?? []) rule.scope ??= '*';
    const service = hook.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
  }
}

function validate(configuration: WebhookConfiguration): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, hook] of (configuration.webhooks ?? []).entries()) {
    const path = `webhooks[${index}]`;
    errors.push(...webhookFaults(hook, path));
    errors.push(...reviewFaults(hook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`));
    const name = hook.name ?? '';
    if (name !== '' && names.has(name)) errors.push(duplicateError(`${path}.name`, name));
    names.add(name);
  }
  return errors;
}

function reviewFaults(versions: string[], path: string): FieldError[] {
  if (versions.length === 0) return [requiredError(path, 'must specify one of v1, v1beta1')];
  return reviewVersionErrors(versions, path);
}

function choice(value: string | undefined, path: string, known: readonly string[]): FieldError[] {
  return value === undefined || known.includes(value) ? [] : [notSupportedError(path, value, known)];
}

function webhookFaults(hook: Webhook, path: string): FieldError[] {
  const timeout = hook.timeoutSeconds ?? 10;
  const words = 'the timeout value must be between 1 and 30 seconds';
  const effects = ['None', 'NoneOnDryRun'];
  return [
    ...qualifiedFaults(hook.name ?? '', `${path}.name`),
    ...(hook.rules ?? []).flatMap((rule, index) => webhookRuleFaults(rule, `${path}.rules[${index}]`)),
    ...choice(hook.failurePolicy, `${path}.failurePolicy`, ['Fail', 'Ignore']),
    ...choice(hook.matchPolicy, `${path}.matchPolicy`, ['Equivalent', 'Exact']),
    ...(hook.sideEffects === undefined
      ? [requiredError(`${path}.sideEffects`, `must specify one of ${effects.join(', ')}`)]
      : choice(hook.sideEffects, `${path}.sideEffects`, effects)),
    ...(timeout < 1 || timeout > 30 ? [invalidError(`${path}.timeoutSeconds`, timeout, words)] : []),
    ...selectorFaults(hook.namespaceSelector ?? {}, `${path}.namespaceSelector`),
    ...selectorFaults(hook.objectSelector ?? {}, `${path}.objectSelector`),
    ...webhookClientErrors(hook.clientConfig ?? {}, `${path}.clientConfig`),
    ...matchConditionFaults(hook.matchConditions ?? [], `${path}.matchConditions`),
    ...choice(hook.reinvocationPolicy, `${path}.reinvocationPolicy`, ['IfNeeded', 'Never']),
  ];
}

function qualifiedFaults(name: string, path: string): FieldError[] {
  if (name === '') return [requiredError(path)];
  const faults = subdomainFaults(name);
  if (faults.length > 0) return faults.map((fault) => invalidError(path, name, fault));
  const words = 'should be a domain with at least three segments separated by dots';
  return name.split('.').length < 3 ? [invalidError(path, name, words)] : [];
}

/** Validating or mutating admission webhooks. */
export function webhookConfigurations(kind: Kind, schema: JsonSchema): BuiltinResource {
  const singular = kind.toLowerCase();
  const strategy: Strategy = {
    hasGeneration: true,
    applyDefaults: (object) => applyDefaults(object, kind),
    validate,
    validateUpdate: validate,
  };
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    resource: `${singular}s`,
    singular,
    kind,
    namespaced: false,
    categories: ['api-extensions'],
    hasStatus: false,
    allowsUnconditionalUpdate: false,
    schema,
    strategy,
    table: {
      columns: [
        nameColumn,
        { name: 'Webhooks', type: 'integer', description: 'How many webhooks it holds.' },
        ageColumn,
      ],
      row: (object: WebhookConfiguration, now) => [
        object.metadata.name,
        (object.webhooks ?? []).length,
        ageOf(object, now),
      ],
    },
  };
}
