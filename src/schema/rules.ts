import { CelError, CostBudget, describeRuleError } from '../cel/index.ts';
import { type CompiledRule, compileNodeRules } from './compile-rule.ts';
import { Correlation, indexByKeys, mapKey } from './correlate.ts';
import { duplicateError, type FieldError, forbiddenError, invalidError, requiredError } from './field-error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema, ValidationRule } from './json-schema.ts';

/** Told about a rule that an update breaks only where it leaves things as they were. */
export type ForgivenRule = (error: FieldError) => void;

/** How rules are run. */
export interface RunOptions {
  /** The path of the value, put before every path reported. */
  readonly path?: string;
  /** Forgive failures in values that the update leaves unchanged. */
  readonly ratchets?: boolean;
  readonly onForgiven?: ForgivenRule;
}

/** Runs the rules of a schema on a value and, for transition rules, its old form. */
export type RulesRunner = (value: Json, old: Json | undefined, options?: RunOptions) => FieldError[];

/**
 * Makes the runner of every rule at and below a schema; undefined when there are none. Rules are compiled when first
 * needed, as that takes time.
 */
export function compileRules(schema: JsonSchema, options: { readonly isRoot: boolean }): RulesRunner | undefined {
  if (!hasRules(schema)) return undefined;
  let root: RuleNode | undefined;
  return (value, old, { path = '', ratchets = false, onForgiven = () => {} } = {}) => {
    root ??= compileNode(schema, schema, options.isRoot);
    if (root === undefined) return [];
    const run: Run = { errors: [], budget: new CostBudget(), onForgiven };
    const current = ratchets && old !== undefined ? new Correlation(schema, value, old) : undefined;
    checkNode(run, root, { value, old, path, current, parent: undefined });
    return run.errors;
  };
}

function hasRules(schema: JsonSchema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  if (schema.items !== undefined && hasRules(schema.items)) return true;
  const additional = schema.additionalProperties;
  if (isJsonObject(additional) && hasRules(additional as JsonSchema)) return true;
  return Object.values(schema.properties ?? {}).some(hasRules) || (schema.allOf ?? []).some(hasRules);
}

/** A schema node at or below which there are rules. */
interface RuleNode {
  readonly schema: JsonSchema;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleNode | undefined;
  readonly fields: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

// `said` is where the rules stand, `schema` the structure they speak of; they differ inside allOf.
function compileNode(said: JsonSchema, schema: JsonSchema, isRoot: boolean): RuleNode | undefined {
  if (!hasRules(said)) return undefined;
  const rules = said['x-kubernetes-validations'] ?? [];
  const own =
    rules.length === 0
      ? []
      : compileNodeRules({ ...schema, 'x-kubernetes-validations': rules }, { isRoot, isStored: true })?.rules;
  const fields = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(said.properties ?? {})) {
    const structure = schema.properties?.[name];
    const node = structure === undefined ? undefined : compileNode(property, structure, isEmbedded(structure));
    if (node !== undefined) fields.set(name, node);
  }
  return {
    schema,
    rules: own ?? [],
    items: compileChild(said.items, schema.items),
    fields,
    additional: compileChild(said.additionalProperties, schema.additionalProperties),
    allOf: (said.allOf ?? []).map((part) => compileNode(part, schema, isRoot)).filter((node) => node !== undefined),
  };
}

function compileChild(
  said: JsonSchema | boolean | undefined,
  schema: JsonSchema | boolean | undefined,
): RuleNode | undefined {
  if (!isJsonObject(said) || !isJsonObject(schema)) return undefined;
  return compileNode(said as JsonSchema, schema as JsonSchema, isEmbedded(schema as JsonSchema));
}

