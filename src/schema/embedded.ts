import { fieldSchema } from './correlate.ts';
import { type FieldError, formatFieldError, invalidError } from './field-error.ts';
import { compareBytes } from './go-text.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { dropEmptyMetadata, metadataFault, pruneMetadata } from './object-meta.ts';
import { validateEmbeddedResource } from './object-names.ts';

/** True when an embedded resource is somewhere below the schema. */
export function hasEmbedded(schema: JsonSchema): boolean {
  if (schema['x-kubernetes-embedded-resource'] === true) return true;
  if (schema.items !== undefined && hasEmbedded(schema.items)) return true;
  const additional = schema.additionalProperties;
  if (isJsonObject(additional) && hasEmbedded(additional as JsonSchema)) return true;
  return Object.values(schema.properties ?? {}).some(hasEmbedded);
}

type Visitor = (object: JsonObject, path: string) => void;

/** Calls the visitor with every embedded resource below a value. */
function visitEmbedded(value: Json, schema: JsonSchema | undefined, path: string, visitor: Visitor): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) visitEmbedded(element, schema.items, `${path}[${index}]`, visitor);
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema['x-kubernetes-embedded-resource'] === true) visitor(value, path);
  const properties = schema.properties ?? {};
  for (const key of Object.keys(value)) {
    const child = Object.hasOwn(properties, key) ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`;
    visitEmbedded(value[key] as Json, fieldSchema(schema, key), child, visitor);
  }
}

/** Why an embedded resource cannot be decoded (400), or undefined. */
export function embeddedFault(value: Json, schema: JsonSchema): string | undefined {
  let fault: string | undefined;
  visitEmbedded(value, schema, '', (object, path) => {
    fault ??= faultOf(object, path);
  });
  return fault;
}

function faultOf(object: JsonObject, path: string): string | undefined {
  const base = path === '' ? '' : `${path}.`;
  for (const key of ['apiVersion', 'kind']) {
    const value = object[key];
    if (value !== undefined && typeof value !== 'string') {
      return formatFieldError(invalidError(`${base}${key}`, value, 'must be a string'));
    }
  }
  const why = object.metadata === undefined ? undefined : metadataFault(object.metadata);
  return why === undefined ? undefined : formatFieldError(invalidError(`${base}metadata`, object.metadata, why));
}

/** The unknown metadata fields of embedded resources, sorted; removes them when told to. */
export function pruneEmbedded(value: Json, schema: JsonSchema, options: { readonly removes: boolean }): string[] {
  const paths: string[] = [];
  visitEmbedded(value, schema, '', (object, path) => {
    const metadata = object.metadata;
    if (!isJsonObject(metadata)) return;
    for (const field of pruneMetadata(metadata, options)) paths.push(`${path}.metadata.${field}`);
    if (options.removes) dropEmptyMetadata(metadata);
  });
  return paths.sort(compareBytes);
}

/** Checks apiVersion, kind and metadata of every embedded resource. */
export function validateEmbedded(value: Json, schema: JsonSchema): FieldError[] {
  const errors: FieldError[] = [];
  visitEmbedded(value, schema, '', (object, path) => errors.push(...validateEmbeddedResource(object, path)));
  return errors;
}
