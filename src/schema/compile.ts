import { compileCheck } from './check.ts';
import { Correlation } from './correlate.ts';
import { decodeFault } from './decode-fault.ts';
import { compileDefaults, dropNulls, hasNull } from './defaults.ts';
import { embeddedFault, hasEmbedded, pruneEmbedded, validateEmbedded } from './embedded.ts';
import { explain } from './explain.ts';
import { type FieldError, invalidError } from './field-error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileListTypes, explainListTypes } from './list-types.ts';
import { dropEmptyMetadata, metadataFault, pruneMetadata } from './object-meta.ts';
import { compileKnownFields, pruneUnknown } from './prune.ts';
import { compileRules, type ForgivenRule } from './rules.ts';

/** How a schema is to be read. */
export interface CompileOptions {
  /** `custom`: a CustomResourceDefinition's. `builtin`: one behind which a Go type stands in kube-apiserver. */
  readonly kind: 'custom' | 'builtin';
  /** The schema is that of a whole object, so apiVersion, kind and metadata belong to it unsaid. */
  readonly isRoot: boolean;
}

/** A schema made ready: every function walks only the parts of an object that have something to do for it. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /** Why the object cannot be decoded at all (an answer of 400), in Go's words; undefined when it can. */
  decodeFault(object: JsonObject): string | undefined;
  /** Fills defaults in place, after dropping nulls that no schema allows. */
  applyDefaults(object: JsonObject): void;
  /** Fills defaults in place and leaves nulls where they are, for objects that no client wrote as they stand. */
  fillDefaults(object: JsonObject): void;
  /** Removes unknown fields in place and lists them as the API server does: `spec.list[0].bar`. */
  prune(object: JsonObject): string[];
  /** The fields `prune` would remove. */
  findUnknown(object: JsonObject): string[];
  /** Mistakes against types, bounds, formats, list types and embedded resources. */
  validate(object: JsonObject): FieldError[];
  /** Mistakes against `x-kubernetes-validations`; transition rules need the old object. */
  validateRules(object: JsonObject, old: JsonObject | undefined): FieldError[];
  /** All mistakes of a new object: `validate`, then the rules unless a mistake makes them meaningless. */
  validateCreate(object: JsonObject): FieldError[];
  /** All mistakes of an update; those in fields that it leaves unchanged are forgiven. */
  validateUpdate(object: JsonObject, old: JsonObject, onForgiven?: ForgivenRule): FieldError[];
  /** The same for a write to the status subresource, which is checked below `status` only. */
  validateStatusUpdate(object: JsonObject, old: JsonObject, onForgiven?: ForgivenRule): FieldError[];
}

/** Compiles a schema once, for many objects. */
export function compileSchema(schema: JsonSchema, options: CompileOptions): CompiledSchema {
  const structure = compileStructure(schema, options);
  const validity = compileValidity(schema, options);
  return { schema, ...structure, ...validity };
}

type Structure = Pick<CompiledSchema, 'decodeFault' | 'applyDefaults' | 'fillDefaults' | 'prune' | 'findUnknown'>;

function compileStructure(schema: JsonSchema, options: CompileOptions): Structure {
  const fill = compileDefaults(schema);
  const hasOnlyKnown = compileKnownFields(schema, { isResource: options.isRoot });
  const embeds = hasEmbedded(schema);
  const unknown = (object: JsonObject, removes: boolean): string[] => {
    const metadata = options.isRoot ? object.metadata : undefined;
    let paths = metadata === undefined ? [] : pruneMetadata(metadata, { removes }).map((path) => `metadata.${path}`);
    if (removes && isJsonObject(metadata)) dropEmptyMetadata(metadata);
    if (hasOnlyKnown?.(object) === false) {
      const how = { isResource: options.isRoot, removes, sorts: options.kind === 'custom' };
      // More arguments than the stack holds can be unknown: not push(...).
      paths = paths.concat(pruneUnknown(object, schema, how));
    }
    if (embeds) paths = paths.concat(pruneEmbedded(object, schema, { removes }));
    return paths;
  };
  return {
    decodeFault: (object) => findDecodeFault(object, schema, { ...options, embeds }),
    applyDefaults: (object) => {
      if (hasNull(object)) dropNulls(object, schema);
      fill?.(object);
    },
    fillDefaults: (object) => fill?.(object),
    prune: (object) => unknown(object, true),
    findUnknown: (object) => unknown(object, false),
  };
}

