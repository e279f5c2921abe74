import { type Static, type TSchema, Type } from 'typebox';
import type { JsonSchema, ValidationRule } from '../schema/index.ts';

/** A printer column of a kind, as `kubectl get` shows it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 1: only with `-o wide`. */
  readonly priority?: number;
}

/** One served version of a kind. */
export interface KindVersion<Spec extends TSchema = TSchema, Status extends TSchema = TSchema> {
  readonly version: string;
  readonly storage: boolean;
  readonly served?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly spec?: Spec;
  readonly status?: Status;
  /** Schema parts at the root that are neither spec nor status (e.g. `data`). */
  readonly extra?: Record<string, TSchema>;
  /** Which of the root properties must be there: `['spec']`. */
  readonly required?: readonly string[];
  /** CEL rules on the whole object. */
  readonly rules?: readonly ValidationRule[];
  readonly hasStatusSubresource: boolean;
  readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
}

/** A kind, declared once: type, validator, CRD and reference page come from this value. */
export interface KindDeclaration {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly versions: readonly KindVersion[];
}

/** Keeps the literal types of a declaration while checking its shape. */
export function declareKind<const K extends KindDeclaration>(kind: K): K {
  return kind;
}

/** Options every schema helper takes beyond those of JSON Schema. */
export type SchemaOptions = Omit<JsonSchema, 'type' | 'properties' | 'items' | 'required' | 'enum'>;

/** A string that is one of the given values. */
export function StringEnum<const V extends readonly string[]>(values: V, options: SchemaOptions = {}) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options } as TSchema);
}

/** An RFC 3339 time. */
export function Time(options: SchemaOptions = {}) {
  return Type.String({ format: 'date-time', ...options } as object);
}

/** An integer or a string, as ports and percentages are. */
export function IntOrString(options: SchemaOptions = {}) {
  return Type.Unsafe<number | string>({ 'x-kubernetes-int-or-string': true, ...options } as TSchema);
}

/** A list merged by the given keys under server-side apply. */
export function ListMap<T extends TSchema>(item: T, keys: readonly string[], options: SchemaOptions = {}) {
  return Type.Array(item, {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
    ...options,
  } as object);
}

/** A list of unique scalars, owned item by item. */
export function ListSet<T extends TSchema>(item: T, options: SchemaOptions = {}) {
  return Type.Array(item, { 'x-kubernetes-list-type': 'set', ...options } as object);
}

/** A string-to-T map. */
export function MapOf<T extends TSchema>(value: T, options: SchemaOptions = {}) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: value,
    ...options,
  } as TSchema);
}

/** An object whose fields the server does not know and keeps. */
export function AnyObject(options: SchemaOptions = {}) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    ...options,
  } as TSchema);
}
