import { Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  AnyObject,
  answerMessage,
  defineRoute,
  MessageAnswer,
  pageQuery,
  type Route,
  restResources,
  Struct,
} from '../../rest/index.ts';
import type { Attribute, VersionedAttribute } from '../attributes/attribute.ts';
import { attributeOrders } from '../attributes/attributes.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import {
  AttributeDraft,
  AttributeShape,
  ignored,
  Namespace,
  namespaceParams,
  prefix,
  serverParams,
  VersionedAttributeDraft,
  VersionedShape,
} from './shapes.ts';
import { showAttribute, showVersioned } from './show.ts';

const resource = restResources.serverAttributes;
const notFound = { 404: 'There is no such server or attribute.' };
const readOnly = { 409: 'The namespace shows a condition, which is changed elsewhere.' };

const AttributeUpdate = Struct(
  { namespace: Type.Optional(Namespace), data: AnyObject('What is noted.'), ...ignored },
  { title: 'AttributeUpdate', description: 'What is noted now.' },
);

/** Attributes of servers; conditions are among them, to be read. */
export function attributeRoutes(service: Serverservice): readonly Route[] {
  return [...plainRoutes(service), ...versionedRoutes(service)];
}

function plainRoutes({ serverAttributes }: Serverservice): readonly Route[] {
  const path = `${prefix}/servers/:uuid/attributes`;
  const routes = recordRoutes<Attribute>({
    ...{ path, tag: 'attributes', resource, shape: AttributeShape },
    show: showAttribute,
    slug: ({ namespace }) => namespace,
  });
  const one = { path: `${path}/:namespace`, params: namespaceParams, refusals: { ...notFound, ...readOnly } };
  return [
    routes.list({
      params: serverParams,
      operation: 'listServerAttributes',
      summary: 'What is noted of a server; conditions come last.',
      query: Struct(pageQuery(attributeOrders)),
      refusals: notFound,
      list: ({ params }, request) => serverAttributes.list(params.uuid, request),
    }),
    routes.create({
      params: serverParams,
      operation: 'createServerAttribute',
      summary: 'Notes something new of a server.',
      body: AttributeDraft,
      refusals: { ...notFound, 409: 'The namespace is taken, or shows a condition, or another machine has that name.' },
      async create({ params, body }) {
        await serverAttributes.create(params.uuid, { namespace: body.namespace, data: body.data as JsonObject });
        return serverAttributes.get(params.uuid, body.namespace);
      },
      location: ({ namespace }, { params }) => placeOf(params.uuid, 'attributes', namespace),
    }),
    routes.get({
      ...one,
      refusals: notFound,
      operation: 'getServerAttribute',
      summary: 'What is noted of a server in a namespace.',
      get: ({ params }) => serverAttributes.get(params.uuid, params.namespace),
    }),
    routes.put({
      ...one,
      operation: 'putServerAttribute',
      summary: 'Notes something of a server, there or not.',
      body: AttributeUpdate,
      async put({ params, body }) {
        await serverAttributes.put(params.uuid, { namespace: params.namespace, data: body.data as JsonObject });
        return serverAttributes.get(params.uuid, params.namespace);
      },
    }),
    routes.remove({
      ...one,
      operation: 'deleteServerAttribute',
      summary: 'Forgets what is noted in a namespace.',
      async remove({ params }) {
        await serverAttributes.remove(params.uuid, params.namespace);
        return params.namespace;
      },
    }),
  ];
}

function placeOf(server: string, part: string, namespace: string): string {
  return `${prefix}/servers/${server}/${part}/${encodeURIComponent(namespace)}`;
}

function versionedRoutes({ servers, versionedAttributes }: Serverservice): readonly Route[] {
  const path = `${prefix}/servers/:uuid/versioned-attributes`;
  const routes = recordRoutes<VersionedAttribute>({
    ...{ path, tag: 'attributes', resource, shape: VersionedShape },
    show: showVersioned,
    slug: ({ namespace }) => namespace,
  });
  const ownerOf = async (uuid: string) => ({ kind: 'server', id: (await servers.get(uuid)).id }) as const;
  return [
    routes.list({
      params: serverParams,
      operation: 'listServerVersionedAttributes',
      summary: 'Of each namespace the newest version.',
      query: Struct(pageQuery(attributeOrders)),
      refusals: notFound,
      list: async ({ params }, request) => versionedAttributes.listLatest(await ownerOf(params.uuid), request),
    }),
    defineRoute({
      method: 'POST',
      path,
      tag: 'attributes',
      params: serverParams,
      operation: 'appendServerVersionedAttribute',
      summary: 'Adds a version; the same as the newest is counted once more.',
      access: { verb: 'create', resource },
      body: VersionedAttributeDraft,
      answers: { 201: MessageAnswer, 200: MessageAnswer },
      refusals: notFound,
      async handle({ params, body: { namespace, data } }) {
        const owner = await ownerOf(params.uuid);
        const done = await versionedAttributes.append(owner, { namespace, data: data as JsonObject });
        if (done === 'tallied') return answerMessage('resource updated', { slug: namespace });
        const location = placeOf(params.uuid, 'versioned-attributes', namespace);
        return { status: 201, body: { message: 'resource created', slug: namespace }, headers: { location } };
      },
    }),
    routes.list({
      path: `${path}/:namespace`,
      params: namespaceParams,
      operation: 'listServerAttributeVersions',
      summary: 'All versions of a namespace, the newest first.',
      query: Struct(pageQuery(['version'])),
      refusals: notFound,
      list: async ({ params }, request) =>
        versionedAttributes.listVersions(await ownerOf(params.uuid), params.namespace, request),
    }),
  ];
}
