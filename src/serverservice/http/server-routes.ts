import { type Static, Type } from 'typebox';
import { ListOf, pageQuery, type Route, restResources, Struct, Text, Uuid } from '../../rest/index.ts';
import { parseAttributeFilters } from '../attributes/attribute-filter.ts';
import { facilityPattern, isSameAddress } from '../servers/check-server.ts';
import type { ServerDetails, ServerFields, ServerQuery, ServerRecord } from '../servers/server.ts';
import { serverOrders } from '../servers/servers.ts';
import type { Serverservice } from '../serverservice.ts';
import { readAttributes } from './read-drafts.ts';
import { recordRoutes } from './record-routes.ts';
import {
  AttributeDraft,
  ignored,
  notLookedAt,
  prefix,
  ServerShape,
  serverParams,
  VersionedAttributeDraft,
} from './shapes.ts';
import { showServer, showServerDetails } from './show.ts';

const Facility = Type.String({ pattern: facilityPattern, description: 'Where it is.' });

/** Empty, or a UUID. */
const uuidOrNone = '^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$';

const fields = {
  name: Type.Optional(Text('Its name.', { maxLength: 255 })),
  vendor: Type.Optional(Text('Who made it.', { maxLength: 255 })),
  model: Type.Optional(Text('Its model.', { maxLength: 255 })),
  serial: Type.Optional(Text('Its serial number.', { maxLength: 255 })),
  bmc_id: Type.Optional(Text('Servers with the same one share a BMC; its own unless given.', { maxLength: 255 })),
  bmc_address: Type.Optional(
    Text(
      'Where its BMC is: https://10.0.0.7:8443, with the path of its system where there are several. Kept in one spelling, whatever the given one.',
      {
        maxLength: 255,
      },
    ),
  ),
  mac_addresses: Type.Optional(
    ListOf(Type.String({ pattern: '^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$' }), 'MAC addresses it is known by.', {
      maxItems: 64,
    }),
  ),
  system_uuid: Type.Optional(
    Text('The UUID of its system; filled in by inventories. Empty: whatever machine is there next.', {
      pattern: uuidOrNone,
    }),
  ),
  bmc_uuid: Type.Optional(
    Text('The UUID of the service root of its BMC; filled in by inventories.', { pattern: uuidOrNone }),
  ),
  deleted_at: notLookedAt(),
  machine_problem: notLookedAt(),
  contradictions: notLookedAt(),
  duplicates: notLookedAt(),
  components: notLookedAt('they have a path of their own'),
  ...ignored,
};

const ServerDraftShape = Struct(
  {
    uuid: Type.Optional(Uuid('The Redfish System UUID; one is made up unless given.')),
    facility_code: Facility,
    ...fields,
    attributes: Type.Optional(ListOf(AttributeDraft, 'What is noted of it.', { maxItems: 50 })),
    versioned_attributes: Type.Optional(ListOf(VersionedAttributeDraft, 'What is noted of it.', { maxItems: 50 })),
  },
  { title: 'ServerDraft', description: 'A server to be created.' },
);

const ServerChange = Struct(
  {
    uuid: notLookedAt(),
    facility_code: Type.Optional(Facility),
    ...fields,
    attributes: notLookedAt('they have a path of their own'),
    versioned_attributes: notLookedAt('they have a path of their own'),
  },
  { title: 'ServerChange', description: 'What is to change about a server; the rest stays.' },
);

const filterHelp =
  'namespace~key.path~operator~value, operator eq, like, gt or lt; with ~or it is an alternative to the one before.';

const listQuery = Struct({
  ...pageQuery(serverOrders),
  'facility-code': Type.Optional(Text('Only servers there.', { maxLength: 255 })),
  'include-deleted': Type.Optional(Type.Boolean({ description: 'Also deleted ones.' })),
  preload: Type.Optional(Type.Boolean({ description: 'With attributes and components.' })),
  name: Type.Optional(Text('Only those of this name.', { maxLength: 255 })),
  vendor: Type.Optional(Text('Only those of this vendor.', { maxLength: 255 })),
  model: Type.Optional(Text('Only those of this model.', { maxLength: 255 })),
  serial: Type.Optional(Text('Only the one with this serial number.', { maxLength: 255 })),
  'bmc-address': Type.Optional(
    Text('Only those behind this BMC, or its system where one is named; in any spelling.', { maxLength: 255 }),
  ),
  'machine-problem': Type.Optional(
    Type.Boolean({ description: 'Only those that are no machine: duplicates, and unreadable BMC addresses.' }),
  ),
  attr: Type.Optional(
    ListOf(Text(filterHelp, { minLength: 1, maxLength: 1000 }), `By attributes: ${filterHelp}`, { maxItems: 10 }),
  ),
  ver_attr: Type.Optional(
    ListOf(Text(filterHelp, { minLength: 1, maxLength: 1000 }), `By the newest versioned attributes: ${filterHelp}`, {
      maxItems: 10,
    }),
  ),
});

