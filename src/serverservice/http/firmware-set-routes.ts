import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import { ListOf, pageQuery, type Route, restResources, Struct, Text, Time, Uuid } from '../../rest/index.ts';
import type { FirmwareSet, FirmwareSetQuery } from '../firmware/firmware.ts';
import { type FirmwareSetDraft, firmwareSetOrders } from '../firmware/firmware-sets.ts';
import { type Labels, labelNamespace, labelsFromData, parseLabels } from '../firmware/set-labels.ts';
import type { Serverservice } from '../serverservice.ts';
import { FirmwareShape } from './firmware-routes.ts';
import { recordRoutes } from './record-routes.ts';
import { AttributeShape, idParams, ignored, notLookedAt, prefix } from './shapes.ts';
import { showFirmwareSet } from './show.ts';

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
  uuid: notLookedAt(),
  component_firmware: notLookedAt(),
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

const routesAt = (path: string) =>
  recordRoutes<FirmwareSet>({
    ...{ path, tag: 'firmware sets', resource: restResources.firmwareSets, shape: SetShape },
    show: showFirmwareSet,
    slug: ({ id }) => id,
  });

const oneAt = (path: string) => ({
  path: `${path}/:uuid`,
  params: idParams,
  refusals: { 404: 'There is no such firmware set.' },
});

function readRoutes({ firmwareSets }: Serverservice, at: { readonly path: string; readonly name: string }): Route[] {
  const routes = routesAt(at.path);
  return [
    routes.list({
      operation: `list${at.name}s`,
      summary: 'Firmware sets.',
      query: listQuery,
      list: ({ query }, request) => firmwareSets.list(readQuery(query), request),
    }),
    routes.get({
      ...oneAt(at.path),
      operation: `get${at.name}`,
      summary: 'A firmware set with its firmware.',
      get: ({ params }) => firmwareSets.get(params.uuid),
    }),
  ];
}

function writeRoutes({ firmwareSets }: Serverservice, path: string): readonly Route[] {
  const [routes, one] = [routesAt(path), oneAt(path)];
  const taken = { 409: 'The name is taken.' };
  return [
    routes.create({
      operation: 'createFirmwareSet',
      summary: 'A new firmware set.',
      body: SetDraft,
      refusals: taken,
      create: ({ body }) => firmwareSets.create({ ...readChange(body), name: body.name }),
    }),
    routes.put({
      ...one,
      operation: 'updateFirmwareSet',
      summary: 'Changes name and labels where given, and adds firmware.',
      body: SetChange,
      refusals: { ...one.refusals, ...taken },
      put: ({ params, body }) => firmwareSets.update(params.uuid, readChange(body)),
    }),
    routes.remove({
      ...one,
      operation: 'deleteFirmwareSet',
      summary: 'Deletes a set; its firmware stays in the catalogue.',
      async remove({ params }) {
        await firmwareSets.remove(params.uuid);
        return params.uuid;
      },
    }),
    routes.put({
      ...one,
      method: 'POST',
      path: `${path}/:uuid/remove-firmware`,
      operation: 'removeFirmwareFromSet',
      summary: 'Takes firmware out of a set.',
      body: Struct(
        { ...setFields, name: Type.Optional(Name) },
        { title: 'FirmwareSetRemoval', description: 'Firmware to be taken out.' },
      ),
      put: ({ params, body }) => firmwareSets.removeFirmware(params.uuid, body.component_firmware_uuids ?? []),
    }),
  ];
}
