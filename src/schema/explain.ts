import { hasDuplicates } from './check.ts';
import type { Correlation } from './correlate.ts';
import {
  type FieldError,
  invalidError,
  notSupportedError,
  requiredError,
  tooLongError,
  tooManyError,
  typeError,
} from './field-error.ts';
import { goJson, goQuote } from './go-text.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { numberFaults } from './number-bounds.ts';
import { compilePattern } from './patterns.ts';
import { countCharacters, formatOf, isInEnum, typeMismatch, typesOf } from './schema-types.ts';

/**
 * The second pass over an object that the compiled check refused: finds every mistake, in the words and with the
 * paths of the API server. It walks the schema itself, as mistakes are rare and need not be found fast.
 *
 * `matches` counts the checks that were made. Among the branches of a failed anyOf or oneOf the API server reports
 * the one with the most, so the count follows its way of counting exactly.
 */
interface Findings {
  readonly errors: Map<string, FieldError>;
  matches: number;
}

/** Where a value is: its path as messages name it, and its old value where ratcheting may forgive it. */
interface Place {
  readonly path: string;
  /** Put before the path in `FieldError.field` only; the status subresource reports paths below `status`. */
  readonly prefix: string;
  readonly old: Correlation | undefined;
}

/** Every mistake of a value, with those in unchanged places forgiven when the old value is given. */
export function explain(
  value: Json,
  schema: JsonSchema,
  options: { prefix?: string; old?: Correlation | undefined } = {},
): FieldError[] {
  const found = findRatcheted(value, schema, { path: '', prefix: options.prefix ?? '', old: options.old });
  return [...found.errors.values()];
}

function findRatcheted(value: Json, schema: JsonSchema, place: Place): Findings {
  const found = find(value, schema, place);
  if (found.errors.size > 0 && place.old?.isUnchanged === true) found.errors.clear();
  return found;
}

function find(value: Json, schema: JsonSchema, place: Place): Findings {
  const found: Findings = { errors: new Map(), matches: 0 };
  if (value === null) {
    checkType(found, value, schema, place);
    checkEnum(found, value, schema, place);
    return found;
  }
  if (typesOf(schema).length > 0 || formatOf(schema) !== undefined) {
    checkType(found, value, schema, place);
    found.matches++;
  }
  checkJunctors(found, value, schema, { ...place, old: undefined });
  found.matches++;
  if (typeof value === 'string') checkString(found, value, schema, place);
  if (typeof value === 'number') checkNumber(found, value, schema, place);
  if (Array.isArray(value)) checkArray(found, value, schema, place);
  checkEnum(found, value, schema, place);
  found.matches++;
  if (isJsonObject(value)) checkObject(found, value, schema, place);
  found.matches++;
  return found;
}

function add(found: Findings, text: string, error: FieldError): void {
  if (!found.errors.has(text)) found.errors.set(text, error);
}

function merge(found: Findings, other: Findings): void {
  for (const [text, error] of other.errors) add(found, text, error);
  found.matches += other.matches;
}

function fieldAt(place: Place, path = place.path): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return place.prefix;
  return place.prefix === '' ? name : `${place.prefix}.${name}`;
}

function checkType(found: Findings, value: Json, schema: JsonSchema, place: Place): void {
  const mismatch = typeMismatch(value, schema);
  if (mismatch === undefined) {
    found.matches++;
    return;
  }
  const text = `${place.path} in body must be of type ${mismatch.wanted}: ${goQuote(mismatch.found)}`;
  add(found, text, typeError(fieldAt(place), mismatch.found, text));
}

function checkEnum(found: Findings, value: Json, schema: JsonSchema, place: Place): void {
  const allowed = schema.enum ?? [];
  if (allowed.length === 0 || isInEnum(value, allowed)) return;
  const known = allowed.map((candidate) => (typeof candidate === 'string' ? candidate : goJson(candidate)));
  const text = `${place.path} in body should be one of ${known.join(' ')}`;
  add(found, text, notSupportedError(fieldAt(place), value, known));
}

function checkString(found: Findings, value: string, schema: JsonSchema, place: Place): void {
  checkLength(found, value, schema, place);
  found.matches++;
  const format = formatOf(schema);
  if (format === undefined) return;
  if (!format(value)) {
    const text = `${place.path} in body must be of type ${schema.format}: ${goQuote(value)}`;
    add(found, text, typeError(fieldAt(place), value, text));
  }
  found.matches++;
}

// Only the first of length and pattern is reported.
function checkLength(found: Findings, value: string, schema: JsonSchema, place: Place): void {
  const length = countCharacters(value);
  const { maxLength, minLength } = schema;
  if (maxLength !== undefined && length > maxLength) {
    add(
      found,
      `${place.path} in body should be at most ${maxLength} chars long`,
      tooLongError(fieldAt(place), maxLength),
    );
  } else if (minLength !== undefined && length < minLength) {
    const text = `${place.path} in body should be at least ${minLength} chars long`;
    add(found, text, invalidError(fieldAt(place), value, text));
  } else if (schema.pattern !== undefined && schema.pattern !== '') {
    const pattern = compilePattern(schema.pattern);
    if ('test' in pattern && pattern.test(value)) return;
    const why = 'test' in pattern ? '' : `, but pattern is invalid: ${pattern.error}`;
    const text = `${place.path} in body should match '${schema.pattern}${why}'`;
    add(found, text, invalidError(fieldAt(place), value, text));
  }
}

