import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import type { UserInfo } from '../resource.ts';
import type { BoundObject } from './service-account-tokens.ts';

/** The issuer in tokens that live in Secrets. */
export const legacyIssuer = 'kubernetes/serviceaccount';

/** What a checked token says. */
export interface TokenFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly user: UserInfo;
  /** Undefined: good for any audience of this server (tokens in Secrets). */
  readonly audiences: readonly string[] | undefined;
  readonly bound: readonly BoundObject[];
  /** The Secret that has to hold this very token. */
  readonly secretName: string | undefined;
  readonly id: string | undefined;
  /** Seconds since the epoch. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
}

/** Reads the claims of a signed token; a text says what is missing. */
export function factsOf(claims: JsonObject): Omit<TokenFacts, 'user'> | string {
  const facts = claims.iss === legacyIssuer ? legacyFacts(claims) : boundFacts(claims);
  const isComplete = facts.namespace !== '' && facts.name !== '' && facts.uid !== '';
  if (!isComplete) return 'service account token claims are incomplete';
  return claims.sub === `system:serviceaccount:${facts.namespace}:${facts.name}`
    ? facts
    : 'service account token subject does not match its claims';
}

function boundFacts(claims: JsonObject): Omit<TokenFacts, 'user'> {
  const own = isJsonObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
  const account = isJsonObject(own.serviceaccount) ? own.serviceaccount : {};
  const bound = (['pod', 'secret', 'node'] as const).flatMap((kind): BoundObject[] => {
    const ref = own[kind];
    return isJsonObject(ref) ? [{ kind, name: text(ref.name), uid: text(ref.uid) }] : [];
  });
  const aud = typeof claims.aud === 'string' ? [claims.aud] : Array.isArray(claims.aud) ? claims.aud.map(text) : [];
  return {
    namespace: text(own.namespace),
    name: text(account.name),
    uid: text(account.uid),
    audiences: aud,
    bound,
    secretName: undefined,
    id: typeof claims.jti === 'string' ? claims.jti : undefined,
    // A bound token without an end would be good for ever, which nobody asked for.
    expires: number(claims.exp) ?? 0,
    notBefore: number(claims.nbf),
  };
}

function legacyFacts(claims: JsonObject): Omit<TokenFacts, 'user'> {
  const claim = (name: string): string => text(claims[`kubernetes.io/serviceaccount/${name}`]);
  return {
    namespace: claim('namespace'),
    name: claim('service-account.name'),
    uid: claim('service-account.uid'),
    audiences: undefined,
    bound: [],
    secretName: claim('secret.name'),
    id: undefined,
    expires: number(claims.exp),
    notBefore: number(claims.nbf),
  };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
