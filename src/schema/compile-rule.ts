import {
  type CelProgram,
  type CelType,
  celTypeOfSchema,
  compileCel,
  maxRequestBytes,
  simpleTypes,
} from '../cel/index.ts';
import { resolveFieldPath } from './field-path.ts';
import type { JsonSchema, ValidationRule } from './json-schema.ts';

/** One rule of `x-kubernetes-validations`, compiled, or why it could not be. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined when the rule is blank or does not compile. */
  readonly program: CelProgram | undefined;
  readonly error: string | undefined;
  readonly usesOldSelf: boolean;
  readonly message: CelProgram | undefined;
  readonly messageError: string | undefined;
  /** Where the error is reported below the value; empty for the value itself. */
  readonly fieldPath: string;
}

/** The rules of one schema node, without those below it. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** How often a value of this schema fits into one request: bounds the cost where no schema does. */
  readonly maxOccurrences: number;
}

/** Compiles the rules of a schema node; undefined when rules cannot see its type. */
export function compileNodeRules(
  schema: JsonSchema,
  options: { readonly isRoot: boolean; readonly isStored?: boolean },
): CompiledRules | undefined {
  const type = celTypeOfSchema(schema, { root: options.isRoot });
  if (type === undefined) return undefined;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const isStored = options.isStored === true;
  return {
    rules: rules.map((rule) => compileRule(rule, schema, { type, isStored })),
    maxOccurrences: Math.floor(maxRequestBytes / ((type.minSize ?? 0) + 1)),
  };
}

function compileRule(
  rule: ValidationRule,
  schema: JsonSchema,
  scope: { type: CelType; isStored: boolean },
): CompiledRule {
  const blank: CompiledRule = {
    rule,
    program: undefined,
    error: undefined,
    usesOldSelf: false,
    message: undefined,
    messageError: undefined,
    fieldPath: '',
  };
  if (typeof rule.rule !== 'string' || rule.rule.trim() === '') return blank;
  const oldSelf: CelType = rule.optionalOldSelf === true ? { kind: 'optional', value: scope.type } : scope.type;
  const environment = { variables: { self: scope.type, oldSelf }, isStored: scope.isStored };
  const compiled = compileCel(rule.rule, environment, simpleTypes.bool);
  if ('errors' in compiled) return { ...blank, error: compiled.errors };
  const { program } = compiled;
  const usable = { ...blank, program, usesOldSelf: program.uses.has('oldSelf'), fieldPath: fieldPathOf(rule, schema) };
  if (rule.messageExpression === undefined || rule.messageExpression === '') return usable;
  const message = compileCel(rule.messageExpression, environment, simpleTypes.string);
  return 'errors' in message ? { ...usable, messageError: message.errors } : { ...usable, message: message.program };
}

function fieldPathOf(rule: ValidationRule, schema: JsonSchema): string {
  if (rule.fieldPath === undefined || rule.fieldPath === '') return '';
  const found = resolveFieldPath(rule.fieldPath, schema, { allowsBrackets: true });
  return 'error' in found ? '' : found.path;
}
