import {
  duplicateError,
  type FieldError,
  invalidError,
  type JsonSchema,
  requiredError,
  resolveFieldPath,
  tooManyError,
} from '../../schema/index.ts';
import type { CrdColumn, CrdVersion } from './crd-object.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const maxSelectableFields = 8;

/** Checks printer columns. */
export function validateColumns(columns: readonly CrdColumn[], path: string): FieldError[] {
  return columns.flatMap((column, index) => validateColumn(column, `${path}[${index}]`));
}

function validateColumn(column: Partial<CrdColumn>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  if (name === '') errors.push(requiredError(`${path}.name`));
  const types = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(requiredError(`${path}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(invalidError(`${path}.type`, type, types));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalidError(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  if (jsonPath === '') errors.push(requiredError(`${path}.JSONPath`));
  else errors.push(...simplePathErrors(jsonPath, `${path}.JSONPath`));
  return errors;
}

function simplePathErrors(text: string, path: string): FieldError[] {
  return text.startsWith('.') ? [] : [invalidError(path, text, 'must be a simple json path starting with .')];
}

/** Checks where the scale subresource finds its numbers. */
export function validateSubresources(subresources: CrdVersion['subresources'], path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined || scale === null) return [];
  const errors: FieldError[] = [];
  const required: [string, string | undefined, string][] = [
    ['specReplicasPath', scale.specReplicasPath, '.spec'],
    ['statusReplicasPath', scale.statusReplicasPath, '.status'],
  ];
  for (const [name, value = '', parent] of required) {
    const at = `${path}.scale.${name}`;
    if (value === '') errors.push(requiredError(at));
    else
      errors.push(...replicasErrors(value, at, { parents: [parent], words: `should be a json path under ${parent}` }));
  }
  const selector = scale.labelSelectorPath ?? '';
  if (selector !== '') {
    const rule = { parents: ['.spec', '.status'], words: 'should be a json path under either .spec or .status' };
    errors.push(...replicasErrors(selector, `${path}.scale.labelSelectorPath`, rule));
  }
  return errors;
}

function replicasErrors(value: string, path: string, rule: { parents: string[]; words: string }): FieldError[] {
  const errors = simplePathErrors(value, path);
  if (errors.length > 0 || rule.parents.some((parent) => value.startsWith(`${parent}.`))) return errors;
  return [invalidError(path, value, rule.words)];
}

/** Checks the fields that field selectors may name. */
export function validateSelectableFields(
  fields: readonly { jsonPath?: string }[],
  schema: JsonSchema,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(requiredError(at));
      continue;
    }
    const found = resolveFieldPath(jsonPath, schema, { allowsBrackets: false });
    if ('error' in found) {
      errors.push(invalidError(at, jsonPath, `is an invalid path: ${found.error}`));
      continue;
    }
    if (found.root === 'metadata') errors.push(invalidError(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const words =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidError(at, jsonPath, words));
    }
    if (seen.has(found.path)) errors.push(duplicateError(at, jsonPath));
    seen.add(found.path);
  }
  if (seen.size > maxSelectableFields) errors.push(tooManyError(path, seen.size, maxSelectableFields));
  return errors;
}

/** Checks the warning of a deprecated version. */
export function validateDeprecation(version: CrdVersion, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (warning === undefined || warning === null) return [];
  const at = `${path}.deprecationWarning`;
  if (version.deprecated !== true) return [invalidError(at, warning, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(warning) > 256) errors.push(invalidError(at, warning, 'must be <= 256 characters long'));
  if (warning === '') errors.push(invalidError(at, warning, 'must not be an empty string'));
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (bad !== null) {
    const index = Buffer.byteLength(warning.slice(0, bad.index));
    const words = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
    errors.push(invalidError(at, warning, words));
  }
  return errors;
}
