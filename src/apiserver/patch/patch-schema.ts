import type { JsonSchema } from '../../schema/index.ts';
import { patchFailed } from './errors.ts';

/** How a strategic merge patch treats one field. */
export interface FieldPatch {
  /** `merge`, `replace` or empty. */
  readonly strategy: string;
  readonly mergeKey: string;
  /** The schema inside the field: of a map's entries by name, or of a list's items. */
  readonly inside: JsonSchema;
}

const metadataSchema: JsonSchema = {
  type: 'object',
  properties: {
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    managedFields: { type: 'array', items: { type: 'object' } },
    ownerReferences: {
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
    },
  },
};

/** The object's schema with the standard metadata, which is patched the same way for every kind. */
export function patchSchemaOf(schema: JsonSchema): JsonSchema {
  return { ...schema, properties: { ...schema.properties, metadata: metadataSchema } };
}

/** Looks a field up; throws when the schema does not know it. */
export function fieldPatch(schema: JsonSchema, name: string): FieldPatch {
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const properties = schema.properties ?? {};
  const field = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? others ?? freeForm(schema);
  if (field === undefined)
    throw patchFailed(`unable to find api field in struct for the json field ${JSON.stringify(name)}`);
  const strategies = (field['x-kubernetes-patch-strategy'] ?? '')
    .split(',')
    .filter((strategy) => strategy !== 'retainKeys');
  return {
    strategy: strategies[0] ?? '',
    mergeKey: field['x-kubernetes-patch-merge-key'] ?? '',
    inside: field.type === 'array' ? (field.items ?? {}) : field,
  };
}

function freeForm(schema: JsonSchema): JsonSchema | undefined {
  const isOpen =
    schema.properties === undefined ||
    schema.additionalProperties === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? {} : undefined;
}
