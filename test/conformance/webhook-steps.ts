import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/schema/index.ts';
import type { CaseRun } from './case-run.ts';
import { configMap, core } from './fixtures.ts';
import type { WebhookServer } from './webhook-server.ts';

/** Where webhook configurations live. */
export const registration = '/apis/admissionregistration.k8s.io/v1';

type Verdict = JsonObject & { allowed: boolean };

/** The answer to an admission review. */
export function review(asked: JsonObject, verdict: Verdict): JsonObject {
  const uid = (asked.request as JsonObject).uid ?? '';
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...verdict } };
}

/** The part of a verdict that changes the object. */
export function jsonPatch(operations: JsonObject[]): JsonObject {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

/** What a review asks about. */
export function askedOf(asked: JsonObject): JsonObject {
  return asked.request as JsonObject;
}

/** The object that a review shows; empty when it shows none. */
export function objectOf(asked: JsonObject): JsonObject {
  return (askedOf(asked).object ?? {}) as JsonObject;
}

/** Calls in their order, once each: a real server asks again where its cache had an older object than its store. */
export function withoutRepeats(calls: readonly JsonObject[]): JsonObject[] {
  return calls.filter((call, at) => !isDeepStrictEqual(call, calls[at - 1]));
}

/** One webhook for the ConfigMaps of the case's namespace. */
export function webhookOf(t: CaseRun, hook: { url: string; caBundle: string }, changes: JsonObject = {}): JsonObject {
  return {
    name: `hook.${t.group}`,
    clientConfig: { url: `${hook.url}/admit`, caBundle: hook.caBundle },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': t.ns } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...changes,
  };
}

/** What is registered, and under which name. */
export interface Registration {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
  readonly changes?: JsonObject;
  /** Several webhooks instead of one; each is laid over the one above. */
  readonly several?: readonly JsonObject[];
  readonly name?: string;
}

/** Registers a webhook and waits until the server calls it for a dry run named `probe`. */
export async function register(t: CaseRun, hook: WebhookServer, wanted: Registration): Promise<void> {
  const { kind, changes = {}, several = [changes], name = t.slug } = wanted;
  const ofTheCluster = core(t, 'configmaps', 'kube-root-ca.crt');
  // Every namespace gets one, and the webhook would be asked about it too.
  await t.settle('the namespace is complete', async () => (await t.get(ofTheCluster, { quiet: true })).code === 200);
  const path = `${registration}/${kind.toLowerCase()}s`;
  const webhooks = several.map((each) => webhookOf(t, hook, each));
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
  const made = await t.post(path, body, { quiet: true });
  if (made.code !== 201) t.note('registration refused', made.body);
  hook.reviews.length = 0;
  await t.settle('the webhook is called', async () => {
    await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true });
    return hook.reviews.length > 0;
  });
  hook.reviews.length = 0;
}
