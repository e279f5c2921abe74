import {
  type FieldError,
  forbiddenError,
  invalidError,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  notSupportedError,
  requiredError,
} from '../../schema/index.ts';
import { type RuleCosts, validateRuleCompilation, validateRuleTexts } from './validate-rules.ts';

/** Errors of a schema's form, and errors of its rules, which are only looked for where the form is right. */
export interface OpenApiErrors {
  readonly form: FieldError[];
  readonly rules: FieldError[];
}

/** Where in a definition's schema a part stands. */
export interface Position {
  readonly path: string;
  readonly isRoot: boolean;
  /** Why defaults are not allowed here, or undefined where they are. */
  readonly noDefaults?: string | undefined;
  readonly isInMeta?: boolean;
  /** The nearest list or map above whose elements have no old values, so that no rule below may use oldSelf. */
  readonly uncorrelated?: string | undefined;
  /** False inside junctors, and where the schema is not structural: rules are not compiled there. */
  readonly compilesRules: boolean;
  /** How many values of this schema one object can hold; undefined when the schemas above do not bound it. */
  readonly cardinality: number | undefined;
  readonly costs: RuleCosts;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metaFields = new Set(['metadata', 'kind', 'apiVersion']);

/** Checks a schema and everything below it. */
export function validateOpenApi(schema: JsonSchema, at: Position): OpenApiErrors {
  const errors: OpenApiErrors = { form: [...standardErrors(schema, at)], rules: [] };
  const add = (other: OpenApiErrors): void => {
    errors.form.push(...other.form);
    errors.rules.push(...other.rules);
  };
  if (schema.uniqueItems === true) {
    const words = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.form.push(forbiddenError(`${at.path}.uniqueItems`, words));
  }
  visitAdditional(schema, at, errors, add);
  visitProperties(schema, at, add);
  visitJunctors(schema, at, add);
  visitItems(schema, at, add);
  errors.form.push(...kindErrors(schema, at.path), ...listErrors(schema, at.path));
  errors.form.push(...validateRuleTexts(schema, at.path));
  if (errors.form.length === 0 && at.compilesRules) errors.rules.push(...validateRuleCompilation(schema, at));
  return errors;
}

type Add = (other: OpenApiErrors) => void;

function below(schema: JsonSchema, at: Position): Pick<Position, 'cardinality'> {
  const isMap = schema.type === 'object' && schema.additionalProperties !== undefined;
  const most = isMap ? schema.maxProperties : schema.type === 'array' ? schema.maxItems : 1;
  const isBounded = at.cardinality !== undefined && most !== undefined;
  return { cardinality: isBounded ? (at.cardinality ?? 0) * Math.max(0, most) : undefined };
}

function visitAdditional(schema: JsonSchema, at: Position, errors: OpenApiErrors, add: Add): void {
  const additional = schema.additionalProperties;
  if (additional === undefined) return;
  const path = `${at.path}.additionalProperties`;
  if (Object.keys(schema.properties ?? {}).length > 0 && additional !== true) {
    errors.form.push(forbiddenError(path, 'additionalProperties and properties are mutual exclusive'));
  }
  if (!isJsonObject(additional)) return;
  const noDefaults = at.isInMeta === true ? 'inside additionalProperties applying to object metadata' : at.noDefaults;
  add(validateOpenApi(additional as JsonSchema, { ...at, ...below(schema, at), path, isRoot: false, noDefaults }));
}

function visitProperties(schema: JsonSchema, at: Position, add: Add): void {
  const isResource = at.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = isResource && metaFields.has(name);
    const noDefaults = isMeta && at.isRoot ? `in top-level ${name}` : at.noDefaults;
    const path = `${at.path}.properties[${name}]`;
    const isInMeta = at.isInMeta === true || isMeta;
    add(validateOpenApi(property, { ...at, ...below(schema, at), path, isRoot: false, noDefaults, isInMeta }));
  }
}

function visitJunctors(schema: JsonSchema, at: Position, add: Add): void {
  const inside = { ...at, isRoot: false, compilesRules: false };
  if (schema.not !== undefined) add(validateOpenApi(schema.not, { ...inside, path: `${at.path}.not` }));
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, part] of (schema[name] ?? []).entries()) {
      add(validateOpenApi(part, { ...inside, path: `${at.path}.${name}[${index}]` }));
    }
  }
}

