import { isDeepStrictEqual } from 'node:util';
import type { AdmissionRequest, InProcessHook } from '../../kube/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';
import { patchSeen } from './apply-patch.ts';
import { afterDefaults, beforeDefaults, type ReviewedObjects, reviewRequest } from './review-request.ts';
import { type CheckedResponse, callFailure, checkResponse, denial, InvalidResponse } from './review-response.ts';
import { passWarnings } from './warnings.ts';

/** Admission by rules in this process: asked as webhooks are, without a network in between. */
export class InProcessAdmissionChain implements Admission {
  readonly #hooks: readonly InProcessHook[];
  readonly #idle = new Map<string, boolean>();

  constructor(hooks: readonly InProcessHook[]) {
    this.#hooks = hooks;
  }

  isIdle(resource: ServedResource, operation: AdmissionAttributes['operation']): boolean {
    if (this.#hooks.length === 0) return true;
    const key = `${resource.apiVersion} ${resource.resource} ${operation}`;
    const known = this.#idle.get(key);
    if (known !== undefined) return known;
    const requests = possibleRequests(resource, operation);
    const isIdle = !this.#hooks.some((hook) => requests.some((request) => hook.isConcerned(request)));
    this.#idle.set(key, isIdle);
    return isIdle;
  }

  async mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
    let { object } = attributes;
    for (const hook of this.#hooks) {
      if (hook.type === 'mutating') object = await mutateOnce(hook, { ...attributes, object });
    }
    return object;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (attributes.operation === 'DELETE') await this.mutate(attributes);
    const seen = seenOf(attributes);
    const hooks = this.#hooks.filter(({ type }) => type === 'validating');
    const verdicts = await Promise.allSettled(hooks.map((hook) => ask(hook, attributes, seen)));
    for (const verdict of verdicts) if (verdict.status === 'rejected') throw verdict.reason;
  }
}

function seenOf({ resource, object, oldObject }: AdmissionAttributes): ReviewedObjects {
  return { resource, object, oldObject };
}

/** Every shape of request about a resource that a rule can tell apart. */
function possibleRequests(resource: ServedResource, operation: AdmissionAttributes['operation']): AdmissionRequest[] {
  const { group, version } = resource;
  const subresources = ['', 'status', 'scale', ...resource.extraSubresources.map(({ name }) => name)];
  return subresources.map((subResource) => ({
    uid: '',
    kind: { group, version, kind: resource.kind },
    resource: { group, version, resource: resource.resource },
    subResource,
    namespace: resource.namespaced ? 'any' : '',
    operation,
    userInfo: {},
  }));
}

async function mutateOnce(hook: InProcessHook, attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
  const shown = { ...attributes, object: beforeDefaults(attributes) };
  const seen = seenOf(shown);
  const response = await ask(hook, shown, seen);
  if (response?.patch === undefined || seen.object === undefined) return attributes.object;
  const patched = patchSeen(response.patch, attributes, seen);
  return isDeepStrictEqual(patched, seen.object) ? attributes.object : afterDefaults(attributes, patched);
}

async function ask(
  hook: InProcessHook,
  attributes: AdmissionAttributes,
  seen: ReviewedObjects,
): Promise<CheckedResponse | undefined> {
  const request = reviewRequest(attributes, seen) as unknown as AdmissionRequest;
  if (!hook.isConcerned(request)) return undefined;
  // Rules get copies, so that one which changes what it is given changes nothing.
  const answer = await hook.ask(structuredClone(request));
  try {
    const response = checkResponse(answer as unknown as JsonObject, hook.type === 'mutating');
    passWarnings(response.warnings, (text) => attributes.warn(text));
    if (!response.isAllowed) throw denial(hook.name, response.status);
    return response;
  } catch (error) {
    throw error instanceof InvalidResponse ? callFailure(hook.name, error.message) : error;
  }
}
