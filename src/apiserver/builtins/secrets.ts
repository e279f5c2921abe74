import {
  type FieldError,
  invalidError,
  type JsonSchema,
  parseJson,
  requiredError,
  tooLongError,
} from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy, StrategyContext } from '../resource.ts';
import { configKeyFaults, immutableFaults } from './config-maps.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

const maxBytes = 1024 * 1024;

/** Types whose data must hold certain keys. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function applyDefaults(object: Secret): void {
  if ((object.type ?? '') === '') object.type = 'Opaque';
  if (object.stringData === undefined) return;
  const data = { ...object.data };
  for (const [key, value] of Object.entries(object.stringData)) data[key] = Buffer.from(value).toString('base64');
  if (Object.keys(data).length > 0) object.data = data;
  delete object.stringData;
}

function validate(object: Secret): FieldError[] {
  const errors: FieldError[] = [];
  const data = object.data ?? {};
  let total = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const fault of configKeyFaults(key)) errors.push(invalidError(`data[${key}]`, key, fault));
    total += Buffer.byteLength(value, 'base64');
  }
  if (total > maxBytes) errors.push(tooLongError('data', maxBytes));
  return [...errors, ...typeFaults(object, data)];
}

function typeFaults(object: Secret, data: Record<string, string>): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of requiredKeys[object.type ?? ''] ?? []) {
    if (!Object.hasOwn(data, key)) errors.push(requiredError(`data[${key}]`));
    else if (key.startsWith('.docker')) errors.push(...jsonFaults(`data[${key}]`, data[key] ?? ''));
  }
  if (
    object.type === 'kubernetes.io/basic-auth' &&
    !Object.hasOwn(data, 'username') &&
    !Object.hasOwn(data, 'password')
  ) {
    errors.push(requiredError('data[username]'), requiredError('data[password]'));
  }
  const account = object.metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
  if (object.type === 'kubernetes.io/service-account-token' && account === '') {
    errors.push(requiredError('metadata.annotations[kubernetes.io/service-account.name]'));
  }
  return errors;
}

function jsonFaults(field: string, base64: string): FieldError[] {
  const parsed = parseJson(Buffer.from(base64, 'base64').toString('utf8'));
  return 'error' in parsed ? [invalidError(field, '<secret contents redacted>', parsed.error)] : [];
}

function validateUpdate(object: Secret, old: Secret): FieldError[] {
  const errors: FieldError[] = [];
  if (object.type !== old.type) errors.push(invalidError('type', object.type ?? '', 'field is immutable'));
  if (old.immutable === true) errors.push(...immutableFaults(object, old, ['data']));
  return [...errors, ...validate(object)];
}

function warnOfBadPair(object: Secret, context: StrategyContext): void {
  const data = object.data ?? {};
  if (object.type !== 'kubernetes.io/tls' || !Object.hasOwn(data, 'tls.crt') || !Object.hasOwn(data, 'tls.key')) return;
  const certificate = Buffer.from(data['tls.crt'] ?? '', 'base64').toString('utf8');
  if (!certificate.includes('-----BEGIN CERTIFICATE-----')) {
    context.warn('tls: failed to find any PEM data in certificate input');
  }
}

const strategy: Strategy = {
  applyDefaults,
  validate,
  validateUpdate,
  prepareForCreate: (object, context) => warnOfBadPair(object, context),
  prepareForUpdate(object: Secret, old: Secret, context) {
    // A client that writes back what it read without the type keeps the type.
    if ((object.type ?? '') === '' && old.type !== undefined) object.type = old.type;
    warnOfBadPair(object, context);
  },
  selectableFields: { type: (object: Secret) => object.type ?? '' },
};

/** Secrets: encrypted on disk, never in a log. */
export function secrets(schema: JsonSchema): BuiltinResource {
  return {
    group: '',
    version: 'v1',
    resource: 'secrets',
    singular: 'secret',
    kind: 'Secret',
    namespaced: true,
    hasStatus: false,
    schema,
    strategy,
    table: {
      columns: [
        nameColumn,
        textColumn('Type', 'What the data is for.'),
        { name: 'Data', type: 'string', description: 'How many keys it holds.' },
        ageColumn,
      ],
      row: (object: Secret, now) => [
        object.metadata.name,
        object.type ?? '',
        Object.keys(object.data ?? {}).length,
        ageOf(object, now),
      ],
    },
  };
}
