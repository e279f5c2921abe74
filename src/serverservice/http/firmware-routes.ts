import { type Static, Type } from 'typebox';
import { ListOf, pageQuery, type Route, restResources, Struct, Text, Time, Uuid } from '../../rest/index.ts';
import { checksumPattern } from '../firmware/checksums.ts';
import type { FirmwareDraft, FirmwareQuery, FirmwareRecord } from '../firmware/firmware.ts';
import { longestSoftwareId, mostSoftwareIds } from '../firmware/firmware-row.ts';
import { firmwareOrders } from '../firmware/firmware-versions.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { idParams, ignored, notLookedAt, prefix } from './shapes.ts';
import { showFirmware } from './show.ts';

/** A firmware version. */
export const FirmwareShape = Struct(
  {
    uuid: Uuid('Its id.'),
    component: Type.String({ description: 'What it is for: `bios`.' }),
    vendor: Type.String({ description: 'Who made it, in small letters.' }),
    model: Type.Array(Type.String(), { description: 'Models it is for; any when empty.' }),
    software_ids: Type.Array(Type.String(), {
      description: 'The vendor’s own ids of what it is for, as inventories show them; any when empty.',
    }),
    filename: Type.String({ description: 'The name of the file.' }),
    version: Type.String({ description: 'The version.' }),
    checksum: Type.String({ description: 'The best checksum, as `sha256:...`.' }),
    checksums: Struct({
      sha256: Type.Optional(Type.String()),
      sha512: Type.Optional(Type.String()),
      md5: Type.Optional(Type.String()),
    }),
    upstream_url: Type.String({ description: 'Where the vendor has it; without the log-in and signatures in it.' }),
    repository_url: Type.String({ description: 'Where we have it; without the log-in and signatures in it.' }),
    install_inband: Type.Boolean({ description: 'Installed by a tool on the host.' }),
    oem: Type.Boolean({ description: 'Of the maker of the part, not of the server.' }),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'What should be better about it.' })),
    created_at: Time('When it was written first.'),
    updated_at: Time('When it was written last.'),
  },
  { title: 'Firmware', description: 'A firmware version of the catalogue.' },
);

const hexOf = (digits: number) => Type.String({ pattern: `^[0-9A-Fa-f]{${digits}}$` });
const Url = (description: string) =>
  Type.Optional(Type.String({ maxLength: 2048, pattern: '^$|^(https?|file)://', description }));

const shownForm =
  'A log-in in it is shown to nobody; an update that sends the URL as it is shown keeps the log-in, and any other URL replaces it.';

const FirmwareDraftShape = Struct(
  {
    uuid: Type.Optional(Uuid('Its id; one is made up unless given.')),
    component: Text('What it is for: `bios`.', { minLength: 1, maxLength: 100 }),
    vendor: Text('Who made it.', { minLength: 1, maxLength: 100 }),
    model: Type.Optional(
      Type.Union(
        [
          Text('A model.', { maxLength: 255 }),
          ListOf(Text('A model.', { maxLength: 255 }), 'Models.', { maxItems: 200 }),
        ],
        {
          description: 'Models it is for; any when there is none.',
        },
      ),
    ),
    software_ids: Type.Optional(
      ListOf(
        Text('An id.', { maxLength: longestSoftwareId }),
        'The vendor’s own ids of what it is for, as inventories show them; any when there is none.',
        { maxItems: mostSoftwareIds },
      ),
    ),
    filename: Text('The name of the file.', { minLength: 1, maxLength: 255 }),
    version: Text('The version.', { minLength: 1, maxLength: 255 }),
    checksum: Type.Optional(
      Text('`sha256:...`, `sha512:...`, or MD5 for legacy sets; bare hex is told apart by its length.', {
        maxLength: 160,
      }),
    ),
    checksums: Type.Optional(
      Struct({
        sha256: Type.Optional(hexOf(64)),
        sha512: Type.Optional(hexOf(128)),
        md5: Type.Optional(hexOf(32)),
      }),
    ),
    upstream_url: Url(`Where the vendor has it. ${shownForm}`),
    repository_url: Url(`Where we have it. ${shownForm}`),
    install_inband: Type.Optional(Type.Boolean({ description: 'Installed by a tool on the host.' })),
    oem: Type.Optional(Type.Boolean({ description: 'Of the maker of the part, not of the server.' })),
    warnings: notLookedAt(),
    ...ignored,
  },
  { title: 'FirmwareDraft', description: 'A firmware version to be written.' },
);

