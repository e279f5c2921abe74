import { type FieldError, forbiddenError, invalidError, type JsonSchema } from '../../schema/index.ts';
import { validateDefaults } from './validate-defaults.ts';
import { goFieldsOf, goSchemaText } from './validate-internal-text.ts';
import { validateOpenApi } from './validate-openapi.ts';
import { RuleCosts } from './validate-rules.ts';
import { validateStructural } from './validate-structural.ts';

// With a status subresource, `status` is checked by a schema of its own, so nothing may stand at the root that would
// be lost by taking it out.
const allowedAtRoot = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Checks the schema of a CustomResourceDefinition, or of one of its versions. */
export function validateCrdSchema(schema: JsonSchema, at: { path: string; hasStatus: boolean }): FieldError[] {
  const path = `${at.path}.openAPIV3Schema`;
  const errors = at.hasStatus ? rootErrors(schema, path) : [];
  if (schema.nullable === true) errors.push(forbiddenError(`${path}.nullable`, 'nullable cannot be true at the root'));
  const costs = new RuleCosts();
  const unfit = structureErrors(schema, path);
  const found = validateOpenApi(schema, {
    path,
    isRoot: true,
    compilesRules: unfit.length === 0,
    cardinality: 1,
    costs,
  });
  return [...errors, ...unfit, ...found.form, ...found.rules, ...costs.errors(path)];
}

// A schema that is no JSON Schema of ours at all cannot be structural; its form errors say enough then.
function structureErrors(schema: JsonSchema, path: string): FieldError[] {
  if (hasUnsupported(schema)) return [];
  const structural = validateStructural(schema, path);
  return structural.length > 0 ? structural : validateDefaults(schema, path);
}

const unsupported = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'];

function hasUnsupported(schema: JsonSchema): boolean {
  const fields = schema as Record<string, unknown>;
  if (unsupported.some((name) => fields[name] !== undefined) || Array.isArray(fields.items)) return true;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return true;
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...[schema.items, schema.not, schema.additionalProperties],
  ];
  return parts.some((part) => typeof part === 'object' && hasUnsupported(part));
}

function rootErrors(schema: JsonSchema, path: string): FieldError[] {
  for (const field of goFieldsOf(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const words =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidError(`${path}.type`, schema.type, words)];
    }
    if (!allowedAtRoot.includes(field)) {
      const words = `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [{ ...invalidError(path, null, words), badValueText: goSchemaText(schema) }];
    }
  }
  return [];
}
