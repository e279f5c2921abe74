import { stringify } from 'yaml';
import type { Json, JsonSchema } from '../../schema/index.ts';
import { field, numberField } from '../protobuf/wire-writer.ts';

/** The parts of the OpenAPI 2 document that are written in protobuf. */
export interface DescribedDefinitions {
  readonly info: { readonly title: string; readonly version: string };
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/**
 * The OpenAPI 2 document as kubectl reads it to check and explain objects: names and definitions. Paths, which no client
 * asks for in this form, are left out.
 */
export function openApiV2Protobuf({ info, definitions }: DescribedDefinitions): Buffer {
  return Buffer.concat([
    field(1, '2.0'),
    field(2, field(1, info.title), field(2, info.version)),
    field(8),
    field(9, ...Object.entries(definitions).map(namedSchema)),
  ]);
}

function namedSchema([name, schema]: [string, JsonSchema]): Buffer {
  return field(1, field(1, name), field(2, schemaMessage(schema)));
}

function schemaMessage(schema: JsonSchema): Buffer {
  const { $ref, format, description, required = [], items, properties, additionalProperties: additional } = schema;
  const types = schema.type === undefined ? [] : [schema.type];
  return Buffer.concat([
    ...texts(1, $ref),
    ...texts(2, format),
    ...texts(4, description),
    ...required.map((name) => field(19, name)),
    ...(additional === undefined ? [] : [field(21, additionalMessage(additional))]),
    ...(types.length === 0 ? [] : [field(22, ...types.map((type) => field(1, type)))]),
    ...(items === undefined ? [] : [field(23, field(1, schemaMessage(items)))]),
    ...(properties === undefined ? [] : [field(25, ...Object.entries(properties).map(namedSchema))]),
    ...extensions(schema),
  ]);
}

function texts(number: number, text: string | undefined): Buffer[] {
  return text === undefined || text === '' ? [] : [field(number, text)];
}

function additionalMessage(additional: JsonSchema | boolean): Buffer {
  return typeof additional === 'boolean' ? numberField(2, additional ? 1 : 0) : field(1, schemaMessage(additional));
}

/** Extensions are carried as texts in YAML. */
function extensions(schema: JsonSchema): Buffer[] {
  const own = Object.entries(schema as Record<string, Json | undefined>).filter(([name]) => name.startsWith('x-'));
  return own.map(([name, value]) => field(31, field(1, name), field(2, field(2, stringify(value)))));
}