const listQuery = Struct({
  ...pageQuery(firmwareOrders),
  vendor: Type.Optional(Text('Only of this vendor.', { maxLength: 100 })),
  model: Type.Optional(Text('Only for this model.', { maxLength: 255 })),
  component: Type.Optional(Text('Only for this component.', { maxLength: 100 })),
  version: Type.Optional(Text('Only this version.', { maxLength: 255 })),
  filename: Type.Optional(Text('Only this file.', { maxLength: 255 })),
  checksum: Type.Optional(Type.String({ pattern: checksumPattern, description: 'Only with this checksum.' })),
  repository_url: Type.Optional(Text('Only from there.', { maxLength: 2048 })),
  install_inband: Type.Optional(
    Type.Boolean({ description: 'Only those, or all but those, that need a tool on the host.' }),
  ),
  oem: Type.Optional(Type.Boolean({ description: 'Only those, or all but those, of makers of parts.' })),
});

function readDraft(body: Static<typeof FirmwareDraftShape>): FirmwareDraft {
  const { model } = body;
  return {
    id: body.uuid,
    component: body.component,
    vendor: body.vendor,
    models: model === undefined ? [] : typeof model === 'string' ? [model] : model,
    softwareIds: body.software_ids,
    filename: body.filename,
    version: body.version,
    checksums: [body.checksum, ...Object.values(body.checksums ?? {})].filter(
      (text): text is string => text !== undefined && text !== '',
    ),
    upstreamUrl: body.upstream_url,
    repositoryUrl: body.repository_url,
    isInband: body.install_inband,
    isOem: body.oem,
  };
}

function readQuery(query: Static<typeof listQuery>): FirmwareQuery {
  const { repository_url, install_inband, oem, limit: _limit, page: _page, orderby: _orderby, ...plain } = query;
  return { ...plain, repositoryUrl: repository_url, isInband: install_inband, isOem: oem };
}

/** The catalogue of firmware versions. */
export function firmwareRoutes({ firmware }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-component-firmwares`;
  const routes = recordRoutes<FirmwareRecord>({
    ...{ path, tag: 'firmware', resource: restResources.firmware, shape: FirmwareShape },
    show: showFirmware,
    slug: ({ id }) => id,
  });
  const one = { path: `${path}/:uuid`, params: idParams, refusals: { 404: 'There is no such firmware.' } };
  return [
    routes.list({
      operation: 'listFirmware',
      summary: 'Firmware versions.',
      query: listQuery,
      list: ({ query }, request) => firmware.list(readQuery(query), request),
    }),
    routes.create({
      operation: 'createFirmware',
      summary: 'A new firmware version.',
      body: FirmwareDraftShape,
      refusals: { 409: 'Vendor, component, version and filename, or the id, are taken.' },
      create: ({ body }) => firmware.create(readDraft(body)),
    }),
    routes.get({
      ...one,
      operation: 'getFirmware',
      summary: 'A firmware version.',
      get: ({ params }) => firmware.get(params.uuid),
    }),
    routes.put({
      ...one,
      operation: 'updateFirmware',
      summary: 'Replaces all that is said of a firmware version.',
      body: FirmwareDraftShape,
      refusals: { ...one.refusals, 409: 'Vendor, component, version and filename are taken.' },
      put: ({ params, body }) => firmware.update(params.uuid, readDraft(body)),
    }),
    routes.remove({
      ...one,
      operation: 'deleteFirmware',
      summary: 'Takes a firmware version out of the catalogue.',
      refusals: { ...one.refusals, 409: 'It is in a firmware set.' },
      async remove({ params }) {
        await firmware.remove(params.uuid);
        return params.uuid;
      },
    }),
  ];
}
