import type { FieldError } from './field-error.ts';
import type { Json } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** How rules are run. */
export interface RunOptions {
  /** The path of the value, put before every path reported. */
  readonly path?: string;
  /** Forgive failures in values that the update leaves unchanged. */
  readonly ratchets?: boolean;
}

/** Runs the rules of a schema on a value and, for transition rules, its old form. */
export type RulesRunner = (value: Json, old: Json | undefined, options?: RunOptions) => FieldError[];

/** Waits for the CEL room. */
export function compileRules(_schema: JsonSchema, _options: { readonly isRoot: boolean }): RulesRunner {
  return () => [];
}
