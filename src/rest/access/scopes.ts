import type { AccessNeed, AccessVerb } from './authorizer.ts';

const scopeVerbs: Readonly<Record<AccessVerb, string>> = {
  get: 'read',
  list: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
};

/**
 * The scopes of which one is enough. `read` reads everything and `write` changes everything, credentials apart: those
 * need exactly `read:server:credentials` or `write:server:credentials`. What workers do takes the scope of workers.
 */
export function scopesFor(need: AccessNeed): readonly string[] {
  const verb = scopeVerbs[need.verb];
  if (need.resource.isApart === true) {
    const words = need.resource.scopes.map((name) => `${verb === 'read' ? 'read' : 'write'}:${name}`);
    // A right that is no more than itself goes by its own name too.
    return need.resource.isRight === true ? [...need.resource.scopes, ...words] : words;
  }
  const named = need.resource.scopes.map((name) => `${verb}:${name}`);
  if (verb === 'read') return ['read', ...named];
  return need.resource.areChangesApart === true ? named : ['write', verb, ...named];
}

/** The scopes that a token names: `scope` as a text with spaces or a list, or `scp` as a list. */
export function readScopes(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return [claims.scope, claims.scp].flatMap((claim) => {
    if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
    return Array.isArray(claim) ? claim.filter((word): word is string => typeof word === 'string') : [];
  });
}
