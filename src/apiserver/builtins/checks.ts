import {
  type FieldError,
  invalidError,
  type Json,
  label1123Faults,
  labelValueFaults,
  notSupportedError,
  qualifiedNameFaults,
  requiredError,
} from '../../schema/index.ts';
import type { LabelSelector } from '../meta/selectors.ts';

/** The value must not be below zero. */
export function negativeFaults(value: number | undefined, field: string): FieldError[] {
  return value !== undefined && value < 0 ? [invalidError(field, value, 'must be greater than or equal to 0')] : [];
}

/** The value must be a lower-case label. */
export function labelFaults(value: string, field: string): FieldError[] {
  return label1123Faults(value).map((fault) => invalidError(field, value, fault));
}

/** The value must be there and one of those known. */
export function choiceFaults(value: string | undefined, field: string, known: readonly string[]): FieldError[] {
  if (value === undefined || value === '') return [requiredError(field)];
  return known.includes(value) ? [] : [notSupportedError(field, value, known)];
}

/** The value may not change. */
export function changeFaults(field: string, value: Json | undefined, old: Json | undefined): FieldError[] {
  const isSame = JSON.stringify(value ?? null) === JSON.stringify(old ?? null);
  return isSame ? [] : [invalidError(field, value ?? null, 'field is immutable')];
}

/** What is wrong with a label selector. */
export function selectorFaults(selector: LabelSelector, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${field}.matchLabels`, key, fault));
    for (const fault of labelValueFaults(value)) errors.push(invalidError(`${field}.matchLabels`, value, fault));
  }
  for (const [index, expression] of (selector.matchExpressions ?? []).entries()) {
    errors.push(...expressionFaults(expression, `${field}.matchExpressions[${index}]`));
  }
  return errors;
}

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

function expressionFaults({ key, operator, values = [] }: Expression, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(requiredError(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push({ reason: 'FieldValueForbidden', field: `${field}.values`, detail: words });
  } else {
    errors.push(invalidError(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${field}.key`, key, fault));
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) errors.push(invalidError(`${field}.values[${index}]`, value, fault));
  }
  return errors;
}

/** A port must be a number that exists. */
export function portNumberFaults(port: number, field: string): FieldError[] {
  if (port >= 1 && port <= 65_535) return [];
  return [invalidError(field, port, 'must be between 1 and 65535, inclusive')];
}

/** A port's name is short, lower-case and holds a letter. */
export function portNameFaults(name: string, field: string): FieldError[] {
  const faults: string[] = [];
  if (name.length > 15) faults.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) faults.push('must contain at least one letter (a-z)');
  if (name.includes('--')) faults.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults.map((fault) => invalidError(field, name, fault));
}

/** A port that is a number or a name. */
export function portFaults(port: string | number | undefined, field: string): FieldError[] {
  return typeof port === 'string' ? portNameFaults(port, field) : portNumberFaults(port ?? 0, field);
}
