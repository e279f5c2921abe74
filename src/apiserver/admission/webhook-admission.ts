import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../schema/index.ts';
import type { Authorizer } from '../auth/auth.ts';
import type { KubeObject } from '../object.ts';
import type { ResourceRegistry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import { badRequest } from '../status.ts';
import type { ObjectStore } from '../store/store.ts';
import { WebhookCallError, type WebhookClient } from '../webhook/webhook-client.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { patchSeen } from './apply-patch.ts';
import { Equivalents, inVersion } from './equivalents.ts';
import { couldMatch } from './match-rules.ts';
import { afterDefaults, beforeDefaults, type ReviewedObjects, reviewRequest } from './review-request.ts';
import { type CheckedResponse, callFailure, checkReview, denial, InvalidResponse } from './review-response.ts';
import { passWarnings } from './warnings.ts';
import type { CompiledWebhook } from './webhook-configuration.ts';
import type { WebhookIndex, WebhookType } from './webhook-index.ts';
import { type MatchParts, matchedResource, meetsConditions } from './webhook-match.ts';

/** What admission by webhooks needs. */
export interface WebhookAdmissionParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookIndex;
  readonly client: WebhookClient;
}

/** Writes of these would otherwise be able to lock everybody out, those who could mend it included. */
const exempt: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
]);

/** Admission by the stored webhook configurations. */
export class WebhookAdmission implements Admission {
  readonly #parts: WebhookAdmissionParts;
  readonly #match: MatchParts;
  readonly #equivalents: Equivalents;
  #idle = new Map<string, boolean>();
  #idleVersion = '';

  constructor(parts: WebhookAdmissionParts) {
    this.#parts = parts;
    this.#equivalents = new Equivalents(parts.registry);
    this.#match = { store: parts.store, authorizer: parts.authorizer, equivalents: this.#equivalents };
  }

  isIdle(resource: ServedResource, operation: AdmissionAttributes['operation']): boolean {
    const { webhooks, registry } = this.#parts;
    if (webhooks.webhooks('mutating').length + webhooks.webhooks('validating').length === 0) return true;
    if (exempt.has(resource.bucket)) return true;
    const version = `${webhooks.generation} ${registry.generation}`;
    if (version !== this.#idleVersion) {
      this.#idleVersion = version;
      this.#idle = new Map();
    }
    const key = `${resource.bucket} ${operation}`;
    const known = this.#idle.get(key);
    if (known !== undefined) return known;
    const isIdle = !this.#isOfInterest(resource, operation);
    this.#idle.set(key, isIdle);
    return isIdle;
  }

  #isOfInterest(resource: ServedResource, operation: string): boolean {
    const { webhooks } = this.#parts;
    const all = [...webhooks.webhooks('mutating'), ...webhooks.webhooks('validating')];
    return this.#equivalents
      .of(resource)
      .some((each) => all.some(({ rules }) => couldMatch(rules, { ...each, operation })));
  }

  /** Asks the mutating webhooks one after the other, then once more those that asked for it and missed a change. */
  async mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    const { webhooks } = this.#parts;
    const asked = new Set<CompiledWebhook>();
    const again = new Set<CompiledWebhook>();
    let object = attributes.object;
    for (const round of ['first', 'second'] as const) {
      for (const hook of webhooks.webhooks('mutating')) {
        if (round === 'second' && !again.delete(hook)) continue;
        const before = object;
        object = await this.#mutateOnce(hook, { ...attributes, object });
        if (round === 'first') {
          if (object !== before) for (const each of asked) again.add(each);
          if (hook.isReinvocable) asked.add(hook);
        }
      }
      if (again.size === 0) break;
    }
    return object;
  }

  async #mutateOnce(hook: CompiledWebhook, attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    const shown = { ...attributes, object: beforeDefaults(attributes) };
    const seen = await this.#whatItSees(hook, shown);
    if (seen === undefined) return attributes.object;
    const response = await this.#ask('mutating', hook, shown, seen);
    if (response?.patch === undefined || response.patch.length === 0 || seen.object === undefined) {
      return attributes.object;
    }
    const patched = patchSeen(response.patch, attributes, seen);
    if (isDeepStrictEqual(patched, seen.object)) return attributes.object;
    const isForeign = attributes.kind !== undefined;
    const own = isForeign ? patched : await inVersion(patched, { from: seen.resource, to: attributes.resource });
    return afterDefaults(attributes, own);
  }

  /** Asks all validating webhooks at the same time; the first in order to refuse decides. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    // A deletion has nothing to change, but those who may change things may still refuse it.
    if (attributes.operation === 'DELETE') await this.mutate(attributes);
    const hooks = this.#parts.webhooks.webhooks('validating');
    const verdicts = await Promise.allSettled(hooks.map((hook) => this.#validateOnce(hook, attributes)));
    for (const verdict of verdicts) if (verdict.status === 'rejected') throw verdict.reason;
  }

  async #validateOnce(hook: CompiledWebhook, attributes: AdmissionAttributes): Promise<void> {
    const seen = await this.#whatItSees(hook, attributes);
    if (seen !== undefined) await this.#ask('validating', hook, attributes, seen);
  }

  async #whatItSees(hook: CompiledWebhook, attributes: AdmissionAttributes): Promise<ReviewedObjects | undefined> {
    const resource = matchedResource(this.#match, hook, attributes);
    if (resource === undefined) return undefined;
    const { object, oldObject, kind } = attributes;
    // An Eviction has one version, whichever version of pods it is posted to.
    const move = { from: attributes.resource, to: kind === undefined ? resource : attributes.resource };
    const seen = {
      resource,
      object: object === undefined ? undefined : await inVersion(object, move),
      oldObject: oldObject === undefined ? undefined : await inVersion(oldObject, move),
    };
    return meetsConditions(this.#match, hook, attributes, seen) ? seen : undefined;
  }

  /** Undefined when the webhook failed and is allowed to. */
  async #ask(
    type: WebhookType,
    hook: CompiledWebhook,
    attributes: AdmissionAttributes,
    seen: ReviewedObjects,
  ): Promise<CheckedResponse | undefined> {
    if (attributes.dryRun && !hook.allowsDryRun) {
      throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    }
    try {
      const response = await this.#call(type, hook, reviewRequest(attributes, seen));
      passWarnings(response.warnings, (text) => attributes.warn(text));
      if (!response.isAllowed) throw denial(hook.name, response.status);
      return response;
    } catch (error) {
      const why = failureText(error);
      if (why === undefined) throw error;
      if (hook.mustSucceed) throw callFailure(hook.name, why);
      return undefined;
    }
  }

  async #call(type: WebhookType, hook: CompiledWebhook, request: JsonObject): Promise<CheckedResponse> {
    if (!hook.speaksV1) {
      throw new InvalidResponse('webhook does not accept known AdmissionReview versions (v1)');
    }
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
    const answer = await this.#parts.client.post(hook.clientConfig, review, hook.timeoutSeconds);
    return checkReview(answer, { uid: String(request.uid), isMutating: type === 'mutating' });
  }
}

function failureText(error: unknown): string | undefined {
  if (error instanceof WebhookCallError) return `failed to call webhook: ${error.message}`;
  return error instanceof InvalidResponse ? error.message : undefined;
}
