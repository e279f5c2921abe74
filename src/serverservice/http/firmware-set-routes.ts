import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
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
import type { FirmwareSetQuery } from '../firmware/firmware.ts';
import { type FirmwareSetDraft, firmwareSetOrders } from '../firmware/firmware-sets.ts';
import { type Labels, labelNamespace, labelsFromData, parseLabels } from '../firmware/set-labels.ts';
import type { Serverservice } from '../serverservice.ts';
import { FirmwareShape } from './firmware-routes.ts';
import { AttributeShape, idParams, ignored, prefix } from './shapes.ts';
import { showFirmwareSet } from './show.ts';

const resource = restResources.firmwareSets;
const notFound = { 404: 'There is no such firmware set.' };

const SetShape = Struct(
  {
    uuid: Uuid('Its id.'),
    name: Type.String({ description: 'Its name.' }),
    labels: Type.Record(Type.String(), Type.String(), { description: 'vendor, model, latest, default and others.' }),
    attributes: Type.Array(AttributeShape),
    component_firmware: Type.Array(FirmwareShape),
    created_at: Time('When it was written first.'),
    updated_at: Time('When it was written last.'),
  },
  { title: 'FirmwareSet', description: 'Firmware that belongs together.' },
);

const LabelsShape = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$' }),
  Text('Its value.', { maxLength: 255 }),
  {
    description: 'vendor, model, latest, default and others.',
    additionalProperties: false,
    maxProperties: 64,
  },
);

const LabelAttribute = Struct({
  namespace: Type.Literal(labelNamespace),
  data: Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$' }),
    Type.Union([Text('Its value.', { maxLength: 255 }), Type.Number(), Type.Boolean()]),
    { description: 'The labels.', additionalProperties: false, maxProperties: 64 },
  ),
  ...ignored,
});

const setFields = {
  uuid: Type.Optional(Type.Unknown({ description: 'Not looked at.', readOnly: true })),
  component_firmware: Type.Optional(Type.Unknown({ description: 'Not looked at.', readOnly: true })),
  labels: Type.Optional(LabelsShape),
  attributes: Type.Optional(
    ListOf(LabelAttribute, `The labels, as clients of the shipped service write them: one in ${labelNamespace}.`, {
      maxItems: 1,
    }),
  ),
  component_firmware_uuids: Type.Optional(ListOf(Uuid('Firmware.'), 'Firmware to be in it.', { maxItems: 500 })),
  ...ignored,
};

const Name = Text('Its name; no two sets have the same.', { minLength: 1, maxLength: 255 });
const SetDraft = Struct(
  { name: Name, ...setFields },
  { title: 'FirmwareSetDraft', description: 'A firmware set to be created.' },
);
const SetChange = Struct(
  { name: Type.Optional(Name), ...setFields },
  { title: 'FirmwareSetChange', description: 'Name and labels to be changed, firmware to be added.' },
);

const listQuery = Struct({
  ...pageQuery(firmwareSetOrders),
  id: Type.Optional(Uuid('Only this one.')),
  name: Type.Optional(Text('Only the one of this name.', { maxLength: 255 })),
  vendor: Type.Optional(
    Text('With model: the default set of that model, unless labels are given.', { maxLength: 255 }),
  ),
  model: Type.Optional(Text('With vendor.', { maxLength: 255 })),
  labels: Type.Optional(
    Text('Only those with these labels: `latest=true,tier=gold`.', {
      minLength: 1,
      pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}=[^,\\u0000]*(,[A-Za-z0-9][A-Za-z0-9._/-]{0,62}=[^,\\u0000]*)*$',
    }),
  ),
});

function readLabels(body: Static<typeof SetChange>): Labels | undefined {
  const [attribute] = body.attributes ?? [];
  if (attribute === undefined) return body.labels;
  return { ...labelsFromData(attribute.data as JsonObject), ...body.labels };
}

function readChange(body: Static<typeof SetChange>): Partial<FirmwareSetDraft> {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    labels: readLabels(body),
    firmware: body.component_firmware_uuids,
  };
}

function readQuery({ id, name, vendor, model, labels }: Static<typeof listQuery>): FirmwareSetQuery {
  return { id, name, vendor, model, labels: labels === undefined ? undefined : parseLabels(labels) };
}

