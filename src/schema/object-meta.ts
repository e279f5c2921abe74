import { decodeFault } from './decode-fault.ts';
import { hasNull } from './defaults.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileKnownFields, pruneUnknown } from './prune.ts';

const text: JsonSchema = { type: 'string' };
const time: JsonSchema = { type: 'string', format: 'date-time', nullable: true };
const texts: JsonSchema = { type: 'object', additionalProperties: text };

const ownerReference: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.OwnerReference',
  properties: {
    apiVersion: text,
    blockOwnerDeletion: { type: 'boolean' },
    controller: { type: 'boolean' },
    kind: text,
    name: text,
    uid: text,
  },
};

const managedFieldsEntry: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.ManagedFieldsEntry',
  properties: {
    apiVersion: text,
    fieldsType: text,
    // Taken as it is, whatever it is: what is no field set is found out when owners are looked at.
    fieldsV1: { 'x-kubernetes-preserve-unknown-fields': true },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
};

/** The schema of every object's `metadata`. */
export const objectMetaSchema: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.ObjectMeta',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    deletionTimestamp: time,
    finalizers: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    generateName: text,
    generation: { type: 'integer', format: 'int64' },
    labels: texts,
    managedFields: { type: 'array', items: managedFieldsEntry, 'x-kubernetes-list-type': 'atomic' },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

const hasOnlyKnownFields = compileKnownFields(objectMetaSchema, { isResource: false });

/** Unknown fields of a `metadata` object, as paths below it; removes them when told to. */
export function pruneMetadata(metadata: Json, options: { readonly removes: boolean }): string[] {
  if (hasOnlyKnownFields === undefined || hasOnlyKnownFields(metadata)) return [];
  return pruneUnknown(metadata, objectMetaSchema, { isResource: false, ...options });
}

/** Why a `metadata` value cannot be decoded, in Go's words; undefined when it can. */
export function metadataFault(metadata: Json): string | undefined {
  return decodeFault(metadata, objectMetaSchema);
}

/** Takes away what Go drops when it writes ObjectMeta: empty texts, maps and lists, zero numbers and nulls. */
export function dropEmptyMetadata(metadata: JsonObject): void {
  for (const key of Object.keys(metadata)) {
    const value = metadata[key] as Json;
    if (isEmpty(value) && !(key === 'deletionGracePeriodSeconds' && value === 0)) delete metadata[key];
    else if (typeof value === 'object' && hasNull(value)) emptyNulls(key, value);
  }
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '' || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

// Go decodes null into the zero value: an empty text in labels and annotations, nothing in a struct.
function emptyNulls(name: string, value: Json): void {
  if (Array.isArray(value)) {
    for (const element of value) if (isJsonObject(element)) removeNulls(element);
  } else if (isJsonObject(value) && (name === 'labels' || name === 'annotations')) {
    for (const key of Object.keys(value)) if (value[key] === null) value[key] = '';
  }
}

function removeNulls(object: JsonObject): void {
  for (const key of Object.keys(object)) if (object[key] === null) delete object[key];
}
