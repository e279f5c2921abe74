import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';

/**
 * Removes what Kubernetes' own types leave out when they are written: nulls, and empty maps, lists and texts of
 * optional fields. Empty structs stay, because their presence means something (`emptyDir: {}`).
 */
export function dropEmpty(value: JsonObject, schema: JsonSchema): void {
  const properties = schema.properties ?? {};
  for (const [key, child] of Object.entries(value)) {
    const field =
      properties[key] ?? (isJsonObject(schema.additionalProperties) ? schema.additionalProperties : undefined);
    if (field === undefined) continue;
    descend(child, field);
    const isOptional = Object.hasOwn(properties, key) && !(schema.required ?? []).includes(key);
    if (child === null || (isOptional && isEmpty(child, field))) delete value[key];
  }
}

function descend(value: Json, schema: JsonSchema): void {
  if (isJsonObject(value)) dropEmpty(value, schema);
  else if (Array.isArray(value) && schema.items !== undefined) for (const item of value) descend(item, schema.items);
}

function isEmpty(value: Json, schema: JsonSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value))
    return (
      schema.properties === undefined && schema.additionalProperties !== undefined && Object.keys(value).length === 0
    );
  return value === '' && schema.type === 'string' && schema.format === undefined;
}