function checkNumber(found: Findings, value: number, schema: JsonSchema, place: Place): void {
  for (const fault of numberFaults(value, schema, place.path)) {
    add(found, fault.text, invalidError(fieldAt(place), fault.badValue, fault.text));
  }
  found.matches += 2;
}

function checkArray(found: Findings, value: readonly Json[], schema: JsonSchema, place: Place): void {
  const items = schema.items;
  if (items !== undefined) {
    for (const [index, element] of value.entries()) {
      const at = { path: `${place.path}[${index}]`, prefix: place.prefix, old: place.old?.element(index) };
      merge(found, findRatcheted(element, items, at));
    }
  }
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && value.length < minItems) {
    const text = `${place.path} in body should have at least ${minItems} items`;
    add(found, text, invalidError(fieldAt(place), value.length, text));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    const text = `${place.path} in body should have at most ${maxItems} items`;
    add(found, text, tooManyError(fieldAt(place), value.length, maxItems));
  }
  if (schema.uniqueItems === true && hasDuplicates(value)) {
    const text = `${place.path} in body shouldn't contain duplicates`;
    add(found, text, invalidError(fieldAt(place), '', text));
  }
  found.matches += 2;
}

function checkObject(found: Findings, value: JsonObject, schema: JsonSchema, place: Place): void {
  checkSize(found, value, schema, place);
  checkAdditional(found, value, schema, place);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    const path = place.path === '' ? name : `${place.path}.${name}`;
    merge(found, findRatcheted(value[name] as Json, property, fieldPlace(place, name, path)));
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue;
    const path = `${place.path}.${name}`;
    add(found, `${path} in body is required`, requiredError(fieldAt(place, path)));
  }
  found.matches++;
}

// A changed apiVersion or kind is invisible here, as both objects were converted, so it is never forgiven.
function fieldPlace(place: Place, name: string, path: string): Place {
  const isTypeMeta = place.path === '' && (name === 'apiVersion' || name === 'kind');
  return { path, prefix: place.prefix, old: isTypeMeta ? undefined : place.old?.field(name) };
}

function checkSize(found: Findings, value: JsonObject, schema: JsonSchema, place: Place): void {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) {
    const text = `${place.path} in body should have at least ${minProperties} properties`;
    add(found, text, invalidError(fieldAt(place), count, text));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    const text = `${place.path} in body should have at most ${maxProperties} properties`;
    add(found, text, tooManyError(fieldAt(place), count, maxProperties));
  }
}

function checkAdditional(found: Findings, value: JsonObject, schema: JsonSchema, place: Place): void {
  const additional = schema.additionalProperties;
  if (additional === undefined || additional === true) return;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(schema.properties ?? {}, key)) continue;
    if (additional === false) {
      const text = `${place.path}.${key} in body is a forbidden property`;
      add(found, text, invalidError(fieldAt(place), key, text));
    } else {
      merge(found, findRatcheted(value[key] as Json, additional, fieldPlace(place, key, `${place.path}.${key}`)));
    }
  }
}

function checkJunctors(found: Findings, value: Json, schema: JsonSchema, place: Place): void {
  checkAnyOf(found, value, schema.anyOf ?? [], place);
  checkOneOf(found, value, schema.oneOf ?? [], place);
  checkAllOf(found, value, schema.allOf ?? [], place);
  if (schema.not !== undefined && find(value, schema.not, place).errors.size === 0) {
    addJunctor(found, place, 'must not validate the schema (not)');
  }
  found.matches++;
}

function addJunctor(found: Findings, place: Place, words: string): void {
  const text = `${goQuote(place.path)} ${words}`;
  add(found, text, invalidError(place.prefix, '', text));
}

function checkAnyOf(found: Findings, value: Json, branches: readonly JsonSchema[], place: Place): void {
  let best: Findings | undefined;
  for (const branch of branches) {
    const result = find(value, branch, place);
    if (result.errors.size === 0) {
      merge(found, result);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  if (best === undefined) return;
  addJunctor(found, place, 'must validate at least one schema (anyOf)');
  merge(found, best);
}

function checkOneOf(found: Findings, value: Json, branches: readonly JsonSchema[], place: Place): void {
  if (branches.length === 0) return;
  const results = branches.map((branch) => find(value, branch, place));
  const valid = results.filter((result) => result.errors.size === 0);
  if (valid[0] !== undefined && valid.length === 1) {
    merge(found, valid[0]);
    return;
  }
  const count = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  addJunctor(found, place, `must validate one and only one schema (oneOf). ${count}`);
  if (valid.length > 0) return;
  merge(
    found,
    results.reduce((best, result) => (result.matches > best.matches ? result : best)),
  );
}

function checkAllOf(found: Findings, value: Json, branches: readonly JsonSchema[], place: Place): void {
  let valid = 0;
  for (const branch of branches) {
    const result = find(value, branch, place);
    if (result.errors.size === 0) valid++;
    merge(found, result);
  }
  if (valid === branches.length) return;
  addJunctor(found, place, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
