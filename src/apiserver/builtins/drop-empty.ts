import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';
import { keptWhenEmpty, omittedWhenZero, writtenAsNull } from './go-fields.ts';
import { canonicalQuantity } from './quantity.ts';

/**
 * Brings a decoded object into the form in which Kubernetes' own types are written: nulls and empty maps, lists and
 * texts of optional fields are left out, quantities and times are spelt one way. Empty structs stay, because their presence means something (`emptyDir: {}`).
 */
export function dropEmpty(value: JsonObject, schema: JsonSchema): void {
  const properties = schema.properties ?? {};
  const type = schema['x-go-type'] ?? '';
  const other = isJsonObject(schema.additionalProperties) ? (schema.additionalProperties as JsonSchema) : undefined;
  for (const key of Object.keys(value)) {
    const isField = Object.hasOwn(properties, key);
    const field = isField ? properties[key] : other;
    if (field === undefined) continue;
    const child = settled(value[key] ?? null, field);
    value[key] = child;
    if (child === null && !isField && field.type === 'string') value[key] = '';
    else if (child === null || (isField && isOmitted(child, key, schema, type))) delete value[key];
  }
}

/** Puts nulls where Kubernetes' own types write them: times and lists that are not there. */
export function writeNulls(value: Json, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) writeNulls(item, schema.items);
    return;
  }
  const { properties } = schema;
  if (!isJsonObject(value) || properties === undefined) return;
  for (const name of writtenAsNull[schema['x-go-type'] ?? ''] ?? []) {
    if (Object.hasOwn(properties, name) && !Object.hasOwn(value, name)) value[name] = null;
  }
  for (const key of Object.keys(value)) {
    const field = properties[key];
    if (field !== undefined && typeof value[key] === 'object') writeNulls(value[key] ?? null, field);
  }
}

/** The value in its one spelling; lists and objects are settled in place. */
function settled(value: Json, schema: JsonSchema): Json {
  if (isJsonObject(value)) {
    dropEmpty(value, schema);
    return value;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) for (const [i, item] of value.entries()) value[i] = settled(item, items);
    return value;
  }
  if (value === null) return value;
  if (schema['x-go-type'] === 'resource.Quantity') return canonicalQuantity(String(value));
  return schema.format === 'date-time' && typeof value === 'string' ? settledTime(value, schema) : value;
}

function settledTime(text: string, schema: JsonSchema): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  const whole = new Date(time).toISOString().slice(0, 19);
  if (schema['x-go-type'] !== 'v1.MicroTime') return `${whole}Z`;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${whole}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

function isOmitted(value: Json, key: string, schema: JsonSchema, type: string): boolean {
  if (value === 0 || value === false) return omittedWhenZero[type]?.includes(key) ?? false;
  // An empty list that is written as null when absent was given on purpose: whoever wrote it owns it.
  if ((schema.required?.includes(key) ?? false) || (writtenAsNull[type]?.includes(key) ?? false)) return false;
  if (Array.isArray(value)) return value.length === 0;
  const field = schema.properties?.[key] ?? {};
  if (isJsonObject(value)) {
    const isMap = field.properties === undefined && field.additionalProperties !== undefined;
    return isMap && Object.keys(value).length === 0;
  }
  const isText = value === '' && field.type === 'string' && field.format === undefined;
  return isText && !(keptWhenEmpty[type]?.includes(key) ?? false);
}
