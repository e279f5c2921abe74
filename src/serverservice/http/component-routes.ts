import { type Static, Type } from 'typebox';
import {
  answerCreated,
  answerMessage,
  answerPage,
  answerRecord,
  defineRoute,
  ListOf,
  MessageAnswer,
  pageAnswer,
  pageQuery,
  type Route,
  readPage,
  recordAnswer,
  restResources,
  Struct,
  Text,
} from '../../rest/index.ts';
import type { ComponentQuery } from '../components/component.ts';
import { componentTypeOrders } from '../components/component-types.ts';
import { componentOrders } from '../components/components.ts';
import type { Serverservice } from '../serverservice.ts';
import { readComponents } from './read-drafts.ts';
import {
  ComponentDraftShape,
  ComponentShape,
  ComponentTypeShape,
  ignored,
  prefix,
  ServerShape,
  serverParams,
} from './shapes.ts';
import { showComponent, showComponentType, showServerDetails } from './show.ts';

const resource = restResources.serverComponents;
const notFound = { 404: 'There is no such server.' };

const listQuery = Struct({
  ...pageQuery(componentOrders),
  'server-component-type': Type.Optional(Text('Only parts of this type, by its slug.', { maxLength: 100 })),
  name: Type.Optional(Text('Only those of this name.', { maxLength: 255 })),
  vendor: Type.Optional(Text('Only those of this vendor.', { maxLength: 255 })),
  model: Type.Optional(Text('Only those of this model.', { maxLength: 255 })),
  serial: Type.Optional(Text('Only those with this serial number.', { maxLength: 255 })),
});

const Drafts = ListOf(ComponentDraftShape, 'Parts of the server.', { maxItems: 500 });

function readQuery(query: Static<typeof listQuery>): ComponentQuery {
  const { name, vendor, model, serial } = query;
  return { type: query['server-component-type']?.toLowerCase(), name, vendor, model, serial };
}

/** Parts of servers, their types, and the inventory of a server as a whole. */
export function componentRoutes(service: Serverservice): readonly Route[] {
  return [...partRoutes(service), ...typeRoutes(service), ...inventoryRoutes(service)];
}

function partRoutes({ servers, components }: Serverservice): readonly Route[] {
  const shared = { path: `${prefix}/servers/:uuid/components`, tag: 'components', params: serverParams } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${prefix}/servers/components`,
      tag: 'components',
      operation: 'listComponents',
      summary: 'Parts of all servers.',
      access: { verb: 'list', resource },
      query: listQuery,
      answers: { 200: pageAnswer(ComponentShape) },
      async handle({ query, url }) {
        const request = readPage(query);
        return answerPage(await components.list(readQuery(query), request), { request, url, show: showComponent });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      operation: 'listServerComponents',
      summary: 'Parts of a server.',
      access: { verb: 'list', resource },
      query: listQuery,
      answers: { 200: pageAnswer(ComponentShape) },
      refusals: notFound,
      async handle({ params, query, url }) {
        const request = readPage(query);
        const { id } = await servers.get(params.uuid);
        const page = await components.list({ ...readQuery(query), serverId: id }, request);
        return answerPage(page, { request, url, show: showComponent });
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      operation: 'createServerComponents',
      summary: 'New parts, all or none.',
      access: { verb: 'create', resource },
      body: Drafts,
      answers: { 201: MessageAnswer },
      refusals: { ...notFound, 409: 'A part of that type and serial number is there.' },
      async handle({ params, body }) {
        await components.create(params.uuid, readComponents(body));
        const location = `${prefix}/servers/${params.uuid}/components`;
        return { status: 201, body: { message: 'resource created', slug: params.uuid }, headers: { location } };
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operation: 'putServerComponents',
      summary: 'Parts to be added or changed, all or none; others stay.',
      access: { verb: 'update', resource },
      body: Drafts,
      answers: { 200: MessageAnswer },
      refusals: notFound,
      async handle({ params, body }) {
        await components.put(params.uuid, readComponents(body));
        return answerMessage('resource updated', { slug: params.uuid });
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      operation: 'deleteServerComponents',
      summary: 'Takes all parts of a server away.',
      access: { verb: 'delete', resource },
      answers: { 200: MessageAnswer },
      refusals: notFound,
      async handle({ params }) {
        await components.removeAll(params.uuid);
        return answerMessage('resource deleted', { slug: params.uuid });
      },
    }),
  ];
}

function typeRoutes({ componentTypes }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-component-types`;
  return [
    defineRoute({
      method: 'GET',
      path,
      tag: 'components',
      operation: 'listComponentTypes',
      summary: 'Kinds of parts.',
      access: { verb: 'list', resource: restResources.componentTypes },
      query: Struct({ ...pageQuery(componentTypeOrders), name: Type.Optional(Text('Only the one of this name.')) }),
      answers: { 200: pageAnswer(ComponentTypeShape) },
      async handle({ query, url }) {
        const request = readPage(query);
        const page = await componentTypes.list({ name: query.name }, request);
        return answerPage(page, { request, url, show: showComponentType });
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      tag: 'components',
      operation: 'createComponentType',
      summary: 'A new kind of part.',
      access: { verb: 'create', resource: restResources.componentTypes },
      body: Struct(
        {
          id: Type.Optional(Type.Unknown({ description: 'Not looked at.', readOnly: true })),
          name: Text('Its name.', { minLength: 1, maxLength: 100 }),
          slug: Type.Optional(
            Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,99}$', description: 'Made from the name unless given.' }),
          ),
          ...ignored,
        },
        { title: 'ComponentTypeDraft', description: 'A kind of part to be created.' },
      ),
      answers: { 201: recordAnswer(ComponentTypeShape) },
      refusals: { 409: 'The slug is taken.' },
      async handle({ body }) {
        const type = await componentTypes.create({ name: body.name, slug: body.slug });
        return answerCreated({
          location: `${path}?name=${encodeURIComponent(type.name)}`,
          slug: type.slug,
          record: showComponentType(type),
        });
      },
    }),
  ];
}

function inventoryRoutes({ servers, components }: Serverservice): readonly Route[] {
  const shared = { path: `${prefix}/inventory/:uuid`, tag: 'inventory', params: serverParams } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      operation: 'getInventory',
      summary: 'A server with all its parts.',
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(ServerShape) },
      refusals: notFound,
      handle: async ({ params }) => answerRecord(showServerDetails(await servers.getDetails(params.uuid))),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operation: 'putInventory',
      summary: 'All parts of a server as they were found: what is not among them goes.',
      access: { verb: 'update', resource },
      body: Struct({ components: Drafts }, { title: 'Inventory', description: 'All parts of a server.' }),
      answers: { 200: MessageAnswer },
      refusals: notFound,
      async handle({ params, body }) {
        await components.replace(params.uuid, readComponents(body.components));
        return answerMessage('resource updated', { slug: params.uuid });
      },
    }),
  ];
}
