import type { JsonObject, JsonValue } from '../engine/index.ts';
import { maxBodyBytes } from './error-answer.ts';
import { restErrors } from './errors.ts';
import type { Route } from './route.ts';
import { ErrorAnswer } from './shapes.ts';

/** What an OpenAPI document says of its service. */
export interface OpenapiInfo {
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

/** The OpenAPI 3.1 document of some routes. Schemas that have a title become components of that name. */
export function describeRoutes(info: OpenapiInfo, routes: readonly Route[]): JsonObject {
  const components = new Map<string, JsonObject>();
  const paths: JsonObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = { [route.method.toLowerCase()]: describe(route, components) };
    paths[path] = { ...(paths[path] as JsonObject | undefined), ...operation };
  }
  return {
    openapi: '3.1.0',
    info: { ...info },
    paths,
    components: {
      headers: Object.fromEntries(Object.values(headers).map(({ component, header }) => [component, header])),
      responses: describeUsual(components),
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token; see the access of each path.' },
      },
    },
  };
}

function describe(route: Route, components: Map<string, JsonObject>): JsonObject {
  const { access } = route;
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.tag],
    ...(access === 'public'
      ? { security: [] }
      : { security: [{ bearer: [] }], 'x-access': { verb: access.verb, resource: access.resource.kube } }),
    parameters: [...parameters(route.params, 'path', components), ...parameters(route.query, 'query', components)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(hoist(route.body as unknown as JsonValue, components)) } }),
    responses: responses(route, components),
  };
}

function parameters(
  schema: Route['params'],
  where: 'path' | 'query',
  components: Map<string, JsonObject>,
): JsonObject[] {
  const required = new Set<string>(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = hoist(property as unknown as JsonValue, components) as JsonObject;
    return {
      name,
      in: where,
      required: where === 'path' || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

/** Refusals that any route gives. */
const usual: Readonly<Record<string, { readonly status: number; readonly description: string }>> = {
  BadRequest: { status: 400, description: 'The request is malformed; the problems are listed.' },
  Unauthenticated: { status: 401, description: 'The token is missing or not known.' },
  Forbidden: { status: 403, description: 'The token is not enough.' },
  TooSlow: { status: 408, description: sentence(restErrors.tooSlow.message) },
  TooLarge: { status: 413, description: `The body is larger than ${maxBodyBytes} bytes.` },
  WrongMediaType: { status: 415, description: 'The body is not application/json.' },
  HeadersTooLarge: { status: 431, description: sentence(restErrors.headersTooLarge.message) },
  Failed: { status: 500, description: 'The service failed; its log has the reason.' },
  Unavailable: { status: 503, description: 'The service cannot do this at the moment.' },
};

function describeUsual(components: Map<string, JsonObject>): JsonObject {
  const content = json(hoist(ErrorAnswer as unknown as JsonValue, components));
  return Object.fromEntries(
    Object.entries(usual).map(([name, { status, description }]) => [
      name,
      { description, headers: headersOf(status), content },
    ]),
  );
}

/** Headers that answers have besides those of HTTP itself. */
const headers = {
  'X-Request-Id': {
    component: 'RequestId',
    header: {
      description: 'The id of the request, also in the log of the service: the one that was sent, if it is harmless.',
      required: true,
      schema: { type: 'string', pattern: '^[\\w.:-]{1,64}$' },
    },
  },
  Location: {
    component: 'Location',
    header: {
      description: 'Where what was created is found.',
      required: true,
      schema: { type: 'string', pattern: '^/' },
    },
  },
  'WWW-Authenticate': {
    component: 'Challenge',
    header: {
      description: 'What kind of token is asked for, and what is wrong with the one that came.',
      required: true,
      schema: { type: 'string', pattern: '^Bearer realm=' },
    },
  },
  'Retry-After': {
    component: 'RetryAfter',
    header: {
      description: 'Seconds to wait before it is tried again.',
      required: true,
      schema: { type: 'integer', minimum: 1 },
    },
  },
} as const satisfies Record<string, { readonly component: string; readonly header: JsonObject }>;

/** What is no HTTP, or too slow or too large to be read as such, has no request whose id could be told. */
const withoutRequest = new Set([408, 431]);

function headersOf(status: number): JsonObject {
  const names: (keyof typeof headers)[] = [
    ...(withoutRequest.has(status) ? [] : ['X-Request-Id' as const]),
    ...(status === 201 ? ['Location' as const] : []),
    ...(status === 401 || status === 403 ? ['WWW-Authenticate' as const] : []),
    ...(status === 503 ? ['Retry-After' as const] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headers[name].component}` }]));
}

function responses(route: Route, components: Map<string, JsonObject>): JsonObject {
  const left = new Set(route.access === 'public' ? [401, 403] : []);
  if (route.body === undefined) left.add(413);
  const refused = Object.entries(usual)
    .filter(([, { status }]) => !left.has(status))
    .map(([name, { status }]): [string, JsonObject] => [String(status), { $ref: `#/components/responses/${name}` }]);
  const own = Object.entries(route.refusals ?? {}).map(([status, description]): [string, JsonObject] => [
    status,
    {
      description,
      headers: headersOf(Number(status)),
      content: json(hoist(ErrorAnswer as unknown as JsonValue, components)),
    },
  ]);
  const answers = Object.entries(route.answers).map(([status, schema]): [string, JsonObject] => [
    status,
    {
      description: 'Done.',
      headers: headersOf(Number(status)),
      content: content(route, hoist(schema as unknown as JsonValue, components)),
    },
  ]);
  return Object.fromEntries([...answers, ...refused, ...own].sort(([a], [b]) => Number(a) - Number(b)));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function content({ mediaType }: Route, schema: JsonValue): JsonObject {
  return mediaType === undefined ? json(schema) : { [mediaType]: { schema } };
}

function json(schema: JsonValue): JsonObject {
  return { 'application/json': { schema } };
}

/** A plain copy of a schema in which every titled part is a reference to a component. */
function hoist(schema: JsonValue, components: Map<string, JsonObject>): JsonValue {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, hoist(value, components)]));
  const title = copy.title;
  if (typeof title !== 'string') return copy;
  const { title: _, ...component } = copy;
  components.set(title, component);
  return { $ref: `#/components/schemas/${title}` };
}