function findDecodeFault(
  object: JsonObject,
  schema: JsonSchema,
  options: CompileOptions & { embeds: boolean },
): string | undefined {
  if (options.kind === 'builtin') return decodeFault(object, schema);
  const fault = options.isRoot && object.metadata !== undefined ? metadataFault(object.metadata) : undefined;
  if (fault !== undefined) return fault;
  return options.embeds ? embeddedFault(object, schema) : undefined;
}

type Validity = Pick<
  CompiledSchema,
  'validate' | 'validateRules' | 'validateCreate' | 'validateUpdate' | 'validateStatusUpdate'
>;

function compileValidity(schema: JsonSchema, options: CompileOptions): Validity {
  const run = compileRules(schema, { isRoot: options.isRoot });
  const validateRules = (object: JsonObject, old: JsonObject | undefined, onForgiven?: ForgivenRule) =>
    run?.(object, old, { ratchets: true, ...(onForgiven === undefined ? {} : { onForgiven }) }) ?? [];
  const withRules = (
    errors: FieldError[],
    object: JsonObject,
    old: JsonObject | undefined,
    onForgiven?: ForgivenRule,
  ): FieldError[] => {
    if (run === undefined) return errors;
    return hasBlocking(errors) ? [...errors, rulesNotChecked] : [...errors, ...validateRules(object, old, onForgiven)];
  };
  const values = compileValues(schema);
  const status = schema.properties?.status ?? {};
  const statusValues = compileValues(status);
  const embeds = hasEmbedded(schema);
  const lists = compileListTypes(schema);
  const isListed = (object: JsonObject) => lists === undefined || lists(object);
  const extra = (object: JsonObject, old: JsonObject | undefined): FieldError[] => {
    if (isListed(object) || (old !== undefined && !isListed(old))) return [];
    return explainListTypes(object, schema);
  };
  const validate = (object: JsonObject): FieldError[] => [
    ...values(object, undefined, ''),
    ...(embeds ? validateEmbedded(object, schema) : []),
    ...extra(object, undefined),
  ];
  return {
    validate,
    validateRules,
    validateCreate: (object) => withRules(validate(object), object, undefined),
    validateUpdate: (object, old, onForgiven) => {
      const errors = [
        ...values(object, new Correlation(schema, object, old), ''),
        ...(embeds ? validateEmbedded(object, schema) : []),
        ...extra(object, old),
      ];
      return withRules(errors, object, old, onForgiven);
    },
    validateStatusUpdate: (object, old, onForgiven) => {
      const value = object.status;
      const correlation = new Correlation(schema, object, old).field('status');
      const errors = value === undefined ? [] : statusValues(value, correlation, 'status');
      return withRules([...errors, ...extra(object, old)], object, old, onForgiven);
    },
  };
}

type ValueErrors = (value: Json, old: Correlation | undefined, prefix: string) => FieldError[];

function compileValues(schema: JsonSchema): ValueErrors {
  const isValid = compileCheck(schema);
  return (value, old, prefix) => {
    if (isValid === undefined || isValid(value)) return [];
    return explain(value, schema, { prefix, old });
  };
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function hasBlocking(errors: readonly FieldError[]): boolean {
  return errors.some((error) => blocking.has(error.reason));
}

// Rules may rely on types, required fields and bounds, so they are not run on objects that break those.
const rulesNotChecked = invalidError(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
