import {
  type FieldError,
  forbiddenError,
  invalidError,
  isJsonObject,
  type JsonSchema,
  tooLongError,
} from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { ageColumn, ageOf, nameColumn } from './table.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

const maxBytes = 1024 * 1024;
const keyPattern = '[-._a-zA-Z0-9]+';

/** What is wrong with a key of a ConfigMap or Secret. */
export function configKeyFaults(key: string): string[] {
  const faults: string[] = [];
  if (key.length > 253) faults.push('must be no more than 253 characters');
  if (!new RegExp(`^${keyPattern}$`).test(key)) {
    faults.push(
      `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${keyPattern}')`,
    );
  }
  if (key === '.' || key === '..' || key.startsWith('..'))
    faults.push(key.length <= 2 ? `must not be '${key}'` : "must not start with '..'");
  return faults;
}

function validate(object: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  const data = object.data ?? {};
  const binary = object.binaryData ?? {};
  let total = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const fault of configKeyFaults(key)) errors.push(invalidError(`data[${key}]`, key, fault));
    if (Object.hasOwn(binary, key))
      errors.push(invalidError(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    total += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binary)) {
    for (const fault of configKeyFaults(key)) errors.push(invalidError(`binaryData[${key}]`, key, fault));
    total += Buffer.byteLength(value, 'base64');
  }
  if (total > maxBytes) errors.push(tooLongError('[]', maxBytes));
  return errors;
}

function validateUpdate(object: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable === true) errors.push(...immutableFaults(object, old, ['data', 'binaryData']));
  return [...errors, ...validate(object)];
}

/** What an object marked immutable may not change any more. */
export function immutableFaults(object: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  const detail = 'field is immutable when `immutable` is set';
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbiddenError('immutable', detail));
  for (const field of fields) {
    if (JSON.stringify(sorted(object[field])) !== JSON.stringify(sorted(old[field])))
      errors.push(forbiddenError(field, detail));
  }
  return errors;
}

function sorted(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const strategy: Strategy = { validate, validateUpdate };

/** ConfigMaps. */
export function configMaps(schema: JsonSchema): BuiltinResource {
  return {
    group: '',
    version: 'v1',
    resource: 'configmaps',
    singular: 'configmap',
    kind: 'ConfigMap',
    namespaced: true,
    shortNames: ['cm'],
    hasStatus: false,
    schema,
    strategy,
    table: {
      columns: [nameColumn, { name: 'Data', type: 'string', description: 'How many keys it holds.' }, ageColumn],
      row: (object, now) => [object.metadata.name, keyCount(object), ageOf(object, now)],
    },
  };
}

function keyCount(object: ConfigMap): number {
  return Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length;
}
