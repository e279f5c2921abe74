import type { JsonObject, JsonSchema } from '../../schema/index.ts';
import { asJson, asKubeObject, type KubeObject, type ManagedFieldsEntry } from '../object.ts';
import { equalJson } from '../patch/equal-json.ts';
import { applyObject } from './apply.ts';
import { KindVersions, type OtherVersions } from './kind-versions.ts';
import { TypedError } from './list-item.ts';
import {
  capUpdateOwners,
  type Entry,
  isReset,
  type Owner,
  printTime,
  readClientEntries,
  readStoredEntries,
  writeEntries,
} from './managed-entries.ts';
import { type Scope, updateOwnership } from './ownership.ts';
import { BadFieldSet, textOrder, valueOrder } from './path-element.ts';
import { excludedFields, type ResetFields } from './reset-fields.ts';
import { isBuiltIn, zeroObjectOf } from './zero-object.ts';

/** What a create, update or patch changes. */
export interface UpdateRequest {
  /** Undefined for a create. */
  readonly live: KubeObject | undefined;
  /** The object as it will be stored, with the managedFields the client sent or, for a patch, the live ones. */
  readonly next: KubeObject;
  /** `fieldManager` of the request, or the user agent up to its slash. */
  readonly manager: string;
  /** Empty for the main endpoint. */
  readonly subresource: string;
  readonly now: Date;
}

/** A server-side apply. */
export interface ApplyRequest {
  /** Undefined when the object does not exist yet. */
  readonly live: KubeObject | undefined;
  readonly patch: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly now: Date;
}

/** Tracks who owns which fields of one version of one kind. */
export interface FieldManager {
  /** The managedFields of `next`; an empty list means the object carries none. */
  update(request: UpdateRequest): ManagedFieldsEntry[];
  /** The merged object with its managedFields; throws ApiError 409 on conflicts unless forced. */
  apply(request: ApplyRequest): KubeObject;
}

/** What a field manager must know about its kind. */
export interface FieldManagerOptions {
  /** The whole object's schema; `metadata` in it is ignored, since it is the same for all kinds. */
  readonly schema: JsonSchema;
  /** The version requests are made in, e.g. `example.com/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly hasStatusSubresource: boolean;
  /** Paths each endpoint resets and never owns, by subresource; default: status for the main one, spec for status. */
  readonly resetFields?: ResetFields | undefined;
  /** The object in another version; without it, owners that wrote in another version are dropped. */
  readonly convert?: OtherVersions['convert'];
  /** Schemas of other versions; undefined for a version that is not served. Absent: all versions share one schema. */
  readonly schemaOf?: NonNullable<OtherVersions['schemaOf']>;
}

/** Makes the field manager of one version of a kind; the schema is compiled once. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const { apiVersion, kind } = options;
  const versions = new KindVersions({ apiVersion, schema: options.schema }, otherVersionsOf(options));
  const order = isBuiltIn(apiVersion) ? valueOrder : textOrder;
  const zero = zeroObjectOf(apiVersion, kind);
  const excludedAt = excludedFields(options, options.resetFields);
  const scopeOf = (subresource: string): Scope => ({
    versions,
    order,
    zero,
    excluded: excludedAt.get(subresource) ?? {},
  });
  return {
    update(request) {
      try {
        return update(scopeOf(request.subresource), request);
      } catch (error) {
        // An object that cannot be compared is stored without owners; validation has the last word on it.
        if (error instanceof TypedError) return [];
        throw error;
      }
    },
    apply(request) {
      const owner = ownerOf(request.manager, 'Apply', apiVersion, request.subresource);
      const object = applyObject(scopeOf(request.subresource), {
        kind,
        live: request.live === undefined ? undefined : asJson(request.live),
        patch: request.patch,
        owner,
        force: request.force,
        time: printTime(request.now),
      });
      return asKubeObject(object);
    },
  };
}

function otherVersionsOf({ convert, schemaOf }: FieldManagerOptions): OtherVersions | undefined {
  if (convert === undefined) return undefined;
  return schemaOf === undefined ? { convert } : { convert, schemaOf };
}

function ownerOf(manager: string, operation: 'Apply' | 'Update', apiVersion: string, subresource: string): Owner {
  return { manager: manager === '' ? 'unknown' : manager, operation, apiVersion, subresource };
}

function update(scope: Scope, request: UpdateRequest): ManagedFieldsEntry[] {
  const { live, next, subresource } = request;
  const isCreate = live?.metadata.uid === undefined;
  const entries = entriesToStartFrom(scope, request);
  // An object whose owners were forgotten is tracked again only from the next apply on.
  if (entries.length === 0 && !isCreate) return [];
  const { apiVersion } = scope.versions.own;
  const updated = updateOwnership(scope, {
    before: live === undefined ? { metadata: {} } : asJson(live),
    after: asJson(next),
    entries,
    writer: ownerOf(request.manager, 'Update', apiVersion, subresource),
    time: printTime(request.now),
  });
  return writeEntries(capUpdateOwners(updated, scope.order));
}

/** A client may change managedFields through the main endpoint; anything unusable leaves the live ones in force. */
function entriesToStartFrom(scope: Scope, request: UpdateRequest): Entry[] {
  const live = request.live?.metadata.managedFields;
  const sent = request.next.metadata.managedFields;
  if (request.subresource !== '' || sent === undefined || sent === null || sent === live)
    return readStoredEntries(live);
  // Metadata of a custom resource loses empty lists when it is decoded, so only `[{}]` reaches this point there.
  if (sent.length === 0 && !isBuiltIn(scope.versions.own.apiVersion)) return readStoredEntries(live);
  if (isReset(sent)) return [];
  if (live !== undefined && equalJson(sent as unknown as JsonObject[], live as unknown as JsonObject[]))
    return readStoredEntries(live);
  try {
    const entries = readClientEntries(sent, scope.order);
    return entries.length === 0 ? readStoredEntries(live) : entries;
  } catch (error) {
    if (error instanceof BadFieldSet) return readStoredEntries(live);
    throw error;
  }
}