function isEmbedded(schema: JsonSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

interface Run {
  readonly errors: FieldError[];
  readonly budget: CostBudget;
  readonly onForgiven: ForgivenRule;
}

interface Visit {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
  /** The value beside its old one, and the nearest such above it: unchanged means forgiven. */
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

/** Checks a node and what is below it; false when no further rules are to be run. */
function checkNode(run: Run, node: RuleNode, at: Visit): boolean {
  if (at.value === null) return true;
  if (!runRules(run, node, at)) return false;
  for (const part of node.allOf) if (!checkNode(run, part, { ...at, current: undefined })) return false;
  if (Array.isArray(at.value)) return checkItems(run, node, at.value, at);
  return isJsonObject(at.value) ? checkFields(run, node, at.value, at) : true;
}

function checkItems(run: Run, node: RuleNode, value: readonly Json[], at: Visit): boolean {
  if (node.items === undefined) return true;
  const keys = node.schema['x-kubernetes-list-type'] === 'map' ? (node.schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const old = keys.length > 0 && Array.isArray(at.old) ? indexByKeys(at.old, keys) : undefined;
  for (const [index, element] of value.entries()) {
    const correlated = correlate(at, (current) => current.element(index));
    const visit = { value: element, old: findByKeys(old, element, keys), path: `${at.path}[${index}]`, ...correlated };
    if (!checkNode(run, node.items, visit)) return false;
  }
  return true;
}

function findByKeys(
  items: ReadonlyMap<string, Json> | undefined,
  element: Json,
  keys: readonly string[],
): Json | undefined {
  const key = items !== undefined && isJsonObject(element) ? mapKey(element, keys) : undefined;
  return key === undefined ? undefined : items?.get(key);
}

function checkFields(run: Run, node: RuleNode, value: JsonObject, at: Visit): boolean {
  const old = isJsonObject(at.old) ? at.old : {};
  for (const key of Object.keys(value)) {
    const child = node.fields.get(key);
    const next = child ?? node.additional;
    if (next === undefined) continue;
    const isTypeMeta = at.current !== undefined && at.parent === undefined && (key === 'apiVersion' || key === 'kind');
    const correlated = isTypeMeta ? { current: undefined, parent: undefined } : correlate(at, (now) => now.field(key));
    const path = child === undefined ? `${at.path}[${key}]` : at.path === '' ? key : `${at.path}.${key}`;
    const before = Object.hasOwn(old, key) ? old[key] : undefined;
    if (!checkNode(run, next, { value: value[key] as Json, old: before, path, ...correlated })) return false;
  }
  return true;
}

function correlate(
  at: Visit,
  step: (current: Correlation) => Correlation | undefined,
): Pick<Visit, 'current' | 'parent'> {
  if (at.current === undefined) return { current: undefined, parent: at.parent };
  return { current: step(at.current), parent: at.current };
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

function runRules(run: Run, node: RuleNode, at: Visit): boolean {
  if (node.rules.length === 0) return true;
  const type = node.schema.type ?? '';
  if (run.budget.remaining <= 0) {
    run.errors.push(invalidError(at.path, type, outOfBudget));
    return false;
  }
  const variables = { self: at.value, oldSelf: at.old ?? undefined };
  for (const compiled of node.rules) {
    if (compiled.error !== undefined) {
      run.errors.push(invalidError(at.path, type, `rule compile error: ${compiled.error}`));
    } else if (!runRule(run, compiled, { ...at, type, variables })) return false;
  }
  return true;
}

interface Subject extends Visit {
  readonly type: string;
  readonly variables: { readonly self: Json; readonly oldSelf: Json | undefined };
}

/** Runs one rule; false when no further rules are to be run. */
function runRule(run: Run, compiled: CompiledRule, at: Subject): boolean {
  const { program, rule, usesOldSelf } = compiled;
  if (program === undefined) return true;
  if (usesOldSelf && at.variables.oldSelf === undefined && rule.optionalOldSelf !== true) return true;
  let isTrue: boolean;
  try {
    isTrue = program.evaluate(at.variables, run.budget) === true;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    const { detail, stops } = describeRuleError(error, ruleText(rule));
    run.errors.push(invalidError(at.path, at.type, detail));
    return !stops;
  }
  if (isTrue) return true;
  const { text, stops } = messageOf(run, compiled, at);
  const isForgiven = !usesOldSelf && (at.current ?? at.parent)?.isUnchanged === true;
  if (isForgiven) run.onForgiven(failure(compiled, at, text));
  else run.errors.push(failure(compiled, at, text));
  return !stops;
}

function failure({ rule, fieldPath }: CompiledRule, at: Subject, text: string): FieldError {
  const field = fieldPath === '' ? at.path : at.path === '' ? fieldPath : `${at.path}.${fieldPath}`;
  if (rule.reason === 'FieldValueForbidden') return forbiddenError(field, text);
  if (rule.reason === 'FieldValueRequired') return requiredError(field, text);
  if (rule.reason === 'FieldValueDuplicate') return duplicateError(field, at.type);
  return invalidError(field, at.type, text);
}

function ruleText(rule: ValidationRule): string {
  const message = rule.message ?? '';
  return (message === '' ? rule.rule : message).trim();
}

function messageOrDefault(rule: ValidationRule): string {
  const message = rule.message ?? '';
  return message === '' ? `failed rule: ${ruleText(rule)}` : message.trim();
}

const longestMessageBytes = 5 * 1024;

// A message expression that fails or says nothing usable falls back to the plain message.
function messageOf(run: Run, { message, rule }: CompiledRule, at: Subject): { text: string; stops: boolean } {
  const usual = { text: messageOrDefault(rule), stops: false };
  if (message === undefined) return usual;
  try {
    const value = message.evaluate(at.variables, run.budget);
    const text = typeof value === 'string' ? value.trim() : '';
    const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessageBytes;
    return isUsable ? { text, stops: false } : usual;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    if (error.kind === 'out-of-budget')
      return {
        text: `messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run`,
        stops: true,
      };
    if (error.kind !== 'cost-limit') return usual;
    const words = 'no further validation rules will be run due to call cost exceeds limit for messageExpression';
    return { text: `${words}: ${JSON.stringify(rule.messageExpression)}`, stops: true };
  }
}
