import { difference, type FieldSet, intersection, isBare, LEAF, union, unionAll } from './field-set.ts';
import type { Versioned } from './kind-versions.ts';
import type { Entry } from './managed-entries.ts';
import { fieldsOfObject, withNamedParents } from './object-fields.ts';
import type { Scope } from './ownership.ts';
import { removeFields } from './remove-fields.ts';

/**
 * Takes away what the applier owned before and does not apply any more, unless somebody else owns it.
 * `entries` hold the applier's new set already.
 */
export function prune(scope: Scope, merged: Versioned, entries: readonly Entry[], last: Entry | undefined): Versioned {
  if (last === undefined || isBare(last.set)) return merged;
  const base = scope.versions.at(merged, last.apiVersion);
  if (base === undefined) return merged;
  const lastFields = withNamedParents(last.set, base.type);
  let pruned: Versioned = { ...base, object: removeFields(base.type, base.object, lastFields) };
  pruned = addBackOwned(scope, base, pruned, entries);
  pruned = addBackDangling(scope, base, pruned, lastFields);
  return scope.versions.at(pruned, merged.apiVersion) ?? merged;
}

/** Every owner keeps its fields. The version of the last apply goes first: others may need its fields to convert. */
function addBackOwned(scope: Scope, base: Versioned, start: Versioned, entries: readonly Entry[]): Versioned {
  const ownedAt = new Map<string, FieldSet[]>([[base.apiVersion, []]]);
  for (const { apiVersion, set } of entries) {
    const sets = ownedAt.get(apiVersion);
    if (sets === undefined) ownedAt.set(apiVersion, [set]);
    else sets.push(set);
  }
  let whole = base;
  let pruned = start;
  for (const [apiVersion, sets] of ownedAt) {
    const wholeHere = scope.versions.at(whole, apiVersion);
    const prunedHere = scope.versions.at(pruned, apiVersion);
    if (wholeHere === undefined || prunedHere === undefined) continue;
    whole = wholeHere;
    pruned = keepOwned(scope, wholeHere, prunedHere, unionAll(sets, scope.order));
  }
  return pruned;
}

function keepOwned(scope: Scope, whole: Versioned, pruned: Versioned, owned: FieldSet): Versioned {
  const before = namedFields(scope, whole);
  // namedFields always holds metadata, so it is never among what goes.
  const stays = union(namedFields(scope, pruned), withNamedParents(owned, whole.type), scope.order);
  return { ...whole, object: removeFields(whole.type, whole.object, difference(before, stays)) };
}

/** What nobody owns was not the applier's to take away either. */
function addBackDangling(scope: Scope, base: Versioned, pruned: Versioned, lastFields: FieldSet): Versioned {
  const here = scope.versions.at(pruned, base.apiVersion);
  if (here === undefined) return base;
  const gone = difference(namedFields(scope, base), namedFields(scope, here));
  return { ...base, object: removeFields(base.type, base.object, intersection(gone, lastFields)) };
}

// Name and uid are owned by nobody, yet metadata with nothing else in it must stay.
const metadata: FieldSet = { 'f:metadata': LEAF };

function namedFields(scope: Scope, versioned: Versioned): FieldSet {
  const fields = union(fieldsOfObject(versioned.type, versioned.object, scope.order), metadata, scope.order);
  return withNamedParents(fields, versioned.type);
}