const oneQuery = Struct({
  'include-deleted': Type.Optional(Type.Boolean({ description: 'Also when it was deleted.' })),
});

function readQuery(query: Static<typeof listQuery>): ServerQuery {
  return {
    facility: query['facility-code'],
    isWithDeleted: query['include-deleted'],
    name: query.name,
    vendor: query.vendor,
    model: query.model,
    serial: query.serial,
    bmcAddress: query['bmc-address'],
    isWithProblem: query['machine-problem'],
    attributeFilters: parseAttributeFilters(query.attr ?? [], 'attr'),
    versionedAttributeFilters: parseAttributeFilters(query.ver_attr ?? [], 'ver_attr'),
  };
}

function readFields(body: Static<typeof ServerChange>): Partial<ServerFields> {
  const given = {
    name: body.name,
    facility: body.facility_code,
    vendor: body.vendor,
    model: body.model,
    serial: body.serial,
    bmcId: body.bmc_id,
    bmcAddress: body.bmc_address,
    macs: body.mac_addresses,
    systemUuid: body.system_uuid,
    bmcUuid: body.bmc_uuid,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const notFound = { 404: 'There is no such server.' };

/** Servers of the inventory. */
export function serverRoutes({ servers }: Serverservice): readonly Route[] {
  const path = `${prefix}/servers`;
  const routes = recordRoutes<ServerRecord | ServerDetails>({
    ...{ path, tag: 'servers', resource: restResources.server, shape: ServerShape },
    show: (server) => ('components' in server ? showServerDetails(server) : showServer(server)),
    slug: ({ id }) => id,
  });
  const one = { path: `${path}/:uuid`, params: serverParams, refusals: notFound };
  return [
    routes.list({
      operation: 'listServers',
      summary: 'Servers, by facility, names and attributes.',
      query: listQuery,
      list: ({ query }, request) =>
        query.preload === true
          ? servers.listDetails(readQuery(query), request)
          : servers.list(readQuery(query), request),
    }),
    routes.create({
      operation: 'createServer',
      summary: 'A new server, which becomes a machine that work can be done on. A deleted one comes back.',
      body: ServerDraftShape,
      refusals: { 409: 'The id, or a name of the machine, is taken; by whom is said.' },
      create: ({ body }) =>
        servers.create({
          ...readFields(body),
          facility: body.facility_code,
          ...(body.uuid === undefined ? {} : { id: body.uuid }),
          attributes: readAttributes(body.attributes),
          versionedAttributes: readAttributes(body.versioned_attributes),
        }),
    }),
    routes.get({
      ...one,
      operation: 'getServer',
      summary: 'A server with all that is known of it.',
      query: oneQuery,
      get: ({ params, query }) => servers.getDetails(params.uuid, { isWithDeleted: query['include-deleted'] === true }),
    }),
    routes.put({
      ...one,
      operation: 'updateServer',
      summary:
        'Changes what is given and leaves the rest. Another bmc_address takes the right to read credentials: they are sent there.',
      body: ServerChange,
      refusals: { ...notFound, 409: 'A name of the machine is taken, or work on it goes on.' },
      async put({ params, body, require }) {
        const { bmc_address: address } = body;
        // Whoever says where the password is sent can read it.
        if (address !== undefined && !isSameAddress(address, (await servers.get(params.uuid)).bmcAddress))
          await require({ verb: 'get', resource: restResources.credentials });
        return servers.update(params.uuid, readFields(body));
      },
    }),
    routes.remove({
      ...one,
      operation: 'deleteServer',
      summary: 'Marks a server as deleted; its credentials go for good.',
      refusals: { ...notFound, 409: 'Work on it goes on.' },
      async remove({ params }) {
        await servers.remove(params.uuid);
        return params.uuid;
      },
    }),
  ];
}
