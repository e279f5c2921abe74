import { escapeFieldName } from './field-names.ts';
import { type CelType, simpleTypes } from './types.ts';

/** What of a structural schema decides its CEL type. */
export interface SchemaShape {
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly maxLength?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, SchemaShape>> | undefined;
  readonly additionalProperties?: SchemaShape | boolean | undefined;
  readonly items?: SchemaShape | undefined;
  readonly 'x-kubernetes-embedded-resource'?: boolean | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map' | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
}

/** The largest request, in bytes, that bounds what no schema bounds. */
export const maxRequestBytes = 3 * 1024 * 1024;

/** The fewest and most bytes of the scalar types as JSON. */
const sizes = { string: 2, number: 1, bool: 4, duration: 3, date: 12, dateTime: 21, maxTime: 32 } as const;

/**
 * The type that rules see for a schema, or undefined when they cannot see it. At the root of a resource apiVersion,
 * kind, metadata.name and metadata.generateName are always there.
 */
export function celTypeOfSchema(
  schema: SchemaShape,
  { root, name = 'selfType' }: { root: boolean; name?: string },
): CelType | undefined {
  const nullable = schema.nullable === true ? { nullable: true } : {};
  if (schema['x-kubernetes-int-or-string'] === true) {
    const maxSize = schema.maxLength === undefined ? maxRequestBytes - 2 : maxBytes(schema.maxLength);
    return { kind: 'dyn', intOrString: true, minSize: 1, maxSize, ...nullable };
  }
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return objectOrMapType(root ? withObjectMeta(schema) : schema, name);
    case 'string':
      return { ...stringType(schema), ...nullable };
    case 'boolean':
      return { ...simpleTypes.bool, minSize: sizes.bool, maxSize: 0, ...nullable };
    case 'number':
      return { ...simpleTypes.double, minSize: sizes.number, maxSize: 0, ...nullable };
    case 'integer':
      return { ...simpleTypes.int, minSize: sizes.number, maxSize: 0, ...nullable };
    default:
      return undefined;
  }
}

function nested(schema: SchemaShape, name: string): CelType | undefined {
  return celTypeOfSchema(schema, { root: schema['x-kubernetes-embedded-resource'] === true, name });
}

function listType(schema: SchemaShape, name: string): CelType | undefined {
  const element = schema.items === undefined ? undefined : nested(schema.items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return {
    kind: 'list',
    element,
    ...(listType === undefined ? {} : { listType }),
    ...(keys === undefined ? {} : { keys }),
    ...(schema.nullable === true ? { nullable: true } : {}),
    minSize: 2,
    maxSize: atLeastZero(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / ((element.minSize ?? 1) + 1)),
  };
}

function objectOrMapType(schema: SchemaShape, name: string): CelType | undefined {
  const { additionalProperties } = schema;
  const nullable = schema.nullable === true ? { nullable: true } : {};
  if (typeof additionalProperties === 'object') {
    const value = nested(additionalProperties, `${name}.@elem`);
    if (value === undefined) return undefined;
    const maxSize = atLeastZero(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / ((value.minSize ?? 1) + 6));
    return { kind: 'map', key: simpleTypes.string, value, minSize: 2, maxSize, ...nullable };
  }
  const fields = new Map<string, CelType>();
  let minSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeFieldName(property);
    const type = nested(propertySchema, `${name}.${escaped ?? property}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    const mustBeSent = schema.required?.includes(property) === true && propertySchema.default === undefined;
    if (mustBeSent) minSize += Buffer.byteLength(property) + (type.minSize ?? 0) + 4;
  }
  return { kind: 'object', name, fields, minSize, maxSize: 0, ...nullable };
}

function stringType(schema: SchemaShape): CelType {
  const maxLength = atLeastZero(schema.maxLength);
  switch (schema.format) {
    case 'byte':
      return { kind: 'bytes', minSize: sizes.string, maxSize: maxLength ?? maxRequestBytes - 2 };
    case 'duration':
      return { kind: 'duration', minSize: sizes.duration, maxSize: sizes.maxTime };
    case 'date':
      return { kind: 'timestamp', dateOnly: true, minSize: sizes.date, maxSize: sizes.date };
    case 'date-time':
      return { kind: 'timestamp', minSize: sizes.dateTime, maxSize: sizes.maxTime };
    default: {
      const maxSize = maxLength === undefined ? longestEnum(schema.enum) : maxBytes(maxLength);
      return { kind: 'string', minSize: sizes.string, maxSize };
    }
  }
}

// Lengths count characters, of up to four bytes each.
function maxBytes(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function longestEnum(values: readonly unknown[] | undefined): number {
  if (values === undefined || values.length === 0) return maxRequestBytes - 2;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value);
}

function withObjectMeta(schema: SchemaShape): SchemaShape {
  const string: SchemaShape = { type: 'string' };
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const named = metadata?.properties;
  const isComplete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    named?.name?.type === 'string' &&
    named.generateName?.type === 'string';
  if (isComplete) return schema;
  const meta: SchemaShape = { type: 'object', properties: { name: string, generateName: string } };
  return { ...schema, properties: { ...schema.properties, kind: string, apiVersion: string, metadata: meta } };
}
