import { fieldSchema } from './correlate.ts';
import { goNumber } from './go-text.ts';
import { isJsonObject, type Json } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { isInteger } from './schema-types.ts';
import { timeFault } from './time-text.ts';

/**
 * Why a value cannot be decoded into the Go type that stands behind a built-in schema, in the words of Go's
 * encoding/json; undefined when it can. Built-in kinds and ObjectMeta answer this with 400 before any validation.
 */
export function decodeFault(value: Json, schema: JsonSchema): string | undefined {
  return faultOf(value, schema, { struct: '', path: '' });
}

/** Which struct field is being decoded: the innermost struct's name and the dotted path without indices. */
interface Target {
  readonly struct: string;
  readonly path: string;
}

function faultOf(value: Json, schema: JsonSchema, target: Target): string | undefined {
  if (value === null) return undefined;
  if (schema['x-go-type'] === 'resource.Quantity') return quantityFault(value);
  if (schema['x-kubernetes-int-or-string'] === true) return intOrStringFault(value, target);
  if (schema.format === 'date-time') {
    const needsMicroseconds = schema['x-go-type'] === 'v1.MicroTime';
    return typeof value === 'string' ? timeFault(value, { needsMicroseconds }) : mismatch(value, 'string', target);
  }
  if (schema.type === 'object') return objectFault(value, schema, target);
  if (schema.type === 'array') return arrayFault(value, schema, target);
  if (schema.type === 'integer') return integerFault(value, schema, target);
  const isMatch = schema.type === undefined || schema.type === typeof value;
  if (!isMatch) return mismatch(value, goTypeOf(schema), target);
  return schema.format === 'byte' && typeof value === 'string' ? base64Fault(value) : undefined;
}

function objectFault(value: Json, schema: JsonSchema, target: Target): string | undefined {
  if (!isJsonObject(value)) return mismatch(value, goTypeOf(schema), target);
  const struct = schema['x-go-type']?.replace(/^.*\./, '') ?? target.struct;
  for (const key of Object.keys(value)) {
    const field = fieldSchema(schema, key);
    const isProperty = Object.hasOwn(schema.properties ?? {}, key);
    const path = !isProperty ? target.path : target.path === '' ? key : `${target.path}.${key}`;
    const fault = field === undefined ? undefined : faultOf(value[key] as Json, field, { struct, path });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function arrayFault(value: Json, schema: JsonSchema, target: Target): string | undefined {
  if (!Array.isArray(value)) return mismatch(value, goTypeOf(schema), target);
  for (const element of value) {
    const fault = schema.items === undefined ? undefined : faultOf(element, schema.items, target);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function integerFault(value: Json, schema: JsonSchema, target: Target): string | undefined {
  if (typeof value !== 'number') return mismatch(value, goTypeOf(schema), target);
  const limit = schema.format === 'int32' ? 2 ** 31 : 2 ** 63;
  const fits = isInteger(value) && value >= -limit && value < limit;
  return fits ? undefined : mismatchOf(`number ${goNumber(value)}`, goTypeOf(schema), target);
}

function intOrStringFault(value: Json, target: Target): string | undefined {
  if (typeof value === 'string') return undefined;
  if (typeof value !== 'number') return mismatch(value, 'int32', target);
  const fits = Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
  return fits ? undefined : mismatchOf(`number ${goNumber(value)}`, 'int32', target);
}

// Go's own expression can split a row of digits anywhere; one that cannot reads the same texts without trying them all.
const quantitySource = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const quantity = /^[+-]?[0-9.]+((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/;
const suffix = /^(?:[eE][+-]?[0-9]+|[numkMGTPE]?|[KMGTPE]i)$/;

/** The longest text of a quantity. Go takes any length, and half a minute for the ones that fill a request. */
export const maxQuantityLength = 1000;

function quantityFault(value: Json): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length > maxQuantityLength) return `quantities may have at most ${maxQuantityLength} characters`;
  const parts = quantity.exec(text);
  if (parts === null) return `quantities must match the regular expression '${quantitySource}'`;
  return suffix.test(parts[1] ?? '') ? undefined : "unable to parse quantity's suffix";
}

/** Where Go's base64 decoder stops; line breaks are skipped. */
function base64Fault(text: string): string | undefined {
  const illegal = (index: number) => `illegal base64 data at input byte ${index}`;
  let filled = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\n' || char === '\r') continue;
    if (/[A-Za-z0-9+/]/.test(char)) {
      filled = (filled + 1) % 4;
      continue;
    }
    if (char !== '=' || filled < 2) return illegal(i);
    const rest = withoutLineEnds(text.slice(i + 1));
    if (filled === 2 && rest === '') return illegal(text.length);
    if (filled === 2 && !rest.startsWith('=')) return illegal(i + 1);
    const used = filled === 2 ? 1 : 0;
    return rest.length > used ? illegal(i + 1 + used) : undefined;
  }
  return filled === 0 ? undefined : illegal(text.length - filled);
}

// An expression for this would try every run of line breaks from each of its breaks.
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}

function mismatch(found: Json, wanted: string, target?: Target): string {
  return mismatchOf(jsonKind(found), wanted, target);
}

function mismatchOf(kind: string, wanted: string, target?: Target): string {
  const isField = target !== undefined && target.path !== '';
  const into = isField ? `Go struct field ${target.struct}.${target.path} of type` : 'Go value of type';
  return `json: cannot unmarshal ${kind} into ${into} ${wanted}`;
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goTypeOf(schema: JsonSchema): string {
  if (schema['x-go-type'] !== undefined) return schema['x-go-type'];
  if (schema.type === 'integer') return schema.format === 'int32' ? 'int32' : 'int64';
  if (schema.type === 'number') return 'float64';
  if (schema.type === 'boolean') return 'bool';
  if (schema.type === 'array') return `[]${schema.items === undefined ? 'interface {}' : goTypeOf(schema.items)}`;
  if (schema.format === 'date-time') return 'v1.Time';
  if (schema.type === 'object') return mapTypeOf(schema);
  return schema.format === 'byte' ? '[]uint8' : 'string';
}

function mapTypeOf(schema: JsonSchema): string {
  const values = schema.additionalProperties;
  return `map[string]${isJsonObject(values) ? goTypeOf(values as JsonSchema) : 'interface {}'}`;
}
