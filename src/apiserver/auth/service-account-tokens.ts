import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { UserInfo } from '../resource.ts';
import type { ObjectStore } from '../store/store.ts';
import { goList } from './rbac/rule-coverage.ts';
import { serviceAccountGroups, serviceAccountUser } from './rbac/subjects.ts';
import { isSigned, readClaims, signToken, type TokenKeys } from './service-account-keys.ts';
import { withAuthenticated } from './static-tokens.ts';
import { factsOf, legacyIssuer, type TokenFacts } from './token-claims.ts';

/** An object a token is bound to: when it goes, so does the token. */
export interface BoundObject {
  readonly kind: 'pod' | 'secret' | 'node';
  readonly name: string;
  readonly uid: string;
}

/** What to put into a new token. */
export interface TokenWish {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: readonly BoundObject[];
}

/** What a token proves; `fault` says why it proves nothing, undefined when it is no service account token at all. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly fault: string | undefined };

/** What tokens are made of and checked against. */
export interface ServiceAccountTokensOptions {
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** Who this server is to tokens: the issuer unless told. */
  readonly audiences?: readonly string[];
  readonly store: ObjectStore;
  now(): Date;
}

const bucketOfKind = { pod: '/pods', secret: '/secrets', node: '/nodes' } as const;
const rememberedTokens = 10_000;
/** Clocks of a restored machine may be behind by a little. */
const earlySeconds = 60;

/**
 * Issues and checks service account tokens. A signature is checked once; after that a token costs one map lookup, its
 * expiry, and a look at the objects it stands for, so a deleted account is refused at once.
 */
export class ServiceAccountTokens {
  readonly #options: ServiceAccountTokensOptions;
  readonly #known = new Map<string, TokenFacts>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  /** The audiences of a token that names none. */
  get audiences(): readonly string[] {
    return this.#options.audiences ?? [this.#options.issuer];
  }

  /** Makes a token; its times are whole seconds. */
  issue(wish: TokenWish): { token: string; expires: Date } {
    const { keys, issuer } = this.#options;
    const iat = Math.floor(this.#options.now().getTime() / 1000);
    const exp = iat + wish.seconds;
    const bound: JsonObject = {};
    for (const { kind, name, uid } of wish.bound ?? []) bound[kind] = { name, uid };
    const claims: JsonObject = {
      aud: [...wish.audiences],
      exp,
      iat,
      iss: issuer,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace: wish.namespace,
        ...bound,
        serviceaccount: { name: wish.name, uid: wish.uid },
      },
      nbf: iat,
      sub: serviceAccountUser(wish.namespace, wish.name),
    };
    return { token: signToken(keys, claims), expires: new Date(exp * 1000) };
  }

  /** Makes a token for a Secret of type kubernetes.io/service-account-token: good until the Secret goes. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secret: string): string {
    const { namespace, name, uid } = account;
    const prefix = 'kubernetes.io/serviceaccount';
    return signToken(this.#options.keys, {
      iss: legacyIssuer,
      [`${prefix}/namespace`]: namespace,
      [`${prefix}/secret.name`]: secret,
      [`${prefix}/service-account.name`]: name,
      [`${prefix}/service-account.uid`]: uid,
      sub: serviceAccountUser(namespace, name),
    });
  }

  /** Checks a token for one of the audiences; without any, for this server. */
  check(token: string, wanted: readonly string[] = this.audiences): TokenVerdict {
    const facts = this.#known.get(token) ?? this.#verify(token);
    if (facts === undefined) return { fault: undefined };
    if (typeof facts === 'string') return { fault: facts };
    const fault = this.#timeFault(facts) ?? this.#objectFault(facts, token);
    if (fault !== undefined) return { fault };
    if (facts.audiences === undefined) return { user: facts.user, audiences: wanted };
    const audiences = facts.audiences.filter((a) => wanted.includes(a));
    if (audiences.length > 0) return { user: facts.user, audiences };
    const what = `token audiences ${goList(facts.audiences)} is invalid for the target audiences ${goList(wanted)}`;
    return { fault: what };
  }

  #verify(token: string): TokenFacts | string | undefined {
    const { keys, issuer } = this.#options;
    const parts = readClaims(token);
    if (parts === undefined || (parts.claims.iss !== issuer && parts.claims.iss !== legacyIssuer)) return undefined;
    if (!isSigned(keys, token, parts.header)) return 'invalid signature';
    const facts = factsOf(parts.claims);
    if (typeof facts === 'string') return facts;
    const settled = { ...facts, user: userOf(facts) };
    if (this.#known.size >= rememberedTokens) this.#forgetOldest();
    this.#known.set(token, settled);
    return settled;
  }

  #forgetOldest(): void {
    for (const token of this.#known.keys()) {
      this.#known.delete(token);
      if (this.#known.size < rememberedTokens / 2) return;
    }
  }

  #timeFault({ notBefore, expires }: TokenFacts): string | undefined {
    const seconds = this.#options.now().getTime() / 1000;
    if (expires !== undefined && seconds >= expires) return 'service account token has expired';
    if (notBefore !== undefined && seconds + earlySeconds < notBefore) return 'service account token is not valid yet';
    return undefined;
  }

  #objectFault(facts: TokenFacts, token: string): string | undefined {
    const { namespace, name, uid, bound, secretName } = facts;
    const account = this.#options.store.get({ bucket: '/serviceaccounts', namespace, name });
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (account.uid !== uid) return `service account UID (${account.uid}) does not match claim (${uid})`;
    for (const each of bound) {
      const where = each.kind === 'node' ? '' : namespace;
      const found = this.#options.store.get({ bucket: bucketOfKind[each.kind], namespace: where, name: each.name });
      if (found === undefined || found.uid !== each.uid) return 'service account token has been invalidated';
    }
    return secretName === undefined || this.#isInSecret(namespace, secretName, token)
      ? undefined
      : 'service account token has been invalidated';
  }

  #isInSecret(namespace: string, name: string, token: string): boolean {
    const stored = this.#options.store.get({ bucket: '/secrets', namespace, name });
    if (stored === undefined) return false;
    const { data } = JSON.parse(stored.json) as KubeObject & { data?: Record<string, string> };
    return Buffer.from(data?.token ?? '', 'base64').toString() === token;
  }
}

function userOf(facts: Omit<TokenFacts, 'user'>): UserInfo {
  const { namespace, name, uid, id, bound } = facts;
  const extra: Record<string, string[]> = id === undefined ? {} : { [`${extraPrefix}/credential-id`]: [`JTI=${id}`] };
  for (const each of bound) {
    if (each.kind === 'secret') continue;
    extra[`${extraPrefix}/${each.kind}-name`] = [each.name];
    extra[`${extraPrefix}/${each.kind}-uid`] = [each.uid];
  }
  return {
    username: serviceAccountUser(namespace, name),
    uid,
    groups: withAuthenticated(serviceAccountGroups(namespace)),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

const extraPrefix = 'authentication.kubernetes.io';
