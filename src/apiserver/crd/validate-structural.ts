import {
  compareBytes,
  compilePattern,
  equalJson,
  type FieldError,
  forbiddenError,
  formatFieldError,
  invalidError,
  isJsonObject,
  type Json,
  type JsonSchema,
  requiredError,
} from '../../schema/index.ts';

type Level = 'root' | 'item' | 'field';

/** Checks that a schema says the whole structure outside its logical junctors, so that pruning and defaults can rely on it. */
export function validateStructural(schema: JsonSchema, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, { schema, path }, path)];
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  return errors.sort((a, b) => compareBytes(texts.get(a) ?? '', texts.get(b) ?? ''));
}

function invariants(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type === 'array' && schema.items === undefined)
    errors.push(requiredError(`${path}.items`, 'must be specified'));
  if (schema.items !== undefined) errors.push(...invariants(schema.items, 'item', `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...invariants(property, 'field', `${path}.properties[${name}]`));
  }
  const additional = schema.additionalProperties;
  if (additional !== undefined) {
    const at = `${path}.additionalProperties`;
    if (level === 'root') errors.push(forbiddenError(at, 'must not be used at the root'));
    if (isJsonObject(additional)) errors.push(...invariants(additional as JsonSchema, 'field', at));
  }
  return [
    ...errors,
    ...extensionErrors(schema, path),
    ...junctorErrors(schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf)),
    ...typeErrors(schema, level, path),
    ...metaErrors(schema, level, path),
  ];
}

function extensionErrors(schema: JsonSchema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const names = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const;
  const set = names.filter((name) => schema[name] === true);
  return set.map((name) =>
    invalidError(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'),
  );
}

const emptyTypeWords: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? '';
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isEmbedded && type !== 'object') {
    const words = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? requiredError(`${path}.type`, words) : invalidError(`${path}.type`, type, words));
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !isOpen) {
    errors.push(requiredError(`${path}.type`, emptyTypeWords[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const words = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbiddenError(`${path}.additionalProperties`, words));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidError(`${path}.type`, type, 'must be object at the root'));
  }
  if (isEmbedded && !isOpen && Object.keys(schema.properties ?? {}).length === 0) {
    const words =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(requiredError(`${path}.properties`, words));
  }
  return errors;
}

function metaErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const properties = schema.properties ?? {};
  for (const name of ['kind', 'apiVersion']) {
    const type = properties[name]?.type ?? '';
    if (isResource && properties[name] !== undefined && type !== 'string') {
      errors.push(invalidError(`${path}.properties[${name}].type`, type, 'must be string'));
    }
  }
  const metadata = properties.metadata;
  if (metadata === undefined) return errors;
  const at = `${path}.properties[metadata]`;
  if (isResource && metadata.type !== 'object')
    errors.push(invalidError(`${at}.type`, metadata.type ?? '', 'must be object'));
  if (level === 'root' && !restrictsOnlyNames(metadata)) {
    const words = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenError(at, words));
  }
  return errors;
}

function restrictsOnlyNames(metadata: JsonSchema): boolean {
  const { type: _type, default: _default, properties = {}, example: _example, ...rest } = metadata;
  const isBare = Object.values(rest).every((value) => isZero(value as Json));
  return isBare && Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
}

function isZero(value: Json | undefined): boolean {
  return value === undefined || value === null || value === false || value === '';
}

const intOrString: JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

function isIntOrString(branches: JsonSchema[] | undefined): boolean {
  return branches !== undefined && equalJson(branches as unknown as Json, intOrString as unknown as Json);
}

// `anyOf: [integer, string]` may name types, alone or first in allOf, because int-or-string needs it to.
function junctorErrors(schema: JsonSchema, path: string, skipsAnyOf: boolean, skipsFirstAllOf: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipsAnyOf)
    for (const [i, part] of (schema.anyOf ?? []).entries()) errors.push(...nested(part, `${path}.anyOf[${i}]`));
  for (const [i, part] of (schema.allOf ?? []).entries()) {
    errors.push(...nested(part, `${path}.allOf[${i}]`, skipsFirstAllOf && i === 0));
  }
  for (const [i, part] of (schema.oneOf ?? []).entries()) errors.push(...nested(part, `${path}.oneOf[${i}]`));
  if (schema.not !== undefined) errors.push(...nested(schema.not, `${path}.not`));
  if (schema.pattern !== undefined && schema.pattern !== '') {
    const pattern = compilePattern(schema.pattern);
    if ('error' in pattern) {
      const words = `must be a valid regular expression, but isn't: ${pattern.error}`;
      errors.push(invalidError(`${path}.pattern`, schema.pattern, words));
    }
  }
  return errors;
}

/** What a branch of a junctor may not say, because it belongs to the structure. */
const forbiddenInBranches: readonly { name: keyof JsonSchema; words: string }[] = [
  { name: 'type', words: 'must be empty to be structural' },
  { name: 'additionalProperties', words: 'must be undefined to be structural' },
  { name: 'default', words: 'must be undefined to be structural' },
  { name: 'title', words: 'must be empty to be structural' },
  { name: 'description', words: 'must be empty to be structural' },
  { name: 'nullable', words: 'must be false to be structural' },
  { name: 'x-kubernetes-preserve-unknown-fields', words: 'must be false to be structural' },
  { name: 'x-kubernetes-embedded-resource', words: 'must be false to be structural' },
  { name: 'x-kubernetes-int-or-string', words: 'must be false to be structural' },
  { name: 'x-kubernetes-list-map-keys', words: 'must be empty to be structural' },
  { name: 'x-kubernetes-list-type', words: 'must be undefined to be structural' },
  { name: 'x-kubernetes-map-type', words: 'must be undefined to be structural' },
  { name: 'x-kubernetes-validations', words: 'must be empty to be structural' },
];

function nested(schema: JsonSchema, path: string, skipsAnyOf = false): FieldError[] {
  const errors = junctorErrors(schema, path, skipsAnyOf, false);
  if (schema.items !== undefined) errors.push(...nested(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...nested(property, `${path}.properties[${name}]`));
  }
  for (const { name, words } of forbiddenInBranches) {
    const value = schema[name] as Json | undefined;
    const isEmpty = isZero(value) || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) errors.push(forbiddenError(`${path}.${name}`, words));
  }
  if (schema.properties?.metadata !== undefined) {
    errors.push(forbiddenError(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
  return errors;
}

interface Spine {
  readonly schema: JsonSchema | undefined;
  readonly path: string;
}

// Everything a branch looks at must exist on the spine of the schema.
function completeness(branch: JsonSchema, spine: Spine, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (branch.not !== undefined) errors.push(...nestedCompleteness(branch.not, spine, `${path}.not`));
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, part] of (branch[name] ?? []).entries()) {
      errors.push(...nestedCompleteness(part, spine, `${path}.${name}[${i}]`));
    }
  }
  return errors;
}

function nestedCompleteness(branch: JsonSchema, spine: Spine, path: string): FieldError[] {
  if (spine.schema === undefined) return [requiredError(spine.path, `because it is defined in ${path}`)];
  const errors = completeness(branch, spine, path);
  if (branch.items !== undefined) {
    const items = { schema: spine.schema.items, path: `${spine.path}.items` };
    errors.push(...nestedCompleteness(branch.items, items, `${path}.items`));
  }
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const field = { schema: spine.schema.properties?.[name], path: `${spine.path}.properties[${name}]` };
    errors.push(...nestedCompleteness(property, field, `${path}.properties[${name}]`));
  }
  return errors;
}