function visitItems(schema: JsonSchema, at: Position, add: Add): void {
  const items = schema.items as JsonSchema | JsonSchema[] | undefined;
  if (items === undefined) return;
  const uncorrelated = schema['x-kubernetes-list-type'] === 'map' ? at.uncorrelated : (at.uncorrelated ?? at.path);
  const inside = { ...at, ...below(schema, at), isRoot: false, uncorrelated };
  if (!Array.isArray(items)) add(validateOpenApi(items, { ...inside, path: `${at.path}.items` }));
  else
    for (const [i, item] of items.entries()) add(validateOpenApi(item, { ...inside, path: `${at.path}.items[${i}]` }));
}

const unsupported: readonly string[] = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
];

function standardErrors(schema: JsonSchema, at: Position): FieldError[] {
  const errors: FieldError[] = [];
  const type = schema.type ?? '';
  const fields = schema as unknown as JsonObject;
  if (type !== '' && !types.includes(type)) errors.push(notSupportedError(`${at.path}.type`, type, types));
  if (schema.default !== undefined && schema.default !== null && at.noDefaults !== undefined) {
    errors.push(forbiddenError(`${at.path}.default`, `must not be set ${at.noDefaults}`));
  }
  for (const name of unsupported) {
    if (!isUnset(fields[name])) errors.push(forbiddenError(`${at.path}.${name}`, `${name} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbiddenError(`${at.path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(fields.items)) {
    errors.push(forbiddenError(`${at.path}.items`, 'items must be a schema object and not an array'));
  }
  if (at.isInMeta === true && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(
      forbiddenError(`${at.path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'),
    );
  }
  return errors;
}

function isUnset(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function kindErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalidError(at, false, 'must be true or undefined'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    errors.push(...wrongTypeErrors(schema, path, { type: 'object', extension: 'x-kubernetes-map-type' }));
    if (mapType !== 'atomic' && mapType !== 'granular') {
      errors.push(notSupportedError(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
    }
  }
  return errors;
}

function wrongTypeErrors(schema: JsonSchema, path: string, wanted: { type: string; extension: string }): FieldError[] {
  const type = schema.type ?? '';
  if (type === wanted.type) return [];
  const words = `must be ${wanted.type} if ${wanted.extension} is specified`;
  return [type === '' ? requiredError(`${path}.type`, words) : invalidError(`${path}.type`, type, words)];
}

function listErrors(schema: JsonSchema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'] as string | undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  const at = `${path}.x-kubernetes-list-type`;
  if (listType !== undefined) {
    const wrong = wrongTypeErrors(schema, path, { type: 'array', extension: 'x-kubernetes-list-type' });
    errors.push(...(wrong.length > 0 ? wrong : setErrors(schema, path)));
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.push(notSupportedError(at, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const words = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? requiredError(at, words) : invalidError(at, listType, words));
  }
  if (listType === 'map') errors.push(...listMapErrors(schema, keys, path));
  if (listType === 'map' || listType === 'set') errors.push(...elementErrors(schema, listType, path));
  return errors;
}

function setErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = schema.items;
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined) return [];
  const words = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidError(`${path}.items.x-kubernetes-list-type`, listType, words)];
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalidError(`${path}.items.x-kubernetes-map-type`, listType ?? null, words)];
  }
  return [];
}

function listMapErrors(schema: JsonSchema, keys: string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(requiredError(at, 'must not be empty if x-kubernetes-list-type is map'));
  const items = schema.items;
  if (items === undefined) {
    return [...errors, requiredError(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  }
  if (items.type !== 'object') {
    const words = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidError(`${path}.items.type`, items.type ?? '', words)];
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties?.[key];
    if (property === undefined) errors.push(invalidError(at, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const words = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidError(`${path}.items.properties[${key}].type`, items.type, words));
    }
    if (keys.indexOf(key) < index) errors.push(invalidError(at, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

function elementErrors(schema: JsonSchema, listType: 'map' | 'set', path: string): FieldError[] {
  const items = schema.items;
  if (items === undefined || Array.isArray(items)) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(
      forbiddenError(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const isDefaulted = property.default !== undefined && property.default !== null;
    if (items.required?.includes(key) !== true && !isDefaulted) {
      const words =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(requiredError(`${at}.default`, words));
    }
    if (property.nullable === true) {
      const words = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbiddenError(`${at}.nullable`, words));
    }
  }
  return errors;
}
