import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../kube/index.ts';
import { RestError } from '../errors.ts';
import type { AccessVerdict, Authentication, Authorizer } from './authorizer.ts';
import { type IssuerKeys, loadIssuerKeys } from './issuer-keys.ts';
import { readScopes, scopesFor } from './scopes.ts';

/** Whose tokens are taken. */
export interface TokenIssuer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The `aud` that its tokens must name: this service. */
  readonly audience: string;
  /** Where its keys are: a JWKS by URL or in a file, or one shared key in a file that only the owner can read. */
  readonly keys: { readonly jwksUrl: string } | { readonly jwksFile: string } | { readonly sharedKeyFile: string };
}

/** What the authorizer of tokens with scopes is made of. */
export interface JwtAuthorizerOptions {
  readonly issuers: readonly TokenIssuer[];
  readonly clock: Clock;
  /** For tests: how a JWKS is fetched. */
  readonly fetch?: typeof fetch;
}

/** How far the clocks of issuer and service may be apart. */
const clockToleranceSeconds = 30;

/** Tokens signed by known issuers say themselves, by their scopes, what they are good for. */
export async function createJwtAuthorizer(options: JwtAuthorizerOptions): Promise<Authorizer> {
  const known = new Map<string, { readonly issuer: TokenIssuer; readonly keys: IssuerKeys }>();
  for (const issuer of options.issuers) {
    if (known.has(issuer.issuer))
      throw new RestError('badIssuer', { issuer: issuer.issuer, detail: 'it is named twice' });
    known.set(issuer.issuer, { issuer, keys: await loadIssuerKeys(issuer, options.fetch) });
  }
  return {
    async authenticate(token) {
      const named = issuerOf(token);
      // What the token says of itself only chooses the keys that it has to be signed with.
      const found = named === undefined ? undefined : known.get(named);
      if (found === undefined) return refused('the token is not a JWT of an issuer that is known here');
      return verify(token, found.issuer, found.keys, options.clock);
    },
    allow: async (user, need): Promise<AccessVerdict> => {
      const enough = scopesFor(need);
      if (enough.some((scope) => user.scopes.includes(scope))) return { isAllowed: true };
      return { isAllowed: false, reason: `the token lacks the scope ${enough.join(' or ')}` };
    },
  };
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    // Not a JWT at all: the same answer as for one of a stranger.
    return undefined;
  }
}

async function verify(token: string, issuer: TokenIssuer, keys: IssuerKeys, clock: Clock): Promise<Authentication> {
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      // Named, so that a public key is never taken for the secret of an HMAC.
      algorithms: [...keys.algorithms],
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(clock.now()),
      clockTolerance: clockToleranceSeconds,
    });
    return userOf(payload);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined) return refused(reason);
    throw new RestError(
      'unavailable',
      { detail: `the keys of the issuer ${issuer.issuer} cannot be had at the moment` },
      { cause: error },
    );
  }
}

function userOf(payload: JWTPayload): Authentication {
  if (typeof payload.sub !== 'string' || payload.sub === '') return refused('the token names no subject');
  return { outcome: 'known', user: { name: payload.sub, groups: [], scopes: readScopes(payload) } };
}

function refused(reason: string): Authentication {
  return { outcome: 'unknown', reason };
}

/** What is wrong with the token; undefined when the trouble is ours, since the keys could not be had. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'the token is for another audience';
    if (error.claim === 'nbf') return 'the token is not valid yet';
    return `the claim ${error.claim} of the token is missing or wrong`;
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'the token is signed with a key that its issuer does not publish';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the token is signed with an algorithm that is not taken';
  const isOurs = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  if (isOurs || !(error instanceof errors.JOSEError) || error.code === 'ERR_JOSE_GENERIC') return undefined;
  return 'the token is malformed or its signature is wrong';
}
