import type { JsonObject } from '../../schema/index.ts';
import { type Conflict, ConflictsFound, conflictOf } from './apply-conflict.ts';
import { type Comparison, compareObjects } from './compare.ts';
import {
  difference,
  differenceWithSubtrees,
  type ElementOrder,
  type FieldSet,
  isBare,
  LEAF,
  sortSet,
  union,
} from './field-set.ts';
import type { KindVersions, Versioned } from './kind-versions.ts';
import { type Entry, isSameOwner, type Owner } from './managed-entries.ts';
import { reconcileSet } from './reconcile-set.ts';
import { SetIndex } from './set-index.ts';

/** What ownership rules need to know about a kind and the endpoint a request came through. */
export interface Scope {
  readonly versions: KindVersions;
  readonly order: ElementOrder;
  /** Fields this endpoint resets and so never owns. */
  readonly excluded: FieldSet;
  readonly zero: JsonObject | undefined;
}

/** Brings stored sets in line with today's schemas and drops owners of versions that are gone. */
export function reconcileEntries(scope: Scope, entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    const type = scope.versions.typeOf(entry.apiVersion);
    if (type === undefined) continue;
    const set = reconcileSet(entry.set, type);
    kept.push(set === entry.set ? entry : { ...entry, set });
  }
  return kept;
}

/** The result of a change on what others own. */
export interface Transfer {
  readonly entries: Entry[];
  readonly comparison: Comparison;
}

/** Takes what changed away from everyone but the writer; refuses when it is not forced and someone owns a changed field. */
export function takeFromOthers(
  scope: Scope,
  change: {
    before: JsonObject;
    after: JsonObject;
    entries: readonly Entry[];
    writer: Owner | undefined;
    force: boolean;
  },
): Transfer {
  const compare = versionedComparison(scope, change.before, change.after);
  const conflicts: Conflict[] = [];
  const entries: Entry[] = [];
  for (const entry of change.entries) {
    if (change.writer !== undefined && isSameOwner(entry, change.writer)) {
      if (!isBare(entry.set)) entries.push(entry);
      continue;
    }
    const comparison = compare.at(entry.apiVersion);
    if (comparison === undefined) continue;
    const taken = comparison.changed.within(entry.set);
    conflicts.push(...conflictOf(entry, taken));
    const set = difference(difference(entry.set, taken), comparison.removed.within(entry.set));
    if (isBare(set)) continue;
    entries.push(set === entry.set ? entry : { ...entry, set });
  }
  if (!change.force && conflicts.length > 0) throw new ConflictsFound(conflicts);
  return { entries, comparison: compare.own };
}

/** A comparison prepared for asking what of it each owner owns. */
interface IndexedComparison {
  /** What was added or modified. */
  readonly changed: SetIndex;
  readonly removed: SetIndex;
}

/** Compares in whichever version is asked for, once per version. */
function versionedComparison(
  scope: Scope,
  before: JsonObject,
  after: JsonObject,
): { own: Comparison; at: (apiVersion: string) => IndexedComparison | undefined } {
  const { apiVersion: ownVersion, type } = scope.versions.own;
  const own = without(scope.excluded, compareObjects(type, { before, after, zero: scope.zero }));
  const compare = (apiVersion: string): Comparison | undefined => {
    if (apiVersion === ownVersion) return own;
    const left = scope.versions.at(scope.versions.ownVersion(before), apiVersion);
    const right = scope.versions.at(scope.versions.ownVersion(after), apiVersion);
    return left === undefined || right === undefined ? undefined : compareVersioned(left, right);
  };
  const found = new Map<string, IndexedComparison | undefined>();
  const at = (apiVersion: string): IndexedComparison | undefined => {
    if (!found.has(apiVersion)) found.set(apiVersion, indexComparison(compare(apiVersion), scope.order));
    return found.get(apiVersion);
  };
  return { own, at };
}

function indexComparison(comparison: Comparison | undefined, order: ElementOrder): IndexedComparison | undefined {
  if (comparison === undefined) return undefined;
  const { added, modified, removed } = comparison;
  return { changed: new SetIndex(union(modified, added, order)), removed: new SetIndex(removed) };
}

function compareVersioned(before: Versioned, after: Versioned): Comparison {
  return compareObjects(before.type, { before: before.object, after: after.object, zero: undefined });
}

function without(excluded: FieldSet, comparison: Comparison): Comparison {
  if (isBare(excluded)) return comparison;
  return {
    removed: differenceWithSubtrees(comparison.removed, excluded),
    modified: differenceWithSubtrees(comparison.modified, excluded),
    added: differenceWithSubtrees(comparison.added, excluded),
  };
}

/** Ownership after a create, update or patch: the writer gets every field it added or changed. */
export function updateOwnership(
  scope: Scope,
  change: { before: JsonObject; after: JsonObject; entries: readonly Entry[]; writer: Owner; time: string },
): Entry[] {
  const reconciled = reconcileEntries(scope, change.entries);
  const { entries, comparison } = takeFromOthers(scope, {
    ...change,
    entries: reconciled,
    writer: undefined,
    force: true,
  });
  const changed = union(sortSet(comparison.modified, scope.order), sortSet(comparison.added, scope.order), scope.order);
  if (isBare(changed)) return entries;
  const at = entries.findIndex((entry) => isSameOwner(entry, change.writer));
  const previous = at === -1 ? undefined : entries[at];
  const entry: Entry = {
    ...change.writer,
    time: change.time,
    set: union(previous?.set ?? LEAF, changed, scope.order),
  };
  if (at === -1) entries.push(entry);
  else entries[at] = entry;
  return entries;
}
