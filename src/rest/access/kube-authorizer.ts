import { createHash } from 'node:crypto';
import { type Clock, isAborted, type KubeClient } from '../../kube/index.ts';
import { RestError } from '../errors.ts';
import type { AccessNeed, AccessVerdict, AuthenticatedUser, Authentication, Authorizer } from './authorizer.ts';
import { PassingCache } from './passing-cache.ts';
import { accessGroup } from './resources.ts';

/** What the authorizer beside a Kubernetes plane is made of. */
export interface KubeAuthorizerOptions {
  /** May create TokenReviews and SubjectAccessReviews. */
  readonly client: Pick<KubeClient, 'request' | 'server'>;
  readonly clock: Clock;
  /** How long a yes is believed without asking again; 10 s unless given. */
  readonly cacheMs?: number;
  /** The audiences of which a token must name one; those of the API server itself unless given. */
  readonly audiences?: readonly string[];
}

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean; readonly reason?: string };
}

const cachedAnswers = 10_000;

/** Tokens and roles are those of a Kubernetes API: it is asked who somebody is and what they may do. */
export function createKubeAuthorizer(options: KubeAuthorizerOptions): Authorizer {
  const { client, clock, cacheMs = 10_000 } = options;
  const cache = { clock, ttlMs: cacheMs, limit: cachedAnswers };
  const users = new PassingCache<Authentication>({ ...cache, isKept: ({ outcome }) => outcome === 'known' });
  const verdicts = new PassingCache<AccessVerdict>({ ...cache, isKept: ({ isAllowed }) => isAllowed });
  const post = async <T>(path: string, body: object): Promise<T> => {
    try {
      return await client.request<T>({ method: 'POST', path, body, timeoutMs: 10_000 });
    } catch (cause) {
      if (isAborted(cause)) throw cause;
      throw new RestError(
        'unavailable',
        { detail: `the Kubernetes API ${client.server} could not be asked who may do this` },
        { cause },
      );
    }
  };
  return {
    authenticate: (token) =>
      // Never the token itself, so that a dump of the process does not hold more of them than it must.
      users.get(hash(token), async () => {
        const spec = { token, ...(options.audiences === undefined ? {} : { audiences: options.audiences }) };
        return readUser(await post(reviewPath.tokens, { ...reviewKind.tokens, spec }));
      }),
    allow: (user, need) =>
      verdicts.get(hash(JSON.stringify([subjectOf(user), attributesOf(need)])), async () => {
        const spec = { ...subjectOf(user), resourceAttributes: attributesOf(need) };
        return readVerdict(await post(reviewPath.access, { ...reviewKind.access, spec }), need);
      }),
  };
}

const reviewPath = {
  tokens: '/apis/authentication.k8s.io/v1/tokenreviews',
  access: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
};
const reviewKind = {
  tokens: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' },
  access: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
};

function readUser({ status }: TokenReview): Authentication {
  const name = status?.user?.username;
  if (status?.authenticated !== true || name === undefined || name === '')
    return { outcome: 'unknown', reason: 'the Kubernetes API does not know this token' };
  const { uid, groups = [], extra } = status.user ?? {};
  return {
    outcome: 'known',
    user: {
      name,
      groups,
      scopes: [],
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    },
  };
}

function readVerdict({ status }: SubjectAccessReview, need: AccessNeed): AccessVerdict {
  if (status?.allowed === true && status.denied !== true) return { isAllowed: true };
  const { verb, resource, subresource } = attributesOf(need);
  const named = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { isAllowed: false, reason: `no role allows ${verb} on ${named} in the group ${accessGroup}` };
}

function subjectOf(user: AuthenticatedUser) {
  const { name, groups, uid, extra } = user;
  return { user: name, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function attributesOf(need: AccessNeed): { group: string; resource: string; verb: string; subresource?: string } {
  const [resource = '', subresource] = need.resource.kube.split('/', 2);
  return { group: accessGroup, verb: need.verb, resource, ...(subresource === undefined ? {} : { subresource }) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
