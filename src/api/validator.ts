import { type CompiledSchema, compileSchema, type FieldError, type JsonObject } from '../schema/index.ts';
import type { KindDeclaration } from './declare.ts';
import { schemaOf } from './to-crd.ts';

/** One write, as an API server would see it. */
export interface Write {
  readonly object: JsonObject;
  /** What is stored now; nothing for a create. */
  readonly old?: JsonObject;
  /** The write goes to the status subresource, which takes nothing but `status`. */
  readonly isStatusWrite?: boolean;
}

/** What comes of a write: what would be stored, which fields nobody knows, and what is wrong. */
export interface Judgement {
  readonly object: JsonObject;
  readonly unknownFields: readonly string[];
  readonly errors: readonly FieldError[];
}

/** The validator of one version of a kind. Compiling takes a while: keep it. */
export function validatorOf(kind: KindDeclaration, version: string): CompiledSchema {
  const declared = kind.versions.find((one) => one.version === version);
  if (declared === undefined) throw new Error(`${kind.kind} has no version ${version}`);
  return compileSchema(schemaOf(kind, declared), { kind: 'custom', isRoot: true });
}

/** Does to a write what an API server does before it stores it: subresource, pruning, defaults, validation. */
export function judge(validator: CompiledSchema, write: Write): Judgement {
  const object = structuredClone(merged(validator, write));
  const unknownFields = validator.prune(object);
  validator.applyDefaults(object);
  return { object, unknownFields, errors: errorsOf(validator, { ...write, object }) };
}

function errorsOf(validator: CompiledSchema, { object, old, isStatusWrite }: Write): FieldError[] {
  if (old === undefined) return validator.validateCreate(object);
  return isStatusWrite === true ? validator.validateStatusUpdate(object, old) : validator.validateUpdate(object, old);
}

function merged(validator: CompiledSchema, { object, old, isStatusWrite }: Write): JsonObject {
  if (validator.schema.properties?.status === undefined) return object;
  if (isStatusWrite === true) return withStatus(old ?? object, object);
  return old === undefined ? withStatus(object, {}) : withStatus(object, old);
}

function withStatus(object: JsonObject, source: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return source.status === undefined ? rest : { ...rest, status: source.status };
}
