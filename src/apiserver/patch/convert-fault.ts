import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';

/**
 * Why a strategically merged object cannot be turned back into the Go type that stands behind a built-in schema, in
 * the words of Kubernetes' converter, which differ from those of a JSON decoder; undefined when it can.
 */
export function convertFault(value: Json, schema: JsonSchema): string | undefined {
  if (value === null || schema['x-kubernetes-int-or-string'] === true || schema.format === 'date-time')
    return undefined;
  switch (schema.type) {
    case 'object':
      return isJsonObject(value) ? objectFault(value, schema) : `cannot restore ${shapeOf(schema)} ${kindOf(value)}`;
    case 'array':
      return Array.isArray(value) ? itemsFault(value, schema) : `cannot restore slice from ${kindOf(value)}`;
    case 'string':
      return schema.format === 'byte' ? undefined : textFault(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool';
    case 'integer':
      return integerFault(value, schema.format ?? 'int64');
    default:
      return undefined;
  }
}

function shapeOf(schema: JsonSchema): string {
  return schema.properties === undefined ? 'map from' : 'struct from:';
}

function objectFault(value: JsonObject, schema: JsonSchema): string | undefined {
  const other = isJsonObject(schema.additionalProperties) ? (schema.additionalProperties as JsonSchema) : undefined;
  for (const [key, child] of Object.entries(value)) {
    const field = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : other;
    const fault = field === undefined ? undefined : convertFault(child, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function itemsFault(value: Json[], { items }: JsonSchema): string | undefined {
  if (items === undefined) return undefined;
  for (const item of value) {
    const fault = convertFault(item, items);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Go can convert a whole number to a text, and so it says that it will not; of all else it knows nothing. */
function textFault(value: Json): string | undefined {
  if (typeof value === 'string') return undefined;
  return kindOf(value) === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string';
}

function integerFault(value: Json, type: string): string | undefined {
  if (typeof value !== 'number') return `unrecognized type: ${type}`;
  return Number.isInteger(value) ? undefined : `cannot convert float64 to ${type}`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}
