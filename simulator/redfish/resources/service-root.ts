import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { managerUuid } from './managers.ts';
import { root } from './paths.ts';
import { collection, head, link, show } from './render.ts';

/** Services and collections that the root leads to: member and folder. */
const folders = [
  ['Systems', 'Systems'],
  ['Chassis', 'Chassis'],
  ['Managers', 'Managers'],
  ['AccountService', 'AccountService'],
  ['SessionService', 'SessionService'],
  ['UpdateService', 'UpdateService'],
  ['Tasks', 'TaskService'],
  ['EventService', 'EventService'],
  ['CertificateService', 'CertificateService'],
  ['Registries', 'Registries'],
  ['JsonSchemas', 'JsonSchemas'],
] as const;

/** Schemas that JsonSchemas and `$metadata` name. */
const schemas = [
  'ServiceRoot',
  'ComputerSystem',
  'Chassis',
  'Manager',
  'Bios',
  'UpdateService',
  'Task',
  'EventService',
];

/** The way in: versions, root, OData documents, schemas, CertificateService. */
export const serviceRootRoutes: readonly Route[] = [
  { pattern: '/redfish', get: () => ({ status: 200, body: { v1: `${root}/` } }), isPublic: true },
  { pattern: root, get: (request) => show(request, 'ServiceRoot', renderRoot(request.machine)), isPublic: true },
  { pattern: `${root}/odata`, get: showServiceDocument, isPublic: true },
  { pattern: `${root}/$metadata`, get: showMetadata, isPublic: true },
  {
    pattern: `${root}/JsonSchemas`,
    get: ({ path }) =>
      collection(
        { path, of: 'JsonSchemaFile' },
        schemas.map((schema) => `${path}/${schema}`),
      ),
  },
  { pattern: `${root}/JsonSchemas/:schema`, get: showSchema },
  { pattern: `${root}/CertificateService`, get: showCertificateService },
  { pattern: `${root}/CertificateService/CertificateLocations`, get: showCertificateLocations },
];

function renderRoot(machine: Machine): JsonObject {
  const { personality } = machine;
  const { service } = personality;
  return {
    ...head({ path: root, schema: 'ServiceRoot.v1_9_0', id: 'RootService', name: 'Root Service' }),
    RedfishVersion: service.redfishVersion,
    UUID: managerUuid(machine),
    ...(personality.rootVendor !== undefined && { Vendor: personality.rootVendor }),
    Product: machine.hardware.model,
    ProtocolFeaturesSupported: {
      ExpandQuery: service.hasExpand
        ? { ExpandAll: true, Levels: true, Links: true, NoLinks: true, MaxLevels: 2 }
        : { ExpandAll: false, Levels: false, Links: false, NoLinks: false },
      FilterQuery: false,
      SelectQuery: false,
      OnlyMemberQuery: false,
      ExcerptQuery: false,
    },
    ...Object.fromEntries(folders.map(([member, folder]) => [member, link(`${root}/${folder}`)])),
    Links: { Sessions: link(`${root}/SessionService/Sessions`) },
  };
}

function showServiceDocument(): RedfishAnswer {
  return {
    status: 200,
    body: {
      '@odata.context': `${root}/$metadata`,
      value: [
        { name: 'Service', kind: 'Singleton', url: `${root}/` },
        ...folders.map(([member, folder]) => ({ name: member, kind: 'Singleton', url: `${root}/${folder}` })),
      ],
    },
  };
}

function showMetadata(): RedfishAnswer {
  const references = schemas.map(
    (schema) =>
      `  <edmx:Reference Uri="http://redfish.dmtf.org/schemas/v1/${schema}_v1.xml">\n` +
      `    <edmx:Include Namespace="${schema}"/>\n  </edmx:Reference>\n`,
  );
  const text =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">\n' +
    references.join('') +
    '  <edmx:DataServices>\n' +
    '    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">\n' +
    '      <EntityContainer Name="Service" Extends="ServiceRoot.ServiceContainer"/>\n' +
    '    </Schema>\n  </edmx:DataServices>\n</edmx:Edmx>\n';
  return { status: 200, headers: { 'Content-Type': 'application/xml;charset=utf-8' }, text };
}

function showSchema({ path, params }: RedfishRequest): RedfishAnswer {
  const schema = String(params.schema);
  if (!schemas.includes(schema)) return refuseMissing(path);
  return {
    status: 200,
    body: {
      ...head({ path, schema: 'JsonSchemaFile.v1_1_4', id: schema, name: `${schema} Schema File` }),
      Schema: `#${schema}.${schema}`,
      Languages: ['en'],
      Location: [{ Language: 'en', PublicationUri: `http://redfish.dmtf.org/schemas/v1/${schema}.json` }],
    },
  };
}

function showCertificateService(request: RedfishRequest): RedfishAnswer {
  const { path } = request;
  return show(request, 'CertificateService', {
    ...head({
      path,
      schema: 'CertificateService.v1_0_4',
      id: 'CertificateService',
      name: 'Certificate Service',
    }),
    CertificateLocations: link(`${path}/CertificateLocations`),
  });
}

function showCertificateLocations({ path }: RedfishRequest): RedfishAnswer {
  return {
    status: 200,
    body: {
      ...head({
        path,
        schema: 'CertificateLocations.v1_0_2',
        id: 'CertificateLocations',
        name: 'Certificate Locations',
      }),
      Links: { Certificates: [], 'Certificates@odata.count': 0 },
    },
  };
}
