import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { RestError } from './errors.ts';
import type { Route } from './route.ts';
import { Struct } from './shapes.ts';

const maxProblems = 20;
const maxDescribed = 200;

type CheckParts = (parts: { params: unknown; query: unknown; body: unknown }) => void;

/** Checks the parts of requests. Texts of the path and the query become the numbers and booleans they are declared as. */
export class Validators {
  readonly #forJson = createAjv({ coerceTypes: false });
  readonly #forTexts = createAjv({ coerceTypes: 'array' });

  /**
   * The check of one route; it throws `badRequest` with the reasons, and fills in defaults. Schemas are compiled when
   * the route is used first: with a hundred routes that would keep a start waiting.
   */
  compile(route: Route): CheckParts {
    let check: CheckParts | undefined;
    return (parts) => {
      check ??= this.#compile(route);
      check(parts);
    };
  }

  #compile(route: Route): CheckParts {
    const params = this.#forTexts.compile(route.params ?? Struct({}));
    const query = this.#forTexts.compile(route.query ?? Struct({}));
    const body = route.body === undefined ? undefined : this.#forJson.compile(route.body);
    return (parts) => {
      const problems = [
        ...problemsOf(params, parts.params, 'path'),
        ...problemsOf(query, parts.query, 'query'),
        ...bodyProblems(body, parts.body),
      ];
      if (problems.length === 0) return;
      const shown = problems.slice(0, maxProblems);
      if (problems.length > maxProblems) shown.push(`and ${problems.length - maxProblems} more`);
      throw new RestError('badRequest', {}, { problems: shown });
    };
  }

  /** The check of any JSON value against a schema; gives the reasons. */
  compileValue(schema: TSchema): (value: unknown) => string[] {
    let check: ValidateFunction | undefined;
    return (value) => {
      check ??= this.#forJson.compile(schema);
      return problemsOf(check, value, 'value');
    };
  }
}

function createAjv(options: { readonly coerceTypes: false | 'array' }): Ajv2020 {
  const ajv = new Ajv2020({ ...options, allErrors: true, verbose: true, useDefaults: true, strictTypes: false });
  // The package is CommonJS; what node calls its default is the module.
  (ajvFormats as unknown as { default: (ajv: Ajv2020, formats: string[]) => void }).default(ajv, ['uuid', 'date-time']);
  return ajv;
}

function bodyProblems(check: ValidateFunction | undefined, body: unknown): string[] {
  if (check === undefined) return body === undefined ? [] : ['body: none is taken here'];
  if (body === undefined) return ['body: is missing; send JSON with content-type application/json'];
  return problemsOf(check, body, 'body');
}

function problemsOf(check: ValidateFunction, value: unknown, where: string): string[] {
  if (check(value)) return [];
  // Every element of a long list may be wrong: what is not shown is not described either.
  const telling = (check.errors ?? []).filter(isTelling).slice(0, maxDescribed);
  return [...new Set(telling.map((error) => describe(error, where)))];
}

/** Of a choice, each alternative complains for itself; the choice as a whole says enough. */
function isTelling(error: ErrorObject): boolean {
  return !(error.keyword === 'const' && error.schemaPath.includes('/anyOf/'));
}

function describe(error: ErrorObject, where: string): string {
  const at = where + error.instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  switch (error.keyword) {
    case 'additionalProperties': {
      const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
      const takes = known.length === 0 ? 'nothing is taken here' : `it takes ${known.join(', ')}`;
      return `${at}: has an unknown member ${error.params.additionalProperty}; ${takes}`;
    }
    case 'required':
      return `${at}: lacks ${error.params.missingProperty}`;
    case 'anyOf':
      return `${at}: must be one of ${choicesOf(error)}`;
    case 'const':
      return `${at}: must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'pattern':
      return `${at}: ${error.message ?? 'is not valid'}${meaningOf(error)}`;
    default:
      return `${at}: ${error.message ?? 'is not valid'}`;
  }
}

/** A pattern says little to people; the description says what it is for. */
function meaningOf(error: ErrorObject): string {
  const { description } = (error.parentSchema ?? {}) as { description?: string };
  return description === undefined ? '' : `; it is: ${description}`;
}

function choicesOf(error: ErrorObject): string {
  const choices = (error.parentSchema as { anyOf?: { const?: unknown; type?: string }[] } | undefined)?.anyOf ?? [];
  return choices.map((choice) => String(choice.const ?? choice.type ?? 'the forms described')).join(', ');
}
