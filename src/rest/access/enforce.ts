import { RestError } from '../errors.ts';
import type { AccessNeed, AuthenticatedUser, Authorizer } from './authorizer.ts';
import { scopesFor } from './scopes.ts';

/** No token is longer; those of Kubernetes have about a thousand characters. */
const maxTokenLength = 16 * 1024;

/** Lets a request through or throws 401, 403 or 503. Nothing is allowed that was not said to be. */
export async function enforceAccess(
  authorizer: Authorizer,
  need: AccessNeed,
  header: string | undefined,
): Promise<AuthenticatedUser> {
  const answer = await authorizer.authenticate(readBearer(header));
  if (answer.outcome !== 'known') throw unauthenticated(`${answer.reason}; get a new one`, 'invalid_token');
  await requireRight(authorizer, answer.user, need);
  return answer.user;
}

/** Throws 403 unless the user may do this, and 503 where nobody can say so. */
export async function requireRight(authorizer: Authorizer, user: AuthenticatedUser, need: AccessNeed): Promise<void> {
  const verdict = await authorizer.allow(user, need);
  if (verdict.isAllowed === true) return;
  throw new RestError(
    'forbidden',
    { user: user.name, verb: need.verb, resource: need.resource.kube, detail: verdict.reason },
    { headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scopesFor(need).join(' ')}"` } },
  );
}

const realm = 'Bearer realm="rackwright"';

function readBearer(header: string | undefined): string {
  if (header === undefined) throw unauthenticated('a token is needed: send it as "Authorization: Bearer TOKEN"');
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1];
  if (token === undefined || token.length > maxTokenLength)
    throw unauthenticated('the Authorization header is not "Bearer TOKEN"', 'invalid_request');
  return token;
}

function unauthenticated(detail: string, error?: string): RestError {
  const challenge = error === undefined ? realm : `${realm}, error="${error}"`;
  return new RestError('unauthenticated', { detail }, { headers: { 'www-authenticate': challenge } });
}
