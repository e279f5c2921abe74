import type { KubeClient } from '../client/client.ts';
import { isNotFound } from '../errors.ts';
import type { AnyKubeObject, KubeObject, ResourceRef } from '../object.ts';
import type { AdmissionRule } from './admission-rule.ts';
import { admissionPath, conversionPath } from './admission-server.ts';

/** How the API server reaches the admission server. */
export type WebhookTarget =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** Scheme, host and port, e.g. `https://10.0.0.5:9443`. */
  | { readonly url: string };

/** What is told to the API server about rules and conversions. */
export interface WebhookPublication {
  /** Name of both webhook configurations. */
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** Names of the CustomResourceDefinitions with a conversion webhook, e.g. `metal3machines.infrastructure.cluster.x-k8s.io`. */
  readonly convertedDefinitions?: readonly string[];
  readonly target: WebhookTarget;
  readonly labels?: Readonly<Record<string, string>>;
}

const registration = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const configurations = {
  validating: { ...registration, resource: 'validatingwebhookconfigurations', kind: 'ValidatingWebhookConfiguration' },
  mutating: { ...registration, resource: 'mutatingwebhookconfigurations', kind: 'MutatingWebhookConfiguration' },
} as const satisfies Record<string, ResourceRef>;

const definitions: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespaced: false,
  kind: 'CustomResourceDefinition',
};

/** The client configuration of one webhook. */
function clientConfig(target: WebhookTarget, path: string, caBundlePem: string) {
  const caBundle = Buffer.from(caBundlePem).toString('base64');
  if ('url' in target) return { url: `${target.url.replace(/\/$/, '')}${path}`, caBundle };
  return { service: { ...target.service, path }, caBundle };
}

/** The webhook configurations of the rules, validating and mutating; one without rules is left out. */
export function buildWebhookConfigurations(publication: WebhookPublication, caBundlePem: string): AnyKubeObject[] {
  return (['validating', 'mutating'] as const).flatMap((type) => {
    const rules = publication.rules.filter((rule) => rule.type === type);
    if (rules.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: configurations[type].kind,
        metadata: {
          name: publication.name,
          ...(publication.labels === undefined ? {} : { labels: { ...publication.labels } }),
        },
        webhooks: rules.map((rule) => buildWebhook(rule, publication.target, caBundlePem)),
      },
    ];
  });
}

function buildWebhook(rule: AdmissionRule, target: WebhookTarget, caBundlePem: string) {
  return {
    name: rule.name,
    clientConfig: clientConfig(target, admissionPath(rule.name), caBundlePem),
    rules: rule.matches.map((match) => ({
      apiGroups: match.groups,
      apiVersions: match.versions,
      resources: match.resources,
      operations: match.operations,
      scope: match.scope ?? '*',
    })),
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: rule.failurePolicy ?? 'Fail',
    timeoutSeconds: rule.timeoutSeconds ?? 10,
    ...(rule.type === 'mutating' ? { reinvocationPolicy: 'IfNeeded' } : {}),
  };
}

/** The part of a CustomResourceDefinition that says how its versions are converted. */
export function buildConversionStanza(definition: string, target: WebhookTarget, caBundlePem: string): AnyKubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: definition },
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: clientConfig(target, conversionPath, caBundlePem), conversionReviewVersions: ['v1'] },
      },
    },
  };
}

/** Makes a function that writes webhook configurations and conversion stanzas. Applied each time, so that whatever others did to them is mended. */
export function createWebhookPublisher(
  client: KubeClient,
  publication: WebhookPublication,
  options: { readonly fieldManager: string },
): (caBundlePem: string) => Promise<void> {
  // Whoever installs the definitions may apply them under the same name, and a manager that applies less gives up the rest.
  const force = { fieldManager: `${options.fieldManager}-admission`, isForced: true };
  return async (caBundlePem) => {
    for (const configuration of buildWebhookConfigurations(publication, caBundlePem)) {
      const ref = Object.values(configurations).find(({ kind }) => kind === configuration.kind);
      if (ref !== undefined) await client.resource<KubeObject>(ref).apply(configuration, force);
    }
    for (const definition of publication.convertedDefinitions ?? []) {
      // Applying to a definition that is not there would try to create half of one.
      await client.resource<KubeObject>(definitions).get({ name: definition });
      await client
        .resource<KubeObject>(definitions)
        .apply(buildConversionStanza(definition, publication.target, caBundlePem), force);
    }
  };
}

/** Takes the webhook configurations away, so that nothing waits for a server that is gone for good. */
export async function removeWebhookConfigurations(client: KubeClient, name: string): Promise<void> {
  for (const ref of Object.values(configurations)) {
    try {
      await client.resource<KubeObject>(ref).delete({ name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
