import {
  type Static,
  type TArrayOptions,
  type TNumberOptions,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox';
import type { JsonSchema } from '../schema/index.ts';

/** Options every schema helper takes beyond those of JSON Schema. */
export type SchemaOptions = Omit<
  JsonSchema,
  'type' | 'properties' | 'items' | 'required' | 'enum' | 'exclusiveMinimum' | 'exclusiveMaximum'
>;

/** A string. */
export function Text(description: string, options: SchemaOptions = {}) {
  return Type.String({ description, ...options } as TStringOptions);
}

/** A boolean. */
export function Flag(description: string, options: SchemaOptions = {}) {
  return Type.Boolean({ description, ...options } as TSchemaOptions);
}

/** An integer. */
export function Whole(description: string, options: SchemaOptions = {}) {
  return Type.Integer({ description, ...options } as TNumberOptions);
}

/** A number that need not be whole. */
export function Real(description: string, options: SchemaOptions = {}) {
  return Type.Number({ description, ...options } as TNumberOptions);
}

/** An object with named fields; wrap the ones that may be left out in `Type.Optional`. */
export function Struct<P extends TProperties>(properties: P, options: SchemaOptions = {}): TObject<P> {
  return Type.Object(properties, options as TObjectOptions);
}

/** A list that is replaced as a whole. */
export function List<T extends TSchema>(item: T, options: SchemaOptions = {}) {
  return Type.Array(item, options as TArrayOptions);
}

/** A string that is one of the given values. */
export function StringEnum<const V extends readonly string[]>(values: V, options: SchemaOptions = {}) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options } as TSchema);
}

/** An RFC 3339 time. */
export function Time(options: SchemaOptions = {}) {
  return Type.String({ format: 'date-time', ...options } as TStringOptions);
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
  } as TArrayOptions);
}

/** A list of unique scalars, owned item by item. */
export function ListSet<T extends TSchema>(item: T, options: SchemaOptions = {}) {
  return Type.Array(item, { 'x-kubernetes-list-type': 'set', ...options } as TArrayOptions);
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

/** The same schema that also takes null. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, nullable: true } as TSchema);
}

/**
 * The same shape, described (and if need be narrowed) for the place where it is used. The copy leaves out TypeBox's
 * hidden marks, so wrap the result in `Type.Optional`, not the argument.
 */
export function describe<T extends TSchema>(schema: T, description: string, options: SchemaOptions = {}): T {
  return { ...schema, description, ...options } as T;
}
