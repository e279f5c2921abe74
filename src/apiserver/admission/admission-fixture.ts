import { compileSchema, type JsonObject, type JsonSchema } from '../../schema/index.ts';
import { FakeStore } from '../auth/fake-store.ts';
import { RbacFixture } from '../auth/rbac/rbac-fixture.ts';
import type { WebhookClientConfig } from '../crd/crd-object.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { ResourceRegistry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import { type WebhookCallError, WebhookClient } from '../webhook/webhook-client.ts';
import type { AdmissionAttributes } from './admission.ts';
import { WebhookAdmission } from './webhook-admission.ts';
import type { WebhookEntry } from './webhook-configuration.ts';
import { WebhookIndex, type WebhookType } from './webhook-index.ts';

const anything: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** For tests: a custom resource whose `size` in v1 is `width` in v2. */
export function widgetResource(version: 'v1' | 'v2'): ServedResource {
  const apiVersion = `example.com/${version}`;
  return {
    origin: 'custom',
    group: 'example.com',
    version,
    apiVersion,
    resource: 'widgets',
    kind: 'Widget',
    namespaced: true,
    bucket: 'example.com/widgets',
    isServed: true,
    isStorageVersion: version === 'v1',
    extraSubresources: [],
    compiled: compileSchema(anything, { kind: 'custom', isRoot: true }),
    toStorage: (object: KubeObject) => renamed(object, 'v1'),
    read: ({ json }: { json: string }) => renamed(JSON.parse(json), version),
  } as unknown as ServedResource;
}

function renamed(object: KubeObject, version: 'v1' | 'v2'): KubeObject {
  const { size, width, ...spec } = (object.spec ?? {}) as { size?: number; width?: number };
  const value = size ?? width;
  const field = version === 'v1' ? 'size' : 'width';
  return {
    ...object,
    apiVersion: `example.com/${version}`,
    spec: { ...spec, ...(value === undefined ? {} : { [field]: value }) },
  };
}

/** For tests: what a webhook answers to a request; an Error stands for one that cannot be reached. */
export type Answer = (request: JsonObject) => JsonObject | WebhookCallError;

/** For tests: admission by webhooks that answer in this process, by name. */
export class AdmissionFixture {
  readonly store = new FakeStore();
  readonly registry = new ResourceRegistry();
  readonly asked: { readonly webhook: string; readonly request: JsonObject }[] = [];
  readonly warnings: string[] = [];
  readonly admission: WebhookAdmission;
  readonly v1 = widgetResource('v1');
  readonly v2 = widgetResource('v2');
  readonly #answers = new Map<string, Answer>();

  constructor() {
    this.registry.add(this.v1);
    this.registry.add(this.v2);
    this.namespace('a', { team: 'red' });
    const webhooks = new WebhookIndex();
    webhooks.follow(this.store.asStore());
    const { authorizer } = new RbacFixture();
    const client = new FakeClient((config, review) => this.#answer(config, review));
    this.admission = new WebhookAdmission({
      store: this.store.asStore(),
      registry: this.registry,
      authorizer,
      webhooks,
      client,
    });
  }

  namespace(name: string, labels: Record<string, string>): void {
    this.store.put('/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }

  /** Registers a configuration with one webhook for every write of widgets. */
  webhook(type: WebhookType, name: string, answer: Answer, changes: Partial<WebhookEntry> = {}): void {
    this.#answers.set(name, answer);
    const entry: WebhookEntry = {
      name,
      clientConfig: { url: `https://webhook.example.com/${name}` },
      rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      ...changes,
    };
    const kind = type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
    const bucket = `admissionregistration.k8s.io/${kind.toLowerCase()}s`;
    this.store.put(bucket, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name },
      webhooks: [entry],
    });
  }

  /** The creation of a widget. */
  creation(changes: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
    return {
      operation: 'CREATE',
      resource: this.v1,
      subresource: '',
      namespace: 'a',
      name: 'one',
      object: asKubeObject({
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'one', namespace: 'a', uid: 'u1', creationTimestamp: '2030-01-01T00:00:00Z' },
        spec: { size: 1 },
      }),
      oldObject: undefined,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      user: { username: 'alice', groups: ['system:authenticated'] },
      dryRun: false,
      warn: (text) => this.warnings.push(text),
      ...changes,
    };
  }

  #answer({ url = '' }: WebhookClientConfig, review: JsonObject): JsonObject {
    const webhook = url.slice(url.lastIndexOf('/') + 1);
    const request = review.request as JsonObject;
    this.asked.push({ webhook, request });
    const response = this.#answers.get(webhook)?.(request) ?? {};
    if (response instanceof Error) throw response;
    return {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid ?? '', ...response },
    };
  }
}

class FakeClient extends WebhookClient {
  readonly #answer: (config: WebhookClientConfig, review: JsonObject) => JsonObject;

  constructor(answer: (config: WebhookClientConfig, review: JsonObject) => JsonObject) {
    super();
    this.#answer = answer;
  }

  override async post(config: WebhookClientConfig, review: JsonObject): Promise<JsonObject> {
    return this.#answer(config, structuredClone(review));
  }
}

/** For tests: the response that passes a request, with a patch when operations are given. */
export function allow(...operations: JsonObject[]): JsonObject {
  if (operations.length === 0) return { allowed: true };
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}
