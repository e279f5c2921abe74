import { goFloat, goNumber } from './go-text.ts';
import type { JsonSchema } from './json-schema.ts';
import { isInteger, isNearInteger } from './schema-types.ts';

/** A number out of its bounds: the sentence about it, and the value the API server prints beside it. */
export interface NumberFault {
  readonly text: string;
  readonly badValue: number;
}

/** Compiles maximum, minimum and multipleOf; undefined when the schema has none. */
export function compileNumberCheck(schema: JsonSchema): ((value: number) => boolean) | undefined {
  const isBound = schema.maximum !== undefined || schema.minimum !== undefined || schema.multipleOf !== undefined;
  if (!isBound) return undefined;
  return (value) =>
    (schema.multipleOf === undefined || multipleFault(value, schema.multipleOf) === undefined) &&
    !isAbove(value, schema) &&
    !isBelow(value, schema);
}

/** The faults of a number in the order the API server reports them: multipleOf, minimum, maximum. */
export function numberFaults(value: number, schema: JsonSchema, path: string): NumberFault[] {
  const faults: NumberFault[] = [];
  const multiple = schema.multipleOf === undefined ? undefined : multipleFault(value, schema.multipleOf);
  if (multiple !== undefined)
    faults.push({ text: multiple.text.replace('%s', () => path), badValue: multiple.badValue });
  if (isBelow(value, schema)) {
    const words = schema.exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
    faults.push({ text: `${path} in body should be ${words} ${printBound(value, schema.minimum)}`, badValue: value });
  }
  if (isAbove(value, schema)) {
    const words = schema.exclusiveMaximum === true ? 'less than' : 'less than or equal to';
    faults.push({ text: `${path} in body should be ${words} ${printBound(value, schema.maximum)}`, badValue: value });
  }
  return faults;
}

// Integers are compared as integers: the API server cuts the bound to a whole number first.
function boundFor(value: number, bound: number): number {
  return isInteger(value) ? Math.trunc(bound) : bound;
}

function printBound(value: number, bound: number | undefined): string {
  return printLike(value, boundFor(value, bound ?? 0));
}

// A bound is printed as the number it was compared with is: as an integer or as a float.
function printLike(value: number, bound: number): string {
  return isInteger(value) ? goNumber(bound) : goFloat(bound);
}

function isAbove(value: number, schema: JsonSchema): boolean {
  if (schema.maximum === undefined) return false;
  const bound = boundFor(value, schema.maximum);
  return schema.exclusiveMaximum === true ? value >= bound : value > bound;
}

function isBelow(value: number, schema: JsonSchema): boolean {
  if (schema.minimum === undefined) return false;
  const bound = boundFor(value, schema.minimum);
  return schema.exclusiveMinimum === true ? value <= bound : value < bound;
}

function multipleFault(value: number, multipleOf: number): NumberFault | undefined {
  const factor = boundFor(value, multipleOf);
  if (factor <= 0) {
    return {
      text: `factor MultipleOf declared for %s must be positive: ${printLike(value, factor)}`,
      badValue: factor,
    };
  }
  const isMultiple = isInteger(value)
    ? BigInt(value) % BigInt(factor) === 0n
    : isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
  return isMultiple
    ? undefined
    : { text: `%s in body should be a multiple of ${printLike(value, factor)}`, badValue: value };
}
