import {
  compileRules,
  embeddedFault,
  explain,
  type FieldError,
  findUnknownIn,
  invalidError,
  type Json,
  type JsonSchema,
  validateEmbedded,
} from '../../schema/index.ts';

/** Checks that every default is itself a valid value without unknown fields. */
export function validateDefaults(schema: JsonSchema, path: string): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null ? [] : defaultErrors(schema, schema.default, path);
  if (schema.items !== undefined) errors.push(...validateDefaults(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...validateDefaults(property, `${path}.properties[${name}]`));
  }
  return errors;
}

function defaultErrors(schema: JsonSchema, value: Json, path: string): FieldError[] {
  const at = `${path}.default`;
  const errors: FieldError[] = [];
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  if (findUnknownIn(value, schema, { isResource }).length > 0) {
    errors.push(invalidError(at, value, 'must not have unknown fields'));
  }
  const fault = embeddedFault(value, schema);
  if (fault !== undefined) return [...errors, invalidError(at, value, fault)];
  const embedded = validateEmbedded(value, schema).map((error) => ({ ...error, field: `${at}.${error.field}` }));
  if (embedded.length > 0) return [...errors, ...embedded];
  const found = explain(value, schema, { prefix: at });
  if (found.length > 0) return [...errors, ...found];
  const run = compileRules(schema, { isRoot: isResource });
  if (run === undefined) return errors;
  const withOld = run(value, value, { path: at });
  return [...errors, ...(withOld.length > 0 ? withOld : run(value, undefined, { path: at }))];
}
