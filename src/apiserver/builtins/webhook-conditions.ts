import { compileCel, formatType, matchConditionVariables } from '../../cel/index.ts';
import {
  duplicateError,
  type FieldError,
  invalidError,
  qualifiedNameFaults,
  requiredError,
  tooManyError,
} from '../../schema/index.ts';

/** A CEL expression that says whether a webhook is asked. */
export interface MatchCondition {
  name?: string;
  expression?: string;
}

const maxConditions = 64;

/** What is wrong with the conditions of an admission webhook. */
export function matchConditionFaults(conditions: MatchCondition[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > maxConditions) errors.push(tooManyError(path, conditions.length, maxConditions));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...expressionFaults(expression.trim(), `${at}.expression`));
    if (name === '') errors.push(requiredError(`${at}.name`));
    else for (const fault of qualifiedNameFaults(name)) errors.push(invalidError(`${at}.name`, name, fault));
    if (name !== '' && names.has(name)) errors.push(duplicateError(`${at}.name`, name));
    names.add(name);
  }
  return errors;
}

function expressionFaults(expression: string, path: string): FieldError[] {
  if (expression === '') return [requiredError(path)];
  const compiled = compileCel(expression, { variables: matchConditionVariables });
  if ('errors' in compiled) return [invalidError(path, expression, compiled.errors)];
  const { type } = compiled.program;
  if (type.kind === 'bool') return [];
  return [invalidError(path, expression, `must evaluate to bool but got ${formatType(type)}`)];
}
