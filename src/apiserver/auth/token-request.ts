import { type FieldError, isJsonObject, type JsonObject } from '../../schema/index.ts';
import { admitSubresource } from '../admission/admit-subresource.ts';
import { kubeTime, type ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import { badRequest, conflict, invalid, notFound } from '../status.ts';
import type { Stored } from '../store/store.ts';
import type { SubresourceHandler } from '../virtual-resource.ts';
import { type Review, reviewDecoder, textOf, textsOf } from './reviews/review-object.ts';
import type { BoundObject, ServiceAccountTokens } from './service-account-tokens.ts';

const apiVersion = 'authentication.k8s.io/v1';
const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const defaultSeconds = 3600;
const accounts = { group: '', resource: 'serviceaccounts' };
const bindable: Readonly<Record<string, { kind: BoundObject['kind']; resource: string; namespaced: boolean }>> = {
  Pod: { kind: 'pod', resource: 'pods', namespaced: true },
  Secret: { kind: 'secret', resource: 'secrets', namespaced: true },
  Node: { kind: 'node', resource: 'nodes', namespaced: false },
};

/** `serviceaccounts/token`: hands out a token for a service account. */
export function tokenRequests(core: ServerCore, tokens: ServiceAccountTokens): SubresourceHandler {
  const decode = reviewDecoder(apiVersion, 'TokenRequest', ['boundObjectRef']);
  return {
    bucket: '/serviceaccounts',
    subresource: 'token',
    async handle(context, body) {
      checkType(body);
      const withDefault = isJsonObject(body.spec) ? body.spec : {};
      withDefault.expirationSeconds ??= defaultSeconds;
      const asked = decode(context, { ...body, spec: withDefault });
      const account = findAccount(core, context);
      const { metadata, spec } = await admit(core, context, asked);
      const { name, namespace, uid } = account;
      checkNames(metadata, spec, name);
      const seconds = Number(spec.expirationSeconds);
      const wanted = textsOf(spec.audiences);
      const audiences = wanted.length === 0 ? [...tokens.audiences] : wanted;
      const ref = isJsonObject(spec.boundObjectRef) ? spec.boundObjectRef : null;
      const bound = ref === null ? [] : boundObjects(core, ref, account);
      const issued = tokens.issue({ namespace, name, uid, audiences, seconds, bound });
      const object = {
        kind: 'TokenRequest',
        apiVersion,
        metadata: { ...metadata, name, namespace, uid, creationTimestamp: kubeTime(context.now) },
        spec: { audiences, expirationSeconds: seconds, boundObjectRef: ref },
        status: { token: issued.token, expirationTimestamp: kubeTime(issued.expires) },
      };
      return { code: 201, object };
    },
  };
}

async function admit(
  core: ServerCore,
  context: RequestContext,
  asked: Review,
): Promise<Pick<Review, 'metadata' | 'spec'>> {
  const { metadata, spec } = asked;
  const shown = { audiences: spec.audiences ?? null, boundObjectRef: spec.boundObjectRef ?? null };
  const object = {
    kind: 'TokenRequest',
    apiVersion,
    metadata,
    spec: { ...spec, ...shown },
    status: { token: '', expirationTimestamp: null },
  };
  const admitted = await admitSubresource(core, context, object, { ...kind, version: 'v1' });
  return {
    metadata: isJsonObject(admitted.metadata) ? admitted.metadata : {},
    spec: isJsonObject(admitted.spec) ? admitted.spec : {},
  };
}

function checkType(body: JsonObject): void {
  const given = { kind: body.kind ?? 'TokenRequest', apiVersion: body.apiVersion ?? apiVersion };
  if (given.kind === 'TokenRequest' && given.apiVersion === apiVersion) return;
  const version = String(given.apiVersion).replace(/^.*\//, '');
  const head = `${String(given.kind)} in version ${JSON.stringify(version)} cannot be handled as a TokenRequest`;
  const why = `converting (${version}.${String(given.kind)}) to (authentication.TokenRequest): unknown conversion`;
  throw badRequest(`${head}: ${why}`);
}

function findAccount(core: ServerCore, { info }: RequestContext): Stored {
  const stored = core.store.get({ bucket: '/serviceaccounts', namespace: info.namespace, name: info.name });
  if (stored === undefined) throw notFound(accounts, info.name);
  return stored;
}

function checkNames(metadata: JsonObject, spec: JsonObject, account: string): void {
  const name = textOf(metadata.name);
  if (name !== '' && name !== account) {
    const detail = 'must match the service account name if specified';
    throw invalid(kind, account, [{ reason: 'FieldValueInvalid', field: 'metadata.name', badValue: name, detail }]);
  }
  const faults = secondsFaults(Number(spec.expirationSeconds));
  if (faults.length > 0) throw invalid(kind, '', faults);
}

function secondsFaults(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  const fault = (detail: string): FieldError[] => [{ reason: 'FieldValueInvalid', field, badValue: seconds, detail }];
  if (seconds < 10 * 60) return fault('may not specify a duration less than 10 minutes');
  return seconds > 2 ** 32 ? fault('may not specify a duration larger than 2^32 seconds') : [];
}

function boundObjects(core: ServerCore, ref: JsonObject, account: Stored): BoundObject[] {
  const what = bindable[textOf(ref.kind)];
  const version = textOf(ref.apiVersion);
  if (what === undefined || version !== 'v1') {
    const [group, name] = version.includes('/') ? version.split('/', 2) : ['', version];
    throw badRequest(`cannot bind token to object of type ${group ?? ''}/${name ?? ''}, Kind=${textOf(ref.kind)}`);
  }
  const name = textOf(ref.name);
  const namespace = what.namespaced ? account.namespace : '';
  const stored = core.store.get({ bucket: `/${what.resource}`, namespace, name });
  if (stored === undefined) throw notFound({ group: '', resource: what.resource }, name);
  const uid = textOf(ref.uid);
  if (uid !== '' && uid !== stored.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    throw conflict(
      { group: '', resource: textOf(ref.kind) },
      name,
      `${why}. The object might have been deleted and then recreated`,
    );
  }
  const bound: BoundObject[] = [{ kind: what.kind, name, uid: stored.uid }];
  return what.kind === 'pod' ? [...bound, ...nodeOfPod(core, stored, account)] : bound;
}

/** A token for a pod names the pod's node as well, once it has one. */
function nodeOfPod(core: ServerCore, pod: Stored, account: Stored): BoundObject[] {
  const { spec } = JSON.parse(pod.json) as KubeObject & { spec?: { serviceAccountName?: string; nodeName?: string } };
  if ((spec?.serviceAccountName ?? '') !== account.name) {
    const who = JSON.stringify(account.name);
    throw badRequest(`cannot bind token for serviceaccount ${who} to pod running with different serviceaccount name.`);
  }
  const name = spec?.nodeName ?? '';
  const node = name === '' ? undefined : core.store.get({ bucket: '/nodes', namespace: '', name });
  return node === undefined ? [] : [{ kind: 'node', name, uid: node.uid }];
}
