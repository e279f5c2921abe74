import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../resource.ts';
import type { Authenticator } from './auth.ts';
import type { ClientCertificates } from './client-certificate.ts';
import { joinFaults } from './rbac/rbac-authorizer.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import type { StaticTokens } from './static-tokens.ts';
import { unauthorized } from './unauthorized.ts';

/** The ways to prove who one is. */
export interface Credentials {
  readonly certificates: ClientCertificates;
  /** Asked in order. */
  readonly staticTokens: readonly StaticTokens[];
  readonly serviceAccounts: ServiceAccountTokens;
}

/** What a token review says about a token. */
export type TokenReviewVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly fault: string };

/** Knows callers by client certificate or bearer token; synchronous, so that it costs a request next to nothing. */
export class CredentialAuthenticator implements Authenticator {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  authenticate(request: IncomingMessage): UserInfo | undefined {
    const certificate = this.#credentials.certificates.verdictOf(request);
    if (typeof certificate === 'object') return certificate.user;
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) return this.#userOfToken(token);
    if (certificate === 'untrusted') throw unauthorized();
    return undefined;
  }

  /** Checks a token that somebody else was given. */
  review(token: string, audiences: readonly string[]): TokenReviewVerdict {
    const { serviceAccounts } = this.#credentials;
    const wanted = audiences.length === 0 ? serviceAccounts.audiences : audiences;
    const known = this.#staticUser(token);
    if (known !== undefined) {
      // A static token is good for this server only.
      const common = wanted.filter((a) => serviceAccounts.audiences.includes(a));
      if (common.length > 0) return { user: known, audiences: common };
    }
    const verdict = serviceAccounts.check(token, wanted);
    if ('user' in verdict) return verdict;
    return { fault: joinFaults(['invalid bearer token', ...(verdict.fault === undefined ? [] : [verdict.fault])]) };
  }

  #userOfToken(token: string): UserInfo {
    const known = this.#staticUser(token);
    if (known !== undefined) return known;
    const verdict = this.#credentials.serviceAccounts.check(token);
    if ('user' in verdict) return verdict.user;
    throw unauthorized();
  }

  #staticUser(token: string): UserInfo | undefined {
    for (const tokens of this.#credentials.staticTokens) {
      const user = tokens.find(token);
      if (user !== undefined) return user;
    }
    return undefined;
  }
}

/** The token of an `Authorization: Bearer` header; other schemes are no credentials here. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme, token] = header.trim().split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && token !== '' ? token : undefined;
}
