import { decodeFault, isJsonObject, type JsonObject, objectMetaSchema } from '../../schema/index.ts';
import type { ManagedFieldsEntry } from '../object.ts';
import { copyJson } from '../patch/clone.ts';
import { equalJson } from '../patch/equal-json.ts';
import { ApiError, badRequest } from '../status.ts';
import { ConflictsFound, conflictError, conflictsOutside } from './apply-conflict.ts';
import { checkApplied } from './check-applied.ts';
import { differenceWithSubtrees } from './field-set.ts';
import { fieldsFromLastApplied, refreshLastApplied } from './last-applied.ts';
import { TypedError } from './list-item.ts';
import {
  capUpdateOwners,
  type Entry,
  isSameOwner,
  type Owner,
  readStoredEntries,
  writeEntries,
} from './managed-entries.ts';
import { mergeObjects } from './merge.ts';
import { fieldsOfObject } from './object-fields.ts';
import { reconcileEntries, type Scope, takeFromOthers, updateOwnership } from './ownership.ts';
import { prune } from './prune.ts';

interface Apply {
  readonly kind: string;
  readonly live: JsonObject | undefined;
  readonly patch: JsonObject;
  readonly owner: Owner;
  readonly force: boolean;
  readonly time: string;
}

interface Applied {
  readonly object: JsonObject;
  readonly entries: readonly Entry[];
}

/** Server-side apply: the merged object with its managedFields; throws ApiError. */
export function applyObject(scope: Scope, apply: Apply): JsonObject {
  checkKind(scope, apply);
  const live = withoutManagedFields(apply.live ?? emptyObject(scope, apply.kind));
  const entries = knownEntries(scope, apply, live);
  try {
    const { object, entries: owners } = applyOrAdopt(scope, apply, live, entries);
    const fresh = apply.owner.manager === 'kubectl' ? refreshLastApplied(object, apply.patch) : object;
    return withManagedFields(copyJson(fresh), writeEntries(capUpdateOwners(owners, scope.order)));
  } catch (error) {
    if (error instanceof ConflictsFound) throw conflictError(error.conflicts);
    if (error instanceof TypedError) throw serverError(error.message);
    throw error;
  }
}

function emptyObject(scope: Scope, kind: string): JsonObject {
  return { apiVersion: scope.versions.own.apiVersion, kind, metadata: {} };
}

/** An object that was never tracked gets an owner for all it holds, so that applying to it can conflict. */
function knownEntries(scope: Scope, apply: Apply, live: JsonObject): readonly Entry[] {
  const metadata = apply.live?.metadata;
  const stored = isJsonObject(metadata) ? (metadata.managedFields as ManagedFieldsEntry[] | undefined) : undefined;
  const entries = readStoredEntries(stored);
  if (entries.length > 0 || apply.live === undefined) return entries;
  const writer: Owner = { ...apply.owner, manager: 'before-first-apply', operation: 'Update' };
  return updateOwnership(scope, { before: { metadata: {} }, after: live, entries: [], writer, time: apply.time });
}

function checkKind(scope: Scope, { patch, kind }: Apply): void {
  const { apiVersion } = scope.versions.own;
  if (patch.apiVersion !== apiVersion || patch.kind !== kind) {
    throw badRequest(`invalid object type: ${printKind(patch.apiVersion, patch.kind)}`);
  }
}

/** Who manages what is for the server to say. Entries that cannot be read count as none, and do not fit the schema. */
function checkUnmanaged({ patch: { metadata } }: Apply): void {
  if (!isJsonObject(metadata) || !Array.isArray(metadata.managedFields)) return;
  const { managedFields } = metadata;
  if (managedFields.every(isJsonObject) && decodeFault({ managedFields }, objectMetaSchema) === undefined)
    throw badRequest('metadata.managedFields must be nil');
}

function printKind(apiVersion: unknown, kind: unknown): string {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  const groupVersion = text.includes('/') || text === '' ? text || '/' : `/${text}`;
  return `${groupVersion}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** kubectl moving from client-side to server-side apply does not conflict with what it applied client-side itself. */
function applyOrAdopt(scope: Scope, apply: Apply, live: JsonObject, entries: readonly Entry[]): Applied {
  try {
    return mergeAndOwn(scope, apply, live, entries);
  } catch (error) {
    if (!(error instanceof ConflictsFound) || apply.owner.manager !== 'kubectl') throw error;
    const allowed = fieldsFromLastApplied(scope, live);
    if (allowed === undefined) throw error;
    const rest = conflictsOutside(error.conflicts, allowed);
    if (rest.length > 0) throw new ConflictsFound(rest);
    return mergeAndOwn(scope, { ...apply, force: true }, live, entries);
  }
}

function mergeAndOwn(scope: Scope, apply: Apply, live: JsonObject, before: readonly Entry[]): Applied {
  const { apiVersion, type } = scope.versions.own;
  checkUnmanaged(apply);
  checkFits(scope, apply);
  const known = reconcileEntries(scope, before);
  const last = known.find((entry) => isSameOwner(entry, apply.owner));
  const set = differenceWithSubtrees(fieldsOfObject(type, apply.patch, scope.order), scope.excluded);
  const mine: Entry = { ...apply.owner, apiVersion, time: last?.time, set };
  const entries = [...known.filter((entry) => entry !== last), mine];
  const merged = scope.versions.ownVersion(mergeObjects(type, live, apply.patch));
  const { object } = prune(scope, merged, entries, last);
  const owned = takeFromOthers(scope, {
    before: live,
    after: object,
    entries,
    writer: apply.owner,
    force: apply.force,
  });
  // The time moves only with the object, so that applying the same again changes nothing at all.
  if (equalJson(live, object)) return { object: live, entries: owned.entries };
  return { object, entries: owned.entries.map((entry) => (entry === mine ? { ...mine, time: apply.time } : entry)) };
}

function checkFits(scope: Scope, apply: Apply): void {
  const mistakes = checkApplied(scope.versions.own.type, apply.patch);
  if (mistakes === undefined) return;
  const metadata = isJsonObject(apply.patch.metadata) ? apply.patch.metadata : {};
  const name = `${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${printKind(apply.patch.apiVersion, apply.patch.kind)}`;
  throw serverError(`failed to create typed patch object (${name}): ${mistakes}`);
}

/** A plain error inside the real server: 500 without a reason. */
function serverError(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object.metadata;
  if (!isJsonObject(metadata) || metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  if (entries.length === 0) return object;
  return {
    ...object,
    metadata: { ...(object.metadata as JsonObject), managedFields: entries as unknown as JsonObject[] },
  };
}
