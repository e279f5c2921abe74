import {
  type CompiledRule,
  compileNodeRules,
  type FieldError,
  forbiddenError,
  internalFieldError,
  invalidError,
  type Json,
  type JsonSchema,
  notSupportedError,
  requiredError,
  resolveFieldPath,
  type ValidationRule,
} from '../../schema/index.ts';
import { goRuleText } from './validate-internal-text.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const ruleCostLimit = 10_000_000;
const schemaCostLimit = 100_000_000;

/** What the rules of one definition cost together, and the dearest of them. */
export class RuleCosts {
  #total = 0;
  #dearest: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    if (cost < schemaCostLimit / 100) return;
    this.#dearest.push({ path, cost });
    this.#dearest.sort((a, b) => b.cost - a.cost);
    this.#dearest = this.#dearest.slice(0, 4);
  }

  /** The errors of a definition whose rules cost too much together. */
  errors(schemaPath: string): FieldError[] {
    if (this.#total <= schemaCostLimit) return [];
    const words = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#dearest.map(({ path }) => forbiddenError(path, words)),
      forbiddenError(schemaPath, costText(total, this.#total, schemaCostLimit)),
    ];
  }
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Checks what can be checked of rules without compiling them. */
export function validateRuleTexts(schema: JsonSchema, path: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.flatMap((rule, index) => ruleErrors(rule, schema, `${path}.x-kubernetes-validations[${index}]`));
}

function ruleErrors(rule: ValidationRule, schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = (rule.rule ?? '').trim();
  const message = rule.message ?? '';
  if (text === '') errors.push(requiredError(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalidError(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalidError(`${path}.message`, message, 'must not contain line breaks'));
  } else if (hasLineBreak(text) && message.trim() === '') {
    errors.push(requiredError(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  const expression = rule.messageExpression ?? '';
  if (expression !== '' && expression.trim() === '') {
    errors.push(requiredError(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupportedError(`${path}.reason`, rule.reason, reasons));
  }
  return [...errors, ...fieldPathErrors(rule.fieldPath ?? '', schema, `${path}.fieldPath`)];
}

function fieldPathErrors(fieldPath: string, schema: JsonSchema, path: string): FieldError[] {
  if (fieldPath === '') return [];
  const errors: FieldError[] = [];
  if (fieldPath.trim() === '') errors.push(invalidError(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(invalidError(path, fieldPath, 'must not contain line breaks'));
  if ('error' in resolveFieldPath(fieldPath, schema, { allowsBrackets: true })) {
    errors.push(invalidError(path, fieldPath, 'must be a valid path'));
  }
  return errors;
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** What compiling rules needs to know of where they stand. */
export interface RulePlace {
  readonly path: string;
  readonly isRoot: boolean;
  readonly uncorrelated?: string | undefined;
  /** How many values of this schema one object can hold; undefined when the schemas above do not bound it. */
  readonly cardinality: number | undefined;
  readonly costs: RuleCosts;
}

/** Compiles the rules of a schema node and reports what is wrong with them. */
export function validateRuleCompilation(schema: JsonSchema, at: RulePlace): FieldError[] {
  const path = `${at.path}.x-kubernetes-validations`;
  if ((schema['x-kubernetes-validations'] ?? []).length === 0) return [];
  const isRoot = at.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const compiled = compileNodeRules(schema, { isRoot });
  if (compiled === undefined) {
    const why = 'unable to convert structural schema to CEL declarations';
    const words = `internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`;
    return [internalFieldError(path, words)];
  }
  const occurrences = at.cardinality ?? compiled.maxOccurrences;
  return compiled.rules.flatMap((rule, index) =>
    compiledErrors(rule, { ...at, path: `${path}[${index}]` }, occurrences),
  );
}

function compiledErrors(compiled: CompiledRule, at: RulePlace, occurrences: number): FieldError[] {
  const errors: FieldError[] = [];
  const { rule, program, message } = compiled;
  const shown = goRuleText(rule as unknown as Json);
  const cost = (program?.estimatedCost.max ?? 0) * occurrences;
  if (cost > ruleCostLimit) {
    errors.push(forbiddenError(`${at.path}.rule`, costText('estimated rule cost', cost, ruleCostLimit)));
  }
  at.costs.add(`${at.path}.rule`, cost);
  if (compiled.error !== undefined) {
    errors.push({ ...invalidError(`${at.path}.rule`, null, compiled.error), badValueText: shown });
  }
  if (compiled.messageError !== undefined) {
    errors.push({ ...invalidError(`${at.path}.messageExpression`, null, compiled.messageError), badValueText: shown });
  } else if (message !== undefined) {
    errors.push(...messageCostErrors(message.estimatedCost.max, at));
  }
  return [...errors, ...oldSelfErrors(compiled, at)];
}

function messageCostErrors(cost: number, at: RulePlace): FieldError[] {
  at.costs.add(`${at.path}.messageExpression`, cost);
  if (cost <= ruleCostLimit) return [];
  const words = costText('estimated messageExpression cost', cost, ruleCostLimit);
  return [forbiddenError(`${at.path}.messageExpression`, words)];
}

function oldSelfErrors({ rule, usesOldSelf }: CompiledRule, at: RulePlace): FieldError[] {
  if (usesOldSelf && at.uncorrelated !== undefined) {
    const words = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${at.uncorrelated}`;
    return [invalidError(`${at.path}.rule`, rule.rule, words)];
  }
  if (usesOldSelf || rule.optionalOldSelf === undefined) return [];
  const words = 'may not be set if oldSelf is not used in rule';
  return [invalidError(`${at.path}.optionalOldSelf`, rule.optionalOldSelf, words)];
}
