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
  Time,
  Uuid,
} from '../../rest/index.ts';
import type { FirmwareDraft } from '../firmware/firmware.ts';
import { firmwareOrders } from '../firmware/firmware-versions.ts';
import type { Serverservice } from '../serverservice.ts';
import { idParams, ignored, prefix } from './shapes.ts';
import { showFirmware } from './show.ts';

const resource = restResources.firmware;
const notFound = { 404: 'There is no such firmware.' };

/** A firmware version. */
export const FirmwareShape = Struct(
  {
    uuid: Uuid('Its id.'),
    component: Type.String({ description: 'What it is for: `bios`.' }),
    vendor: Type.String({ description: 'Who made it, in small letters.' }),
    model: Type.Array(Type.String(), { description: 'Models it is for; any when empty.' }),
    filename: Type.String({ description: 'The name of the file.' }),
    version: Type.String({ description: 'The version.' }),
    checksum: Type.String({ description: 'The best checksum, as `sha256:...`.' }),
    checksums: Struct({
      sha256: Type.Optional(Type.String()),
      sha512: Type.Optional(Type.String()),
      md5: Type.Optional(Type.String()),
    }),
    upstream_url: Type.String({ description: 'Where the vendor has it.' }),
    repository_url: Type.String({ description: 'Where we have it.' }),
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
    upstream_url: Url('Where the vendor has it.'),
    repository_url: Url('Where we have it.'),
    install_inband: Type.Optional(Type.Boolean({ description: 'Installed by a tool on the host.' })),
    oem: Type.Optional(Type.Boolean({ description: 'Of the maker of the part, not of the server.' })),
    warnings: Type.Optional(Type.Unknown({ description: 'Not looked at.', readOnly: true })),
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
  checksum: Type.Optional(Text('Only with this checksum.', { maxLength: 160 })),
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

/** The catalogue of firmware versions. */
export function firmwareRoutes({ firmware }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-component-firmwares`;
  const shared = { path: `${path}/:uuid`, tag: 'firmware', params: idParams } as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      tag: 'firmware',
      operation: 'listFirmware',
      summary: 'Firmware versions.',
      access: { verb: 'list', resource },
      query: listQuery,
      answers: { 200: pageAnswer(FirmwareShape) },
      async handle({ query, url }) {
        const request = readPage(query);
        const { repository_url, install_inband, oem, limit: _limit, page: _page, orderby: _orderby, ...plain } = query;
        const wanted = { ...plain, repositoryUrl: repository_url, isInband: install_inband, isOem: oem };
        return answerPage(await firmware.list(wanted, request), { request, url, show: showFirmware });
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      tag: 'firmware',
      operation: 'createFirmware',
      summary: 'A new firmware version.',
      access: { verb: 'create', resource },
      body: FirmwareDraftShape,
      answers: { 201: recordAnswer(FirmwareShape) },
      refusals: { 409: 'Vendor, component, version and filename, or the id, are taken.' },
      async handle({ body }) {
        const record = await firmware.create(readDraft(body));
        return answerCreated({ location: `${path}/${record.id}`, slug: record.id, record: showFirmware(record) });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      operation: 'getFirmware',
      summary: 'A firmware version.',
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(FirmwareShape) },
      refusals: notFound,
      handle: async ({ params }) => answerRecord(showFirmware(await firmware.get(params.uuid))),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operation: 'updateFirmware',
      summary: 'Replaces all that is said of a firmware version.',
      access: { verb: 'update', resource },
      body: FirmwareDraftShape,
      answers: { 200: recordAnswer(FirmwareShape) },
      refusals: { ...notFound, 409: 'Vendor, component, version and filename are taken.' },
      handle: async ({ params, body }) =>
        answerRecord(showFirmware(await firmware.update(params.uuid, readDraft(body))), 'resource updated'),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      operation: 'deleteFirmware',
      summary: 'Takes a firmware version out of the catalogue.',
      access: { verb: 'delete', resource },
      answers: { 200: MessageAnswer },
      refusals: { ...notFound, 409: 'It is in a firmware set.' },
      async handle({ params }) {
        await firmware.remove(params.uuid);
        return answerMessage('resource deleted', { slug: params.uuid });
      },
    }),
  ];
}
