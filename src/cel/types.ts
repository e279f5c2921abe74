import { isReservedName } from './field-names.ts';

/** What a schema adds to a type: how its JSON is read and how large it can get. CEL's own types carry none of it. */
export interface SchemaTraits {
  /** A JSON null is a value of this type. */
  readonly nullable?: boolean;
  /** The most elements, entries or bytes a value can have; what the cost estimate multiplies by. */
  readonly maxSize?: number;
  /** The fewest bytes a value takes as JSON. */
  readonly minSize?: number;
  /** A timestamp written as a full date, without the time. */
  readonly dateOnly?: boolean;
  /** The type keyword of the schema, for messages about values that do not fit it. */
  readonly intOrString?: boolean;
}

/** The kinds that have no parts. `any` is what CEL calls a value of unknown message type; it behaves as `dyn`. */
export type SimpleKind =
  | 'int'
  | 'uint'
  | 'double'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'null'
  | 'dyn'
  | 'any'
  | 'error';

/** A list; the list type says how two of them compare and merge. */
export interface ListType extends SchemaTraits {
  readonly kind: 'list';
  readonly element: CelType;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
}

/** A map from keys to values of one type each. */
export interface MapType extends SchemaTraits {
  readonly kind: 'map';
  readonly key: CelType;
  readonly value: CelType;
}

/** An object whose fields are known; the names are escaped CEL identifiers. */
export interface ObjectType extends SchemaTraits {
  readonly kind: 'object';
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelType>;
}

/** A type as the checker sees it, and as the evaluator reads JSON with it. */
export type CelType =
  | ({ readonly kind: SimpleKind } & SchemaTraits)
  | ListType
  | MapType
  | ObjectType
  | ({ readonly kind: 'optional'; readonly value: CelType } & SchemaTraits)
  | ({ readonly kind: 'type'; readonly of?: CelType } & SchemaTraits)
  | ({ readonly kind: 'opaque'; readonly name: string } & SchemaTraits)
  | ({ readonly kind: 'param'; readonly name: string } & SchemaTraits);

/** The type of a field by its escaped name; a keyword may also be written as it is. */
export function fieldType({ fields }: ObjectType, name: string): CelType | undefined {
  return fields.get(name) ?? (isReservedName(name) ? fields.get(`__${name}__`) : undefined);
}

/** The types without parts, by name. */
export const simpleTypes = {
  int: { kind: 'int' },
  uint: { kind: 'uint' },
  double: { kind: 'double' },
  bool: { kind: 'bool' },
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  duration: { kind: 'duration' },
  timestamp: { kind: 'timestamp' },
  null: { kind: 'null' },
  dyn: { kind: 'dyn' },
  any: { kind: 'any' },
  error: { kind: 'error' },
} as const satisfies Record<SimpleKind, CelType>;

/** The types a type is made of, in order. */
export function typeParameters(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'map':
      return [type.key, type.value];
    case 'optional':
      return [type.value];
    case 'type':
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

/** True for the types that agree with every other: dyn and any. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** True for dyn and for the type of an expression that already has an error. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error';
}

/** True when both are the same type, parameters included. */
export function isExactType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'object' || a.kind === 'opaque' || a.kind === 'param') return a.name === (b as { name: string }).name;
  const left = typeParameters(a);
  const right = typeParameters(b);
  return left.length === right.length && left.every((type, i) => isExactType(type, right[i] as CelType));
}

const runtimeNames: Partial<Record<CelType['kind'], string>> = {
  null: 'null_type',
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
  optional: 'optional_type',
};

/** The name a value of this type has at run time, which is what `type(x)` compares. */
export function runtimeTypeName(type: CelType): string {
  if (type.kind === 'object') return 'map';
  if (type.kind === 'opaque') return type.name;
  return runtimeNames[type.kind] ?? type.kind;
}

/** The type as it is printed in compile errors. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'error':
      return '!error!';
    case 'object':
    case 'opaque':
    case 'param':
      return type.name;
    case 'optional':
      return `optional_type(${formatType(type.value)})`;
    default: {
      const parameters = typeParameters(type);
      return parameters.length === 0 ? type.kind : `${type.kind}(${parameters.map(formatType).join(', ')})`;
    }
  }
}
