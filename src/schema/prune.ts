import { fieldSchema } from './correlate.ts';
import { compareBytes } from './go-text.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Says whether a value has only fields its schema knows: the hot path before any path is built. */
export type KnownFieldsTest = (value: Json) => boolean;

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface PruneOptions {
  /** The schema is that of a whole object: apiVersion, kind and metadata belong to it unsaid. */
  readonly isResource: boolean;
}

/** Compiles the test for unknown fields; undefined when nothing below the schema can be unknown. */
export function compileKnownFields(schema: JsonSchema, options: PruneOptions): KnownFieldsTest | undefined {
  return compileNode(schema, {
    isResource: options.isResource || isEmbedded(schema),
    keepsUnknown: keepsUnknown(schema),
  });
}

function keepsUnknown(schema: JsonSchema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

interface NodeOptions {
  readonly isResource: boolean;
  readonly keepsUnknown: boolean;
}

// `keepsUnknown` reaches through lists: the items of a preserving list preserve too, whatever they say themselves.
function compileNode(schema: JsonSchema | undefined, options: NodeOptions): KnownFieldsTest | undefined {
  if (schema === undefined) return options.keepsUnknown ? undefined : isWithoutFields;
  const object = compileObjectNode(schema, options);
  const item = compileItems(schema, options);
  if (object === undefined && item === undefined) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    if (!Array.isArray(value)) return object === undefined || object(value);
    if (item !== undefined) for (const element of value) if (!item(element)) return false;
    return true;
  };
}

function compileItems(schema: JsonSchema, options: NodeOptions): KnownFieldsTest | undefined {
  const keeps = options.keepsUnknown || keepsUnknown(schema.items);
  const isResource = schema.items !== undefined && isEmbedded(schema.items);
  return compileNode(schema.items, { isResource, keepsUnknown: keeps });
}

function compileObjectNode(schema: JsonSchema, options: NodeOptions): ((value: JsonObject) => boolean) | undefined {
  const fields = new Map<string, KnownFieldsTest | undefined>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) fields.set(name, compileField(property));
  if (options.isResource) for (const name of metaFields) fields.set(name, undefined);
  const additional = schema.additionalProperties;
  const takesOthers = options.keepsUnknown || additional !== undefined;
  const other = additional === undefined ? undefined : compileAdditional(additional);
  if (takesOthers && other === undefined && [...fields.values()].every((test) => test === undefined)) return undefined;
  return (value) => {
    for (const key in value) {
      const test = fields.get(key);
      if (test !== undefined) {
        if (!test(value[key] as Json)) return false;
      } else if (!fields.has(key)) {
        if (!takesOthers || (other !== undefined && !other(value[key] as Json))) return false;
      }
    }
    return true;
  };
}

function compileField(schema: JsonSchema): KnownFieldsTest | undefined {
  return compileKnownFields(schema, { isResource: false });
}

// `additionalProperties: true` says nothing about what is inside, so nothing inside is known.
function compileAdditional(additional: JsonSchema | boolean): KnownFieldsTest | undefined {
  return isJsonObject(additional) ? compileField(additional as JsonSchema) : isWithoutFields;
}

function isWithoutFields(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWithoutFields);
  for (const _ in value) return false;
  return true;
}

/**
 * Lists the paths of unknown fields and removes the fields when told to. Meant for values that failed the compiled
 * test. The API server sorts the paths of custom resources; those of built-in kinds come as they stand.
 */
export function pruneUnknown(
  value: Json,
  schema: JsonSchema,
  options: PruneOptions & { readonly removes: boolean; readonly sorts?: boolean },
): string[] {
  const walk: Walk = { removes: options.removes, paths: [] };
  visit(walk, value, schema, {
    path: '',
    isResource: options.isResource || isEmbedded(schema),
    keeps: keepsUnknown(schema),
  });
  return options.sorts === false ? walk.paths : walk.paths.sort(compareBytes);
}

/** The unknown fields of a value that stays as it is. */
export function findUnknownIn(value: Json, schema: JsonSchema, options: PruneOptions): string[] {
  return pruneUnknown(value, schema, { ...options, removes: false });
}

interface Walk {
  readonly removes: boolean;
  readonly paths: string[];
}

interface Visit {
  readonly path: string;
  readonly isResource: boolean;
  readonly keeps: boolean;
}

function visit(walk: Walk, value: Json, schema: JsonSchema | undefined, at: Visit): void {
  if (Array.isArray(value)) {
    const items = schema?.items;
    const keeps = at.keeps || keepsUnknown(items);
    for (const [index, element] of value.entries()) {
      const isResource = items !== undefined && isEmbedded(items);
      if (items !== undefined || !at.keeps)
        visit(walk, element, items, { path: `${at.path}[${index}]`, isResource, keeps });
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) visitField(walk, { value, key, schema, at });
  }
}

interface FieldVisit {
  readonly value: JsonObject;
  readonly key: string;
  readonly schema: JsonSchema | undefined;
  readonly at: Visit;
}

function visitField(walk: Walk, { value, key, schema, at }: FieldVisit): void {
  if (schema !== undefined && at.isResource && metaFields.has(key)) return;
  const path = at.path === '' ? key : `${at.path}.${key}`;
  const field = schema === undefined ? undefined : fieldSchema(schema, key);
  if (field !== undefined || schema?.additionalProperties !== undefined) {
    const isResource = field !== undefined && isEmbedded(field);
    visit(walk, value[key] as Json, field, { path, isResource, keeps: keepsUnknown(field) });
  } else if (!at.keeps) {
    walk.paths.push(path);
    if (walk.removes) delete value[key];
  }
}
