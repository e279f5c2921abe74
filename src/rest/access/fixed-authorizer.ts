import type { Authorizer } from './authorizer.ts';
import { scopesFor } from './scopes.ts';

/** An authorizer for tests: tokens that are given one by one, each with a name and its scopes. */
export function createFixedAuthorizer(
  tokens: Readonly<Record<string, { readonly name: string; readonly scopes: readonly string[] }>>,
): Authorizer {
  return {
    async authenticate(token) {
      const found = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
      if (found === undefined) return { outcome: 'unknown', reason: 'the token is not known' };
      return { outcome: 'known', user: { ...found, groups: [] } };
    },
    async allow(user, need) {
      const enough = scopesFor(need);
      if (enough.some((scope) => user.scopes.includes(scope))) return { isAllowed: true };
      return { isAllowed: false, reason: `the token lacks the scope ${enough.join(' or ')}` };
    },
  };
}
