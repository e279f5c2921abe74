import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonObject } from '../../engine/index.ts';

/** What became of parameters: usable, or why not. */
export interface CheckedParameters {
  readonly parameters: JsonObject;
  readonly problems: readonly string[];
}

/** Checks parameters against a schema, then in ways that no schema can, and brings them into one form. */
export function createCheck<S extends TSchema>(
  schema: S,
  refine: (parameters: Static<S>) => CheckedParameters,
): (parameters: JsonObject) => CheckedParameters {
  const validator = Compile(schema);
  return (given) => {
    // A copy: what is checked is what is stored, whoever changes the original meanwhile.
    const parameters = structuredClone(given);
    if (validator.Check(parameters)) return refine(parameters as Static<S>);
    const problems = validator.Errors(parameters).map(problemOf);
    return { parameters, problems: [...new Set(problems)] };
  };
}

function problemOf(error: {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}): string {
  const where = error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')}: `;
  const { params } = error;
  if ('additionalProperties' in params) return `${where}there is no parameter ${String(params.additionalProperties)}`;
  if ('requiredProperties' in params) return `${where}${String(params.requiredProperties)} is missing`;
  if ('allowedValues' in params) return `${where}it must be one of ${String(params.allowedValues)}`;
  return `${where}it ${error.message}`;
}
