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

function responses(route: Route, components: Map<string, JsonObject>): JsonObject {
  const error = json(hoist(ErrorAnswer as unknown as JsonValue, components));
  const refusals: Record<number, string> = {
    400: 'The request is malformed; the problems are listed.',
    ...(route.access === 'public'
      ? {}
      : { 401: 'The token is missing or not known.', 403: 'The token is not enough.' }),
    ...(route.body === undefined ? {} : { 413: `The body is larger than ${maxBodyBytes} bytes.` }),
    408: sentence(restErrors.tooSlow.message),
    415: 'The body is not application/json.',
    431: sentence(restErrors.headersTooLarge.message),
    500: 'The service failed; its log has the reason.',
    503: 'The service cannot do this at the moment.',
    ...route.refusals,
  };
  const answers = Object.entries(route.answers).map(([status, schema]): [string, JsonObject] => [
    status,
    { description: 'Done.', content: json(hoist(schema as unknown as JsonValue, components)) },
  ]);
  const refused = Object.entries(refusals).map(([status, description]): [string, JsonObject] => [
    status,
    { description, content: error },
  ]);
  return Object.fromEntries([...answers, ...refused].sort(([a], [b]) => Number(a) - Number(b)));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
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
