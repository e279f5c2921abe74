import type { WebhookClientConfig } from '../crd/crd-object.ts';
import { compileSelectorObject, type LabelMatcher, type LabelSelector } from '../meta/selectors.ts';
import type { ObjectMeta } from '../object.ts';
import { type ConditionMatcher, compileConditions } from './match-conditions.ts';

/** One rule of a webhook: which writes it is asked about. */
export interface WebhookRule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

/** One webhook of a configuration, as stored. */
export interface WebhookEntry {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: WebhookRule[];
  failurePolicy?: 'Fail' | 'Ignore';
  matchPolicy?: 'Exact' | 'Equivalent';
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  reinvocationPolicy?: 'Never' | 'IfNeeded';
  matchConditions?: { name: string; expression: string }[];
}

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration. */
export interface WebhookConfigurationObject {
  metadata: ObjectMeta;
  webhooks?: WebhookEntry[];
}

/** A webhook, ready to be matched and called. */
export interface CompiledWebhook {
  /** Unique among all webhooks of its type. */
  readonly id: string;
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly WebhookRule[];
  readonly isEquivalent: boolean;
  readonly mustSucceed: boolean;
  readonly timeoutSeconds: number;
  readonly allowsDryRun: boolean;
  readonly speaksV1: boolean;
  readonly isReinvocable: boolean;
  readonly namespaceSelector: LabelMatcher | undefined;
  readonly objectSelector: LabelMatcher | undefined;
  readonly conditions: ConditionMatcher | undefined;
}

/** Compiles every webhook of a configuration, in its order. */
export function compileConfiguration(configuration: WebhookConfigurationObject): CompiledWebhook[] {
  return (configuration.webhooks ?? []).map((entry, index) => ({
    id: `${configuration.metadata.name ?? ''}/${entry.name}/${index}`,
    name: entry.name,
    clientConfig: entry.clientConfig,
    rules: entry.rules ?? [],
    isEquivalent: entry.matchPolicy !== 'Exact',
    mustSucceed: entry.failurePolicy !== 'Ignore',
    timeoutSeconds: entry.timeoutSeconds ?? 10,
    allowsDryRun: entry.sideEffects === 'None' || entry.sideEffects === 'NoneOnDryRun',
    speaksV1: (entry.admissionReviewVersions ?? []).includes('v1'),
    isReinvocable: entry.reinvocationPolicy === 'IfNeeded',
    namespaceSelector: compileSelectorObject(entry.namespaceSelector),
    objectSelector: compileSelectorObject(entry.objectSelector),
    conditions: compileConditions(entry.matchConditions ?? []),
  }));
}
