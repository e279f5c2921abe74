import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** An object whose unknown members are refused, so that a misspelt one is told and not lost. */
export function Struct<P extends TProperties>(
  properties: P,
  options: { readonly title?: string; readonly description?: string } = {},
): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** An object with members that nobody declared. */
export const AnyObject = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { propertyNames: { not: { const: '__proto__' } }, description });

/** An id. */
export const Uuid = (description: string) => Type.String({ format: 'uuid', description });

/** A time as in RFC 3339. */
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** A text of bounded length. */
export const Text = (
  description: string,
  options: { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string } = {},
) => Type.String({ maxLength: 1024, pattern: '^[^\\u0000]*$', ...options, description });

/** A list of bounded length. */
export const ListOf = <T extends TSchema>(
  items: T,
  description: string,
  options: { readonly maxItems?: number; readonly minItems?: number } = {},
) => Type.Array(items, { maxItems: 1000, ...options, description });

/** What every refusal looks like. */
export const ErrorAnswer = Struct(
  {
    message: Type.String({ description: 'What was wrong, where, and what to do.' }),
    error: Type.String({ description: 'The single reasons in one line; the message where there is one only.' }),
    code: Type.String({ description: 'One word for programs.' }),
    problems: Type.Optional(Type.Array(Type.String(), { description: 'The single reasons.' })),
    record: Type.Optional(AnyObject('What is there now, where the request lost against it.')),
    request_id: Type.String({ description: 'The id of the request, also in the log of the service.' }),
  },
  { title: 'ErrorAnswer', description: 'Why a request was refused.' },
);

/** What every refusal looks like. */
export type ErrorAnswer = Static<typeof ErrorAnswer>;

/** The answer of a request that only says that it was done. */
export const MessageAnswer = Struct(
  {
    message: Type.String({ description: 'What was done.' }),
    slug: Type.Optional(Type.String({ description: 'What it was done to.' })),
  },
  { title: 'MessageAnswer', description: 'What was done.' },
);

/** The answer with one record. */
export const recordAnswer = (record: TSchema) =>
  Struct({
    message: Type.Optional(Type.String({ description: 'What was done.' })),
    slug: Type.Optional(Type.String({ description: 'The id or name of the record.' })),
    record,
  });

const Link = Type.Optional(Struct({ href: Type.String({ description: 'Path and query.' }) }));

/** The answer with a page of records. */
export const pageAnswer = (record: TSchema) =>
  Struct({
    page_size: Type.Integer({ description: 'Records on this page.' }),
    page: Type.Integer({ description: 'Which page this is; the first is 1.' }),
    page_count: Type.Integer({ description: 'Records on this page.' }),
    total_pages: Type.Integer({ description: 'How many pages there are.' }),
    total_record_count: Type.Integer({ description: 'How many records there are.' }),
    _links: Struct({ self: Link, first: Link, previous: Link, next: Link, last: Link }),
    records: Type.Array(record),
  });

/** The query of a list. */
export const pageQuery = (orders: readonly string[]) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Records on a page.' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Which page.' })),
  orderby: Type.Optional(
    Type.Union(
      orders.flatMap((name) => [Type.Literal(name), Type.Literal(`-${name}`)]),
      { description: 'The order of the records; with a minus the greatest comes first.' },
    ),
  ),
});