/** Firmware sets, under the path that shipped and, to be read, under the one of the design document. */
export function firmwareSetRoutes(service: Serverservice): readonly Route[] {
  const shipped = { path: `${prefix}/server-component-firmware-sets`, name: 'FirmwareSet' };
  const designed = { path: `${prefix}/firmware-set`, name: 'DesignedFirmwareSet' };
  return [...readRoutes(service, shipped), ...readRoutes(service, designed), ...writeRoutes(service, shipped.path)];
}

function readRoutes({ firmwareSets }: Serverservice, at: { readonly path: string; readonly name: string }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: at.path,
      tag: 'firmware sets',
      operation: `list${at.name}s`,
      summary: 'Firmware sets.',
      access: { verb: 'list', resource },
      query: listQuery,
      answers: { 200: pageAnswer(SetShape) },
      async handle({ query, url }) {
        const request = readPage(query);
        return answerPage(await firmwareSets.list(readQuery(query), request), { request, url, show: showFirmwareSet });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${at.path}/:uuid`,
      tag: 'firmware sets',
      params: idParams,
      operation: `get${at.name}`,
      summary: 'A firmware set with its firmware.',
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(SetShape) },
      refusals: notFound,
      handle: async ({ params }) => answerRecord(showFirmwareSet(await firmwareSets.get(params.uuid))),
    }),
  ];
}

function writeRoutes({ firmwareSets }: Serverservice, path: string): readonly Route[] {
  const shared = { path: `${path}/:uuid`, tag: 'firmware sets', params: idParams } as const;
  return [
    defineRoute({
      method: 'POST',
      path,
      tag: 'firmware sets',
      operation: 'createFirmwareSet',
      summary: 'A new firmware set.',
      access: { verb: 'create', resource },
      body: SetDraft,
      answers: { 201: recordAnswer(SetShape) },
      refusals: { 409: 'The name is taken.' },
      async handle({ body }) {
        const set = await firmwareSets.create({ ...readChange(body), name: body.name });
        return answerCreated({ location: `${path}/${set.id}`, slug: set.id, record: showFirmwareSet(set) });
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operation: 'updateFirmwareSet',
      summary: 'Changes name and labels where given, and adds firmware.',
      access: { verb: 'update', resource },
      body: SetChange,
      answers: { 200: recordAnswer(SetShape) },
      refusals: { ...notFound, 409: 'The name is taken.' },
      handle: async ({ params, body }) =>
        answerRecord(showFirmwareSet(await firmwareSets.update(params.uuid, readChange(body))), 'resource updated'),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      operation: 'deleteFirmwareSet',
      summary: 'Deletes a set; its firmware stays in the catalogue.',
      access: { verb: 'delete', resource },
      answers: { 200: MessageAnswer },
      refusals: notFound,
      async handle({ params }) {
        await firmwareSets.remove(params.uuid);
        return answerMessage('resource deleted', { slug: params.uuid });
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: `${path}/:uuid/remove-firmware`,
      operation: 'removeFirmwareFromSet',
      summary: 'Takes firmware out of a set.',
      access: { verb: 'update', resource },
      body: Struct(
        { ...setFields, name: Type.Optional(Name) },
        { title: 'FirmwareSetRemoval', description: 'Firmware to be taken out.' },
      ),
      answers: { 200: recordAnswer(SetShape) },
      refusals: notFound,
      async handle({ params, body }) {
        const set = await firmwareSets.removeFirmware(params.uuid, body.component_firmware_uuids ?? []);
        return answerRecord(showFirmwareSet(set), 'resource updated');
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/validate-firmware-set`,
      tag: 'firmware sets',
      operation: 'noteFirmwareSetValidation',
      summary: 'Notes that a set was installed on a server and found good.',
      access: { verb: 'update', resource },
      body: Struct(
        {
          firmware_set: Uuid('The set.'),
          target_server: Uuid('The server.'),
          performed_on: Time('When that was.'),
        },
        { title: 'FirmwareSetValidation', description: 'That a set was found good.' },
      ),
      answers: { 200: MessageAnswer },
      refusals: { 404: 'There is no such firmware set or server.' },
      async handle({ body }) {
        const performedOn = Date.parse(body.performed_on);
        await firmwareSets.noteValidation({ setId: body.firmware_set, serverId: body.target_server, performedOn });
        return answerMessage('resource updated', { slug: body.firmware_set });
      },
    }),
  ];
}
