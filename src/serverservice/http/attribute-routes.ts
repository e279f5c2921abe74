import { Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  AnyObject,
  answerCreated,
  answerMessage,
  answerPage,
  answerRecord,
  defineRoute,
  MessageAnswer,
  pageAnswer,
  pageQuery,
  type Route,
  readPage,
  recordAnswer,
  restResources,
  Struct,
} from '../../rest/index.ts';
import { attributeOrders } from '../attributes/attributes.ts';
import type { Serverservice } from '../serverservice.ts';
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
  const one = { path: `${path}/:namespace`, tag: 'attributes', params: namespaceParams } as const;
  const many = { path, tag: 'attributes', params: serverParams } as const;
  return [
    defineRoute({
      ...many,
      method: 'GET',
      operation: 'listServerAttributes',
      summary: 'What is noted of a server; conditions come last.',
      access: { verb: 'list', resource },
      query: Struct(pageQuery(attributeOrders)),
      answers: { 200: pageAnswer(AttributeShape) },
      refusals: notFound,
      async handle({ params, query, url }) {
        const request = readPage(query);
        return answerPage(await serverAttributes.list(params.uuid, request), { request, url, show: showAttribute });
      },
    }),
    defineRoute({
      ...many,
      method: 'POST',
      operation: 'createServerAttribute',
      summary: 'Notes something new of a server.',
      access: { verb: 'create', resource },
      body: AttributeDraft,
      answers: { 201: recordAnswer(AttributeShape) },
      refusals: { ...notFound, 409: 'The namespace is taken, or shows a condition, or another machine has that name.' },
      async handle({ params, body }) {
        await serverAttributes.create(params.uuid, { namespace: body.namespace, data: body.data as JsonObject });
        const record = showAttribute(await serverAttributes.get(params.uuid, body.namespace));
        const location = `${prefix}/servers/${params.uuid}/attributes/${encodeURIComponent(body.namespace)}`;
        return answerCreated({ location, slug: body.namespace, record });
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      operation: 'getServerAttribute',
      summary: 'What is noted of a server in a namespace.',
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(AttributeShape) },
      refusals: notFound,
      async handle({ params }) {
        return answerRecord(showAttribute(await serverAttributes.get(params.uuid, params.namespace)));
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      operation: 'putServerAttribute',
      summary: 'Notes something of a server, there or not.',
      access: { verb: 'update', resource },
      body: AttributeUpdate,
      answers: { 200: recordAnswer(AttributeShape) },
      refusals: { ...notFound, ...readOnly },
      async handle({ params, body }) {
        await serverAttributes.put(params.uuid, { namespace: params.namespace, data: body.data as JsonObject });
        const record = showAttribute(await serverAttributes.get(params.uuid, params.namespace));
        return answerRecord(record, 'resource updated');
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      operation: 'deleteServerAttribute',
      summary: 'Forgets what is noted in a namespace.',
      access: { verb: 'delete', resource },
      answers: { 200: MessageAnswer },
      refusals: { ...notFound, ...readOnly },
      async handle({ params }) {
        await serverAttributes.remove(params.uuid, params.namespace);
        return answerMessage('resource deleted', { slug: params.namespace });
      },
    }),
  ];
}

function versionedRoutes({ servers, versionedAttributes }: Serverservice): readonly Route[] {
  const path = `${prefix}/servers/:uuid/versioned-attributes`;
  const ownerOf = async (uuid: string) => ({ kind: 'server', id: (await servers.get(uuid)).id }) as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      tag: 'attributes',
      params: serverParams,
      operation: 'listServerVersionedAttributes',
      summary: 'Of each namespace the newest version.',
      access: { verb: 'list', resource },
      query: Struct(pageQuery(attributeOrders)),
      answers: { 200: pageAnswer(VersionedShape) },
      refusals: notFound,
      async handle({ params, query, url }) {
        const request = readPage(query);
        const page = await versionedAttributes.listLatest(await ownerOf(params.uuid), request);
        return answerPage(page, { request, url, show: showVersioned });
      },
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
      async handle({ params, body }) {
        const draft = { namespace: body.namespace, data: body.data as JsonObject };
        const done = await versionedAttributes.append(await ownerOf(params.uuid), draft);
        if (done === 'tallied') return answerMessage('resource updated', { slug: body.namespace });
        const location = `${prefix}/servers/${params.uuid}/versioned-attributes/${encodeURIComponent(body.namespace)}`;
        return { status: 201, body: { message: 'resource created', slug: body.namespace }, headers: { location } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:namespace`,
      tag: 'attributes',
      params: namespaceParams,
      operation: 'listServerAttributeVersions',
      summary: 'All versions of a namespace, the newest first.',
      access: { verb: 'list', resource },
      query: Struct(pageQuery(['version'])),
      answers: { 200: pageAnswer(VersionedShape) },
      refusals: notFound,
      async handle({ params, query, url }) {
        const request = readPage(query);
        const page = await versionedAttributes.listVersions(await ownerOf(params.uuid), params.namespace, request);
        return answerPage(page, { request, url, show: showVersioned });
      },
    }),
  ];
}
