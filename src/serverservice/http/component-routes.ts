import { type Static, Type } from 'typebox';
import {
  answerMessage,
  answerRecord,
  defineRoute,
  ListOf,
  MessageAnswer,
  pageQuery,
  type Route,
  recordAnswer,
  restResources,
  Struct,
  Text,
} from '../../rest/index.ts';
import type { ComponentQuery, ComponentRecord, ComponentType } from '../components/component.ts';
import { componentTypeOrders } from '../components/component-types.ts';
import { componentOrders } from '../components/components.ts';
import type { Serverservice } from '../serverservice.ts';
import { readComponents } from './read-drafts.ts';
import { recordRoutes } from './record-routes.ts';
import {
  ComponentDraftShape,
  ComponentShape,
  ComponentTypeShape,
  ignored,
  notLookedAt,
  prefix,
  ServerShape,
  serverParams,
  slugDraft,
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
  const path = `${prefix}/servers/:uuid/components`;
  const routes = recordRoutes<ComponentRecord>({
    ...{ path, tag: 'components', resource, shape: ComponentShape },
    show: showComponent,
    slug: ({ id }) => id,
  });
  const ofServer = { path, tag: 'components', params: serverParams } as const;
  return [
    routes.list({
      path: `${prefix}/servers/components`,
      operation: 'listComponents',
      summary: 'Parts of all servers.',
      query: listQuery,
      list: ({ query }, request) => components.list(readQuery(query), request),
    }),
    routes.list({
      params: serverParams,
      operation: 'listServerComponents',
      summary: 'Parts of a server.',
      query: listQuery,
      refusals: notFound,
      async list({ params, query }, request) {
        const { id } = await servers.get(params.uuid);
        return components.list({ ...readQuery(query), serverId: id }, request);
      },
    }),
    defineRoute({
      ...ofServer,
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
      ...ofServer,
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
    routes.remove({
      params: serverParams,
      operation: 'deleteServerComponents',
      summary: 'Takes all parts of a server away.',
      refusals: notFound,
      async remove({ params }) {
        await components.removeAll(params.uuid);
        return params.uuid;
      },
    }),
  ];
}

function typeRoutes({ componentTypes }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-component-types`;
  const routes = recordRoutes<ComponentType>({
    ...{ path, tag: 'components', resource: restResources.componentTypes, shape: ComponentTypeShape },
    show: showComponentType,
    slug: ({ slug }) => slug,
  });
  return [
    routes.list({
      operation: 'listComponentTypes',
      summary: 'Kinds of parts.',
      query: Struct({ ...pageQuery(componentTypeOrders), name: Type.Optional(Text('Only the one of this name.')) }),
      list: ({ query }, request) => componentTypes.list({ name: query.name }, request),
    }),
    routes.create({
      operation: 'createComponentType',
      summary: 'A new kind of part.',
      body: Struct(
        { id: notLookedAt(), ...slugDraft, ...ignored },
        { title: 'ComponentTypeDraft', description: 'A kind of part to be created.' },
      ),
      refusals: { 409: 'The slug is taken.' },
      create: ({ body }) => componentTypes.create({ name: body.name, slug: body.slug }),
      location: ({ name }) => `${path}?name=${encodeURIComponent(name)}`,
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
