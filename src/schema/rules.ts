import type { FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Runs the rules of a schema on an object and, for transition rules, its old form. */
export type RulesRunner = (object: JsonObject, old: JsonObject | undefined) => FieldError[];

/** Compiles every rule below a schema. */
export function compileRules(_schema: JsonSchema): RulesRunner {
  return () => [];
}
