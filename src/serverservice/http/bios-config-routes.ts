import { type Static, Type } from 'typebox';
import { ListOf, pageQuery, type Route, restResources, Struct, Text, Time, Uuid } from '../../rest/index.ts';
import type { BiosConfigDraft, BiosConfigSet } from '../bios/bios-config.ts';
import { biosConfigOrders } from '../bios/bios-config-sets.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { idParams, ignored, notLookedAt, prefix } from './shapes.ts';
import { showBiosConfigSet } from './show.ts';

const stamps = { created_at: Time('When it was written first.'), updated_at: Time('When it was written last.') };

const SetShape = Struct(
  {
    id: Uuid('Its id.'),
    name: Type.String({ description: 'Its name.' }),
    version: Type.String({ description: 'Its version.' }),
    components: Type.Array(
      Struct(
        {
          id: Uuid('Its id.'),
          name: Type.String({ description: 'Its name.' }),
          vendor: Type.String({ description: 'Who made it.' }),
          model: Type.String({ description: 'Its model.' }),
          serial: Type.String({ description: 'Its serial number.' }),
          settings: Type.Array(
            Struct(
              {
                id: Uuid('Its id.'),
                key: Type.String({ description: 'Its name.' }),
                value: Type.String({ description: 'What it shall be.' }),
                raw: Type.Optional(Type.String({ description: 'As a tool of the vendor wrote it.' })),
                ...stamps,
              },
              { title: 'BiosConfigSetting', description: 'One setting.' },
            ),
          ),
          ...stamps,
        },
        { title: 'BiosConfigComponent', description: 'A part that has settings.' },
      ),
    ),
    ...stamps,
  },
  { title: 'BiosConfigSet', description: 'BIOS settings that belong together.' },
);

const filled = (description: string, maxLength = 255) =>
  Text(description, { pattern: '^[^\\u0000]*\\S[^\\u0000]*$', maxLength });
const word = (description: string) => Type.Optional(Text(description, { maxLength: 255 }));
const sentBack = { id: notLookedAt(), ...ignored };

const SetDraft = Struct(
  {
    name: filled('Its name; no two sets have the same.'),
    version: filled('Its version.'),
    components: ListOf(
      Struct({
        name: filled('Its name: `BIOS`, `SystemConfiguration`.'),
        vendor: word('Who made it.'),
        model: word('Its model.'),
        serial: word('Its serial number, where it matters.'),
        settings: ListOf(
          Struct({
            key: filled('Its name.'),
            value: Text('What it shall be.', { maxLength: 4096 }),
            raw: Type.Optional(Text('As a tool of the vendor wrote it.', { maxLength: 4096 })),
            ...sentBack,
          }),
          'Its settings; each is named once.',
          { maxItems: 1000 },
        ),
        ...sentBack,
      }),
      'Parts that have settings; each is named once.',
      { maxItems: 50 },
    ),
    ...sentBack,
  },
  { title: 'BiosConfigSetDraft', description: 'BIOS settings to be written.' },
);

const listQuery = Struct({
  ...pageQuery(biosConfigOrders),
  name: word('Only the one of this name.'),
  version: word('Only those of this version.'),
  component: word('Only those with a part of this name.'),
  vendor: word('Only those with a part of this vendor.'),
  model: word('Only those with a part of this model.'),
});

function readDraft({ name, version, components }: Static<typeof SetDraft>): BiosConfigDraft {
  return {
    name,
    version,
    components: components.map(({ vendor = '', model = '', serial = '', settings, ...one }) => ({
      ...{ name: one.name, vendor, model, serial },
      settings: settings.map(({ key, value, raw }) => ({ key, value, ...(raw === undefined ? {} : { raw }) })),
    })),
  };
}

/** Sets of BIOS settings. */
export function biosConfigRoutes({ biosConfigSets }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-bios-config-sets`;
  const routes = recordRoutes<BiosConfigSet>({
    ...{ path, tag: 'BIOS settings', resource: restResources.biosConfigSets, shape: SetShape },
    show: showBiosConfigSet,
    slug: ({ id }) => id,
  });
  const one = { path: `${path}/:uuid`, params: idParams, refusals: { 404: 'There is no such set.' } };
  const taken = { 409: 'The name is taken.' };
  return [
    routes.list({
      operation: 'listBiosConfigSets',
      summary: 'Sets of BIOS settings.',
      query: listQuery,
      list: ({ query: { name, version, component, vendor, model } }, request) =>
        biosConfigSets.list({ name, version, component, vendor, model }, request),
    }),
    routes.create({
      operation: 'createBiosConfigSet',
      summary: 'A new set of BIOS settings.',
      body: SetDraft,
      refusals: taken,
      create: ({ body }) => biosConfigSets.create(readDraft(body)),
    }),
    routes.get({
      ...one,
      operation: 'getBiosConfigSet',
      summary: 'A set of BIOS settings.',
      get: ({ params }) => biosConfigSets.get(params.uuid),
    }),
    routes.put({
      ...one,
      operation: 'updateBiosConfigSet',
      summary: 'Replaces all that is said of a set.',
      body: SetDraft,
      refusals: { ...one.refusals, ...taken },
      put: ({ params, body }) => biosConfigSets.update(params.uuid, readDraft(body)),
    }),
    routes.remove({
      ...one,
      operation: 'deleteBiosConfigSet',
      summary: 'Deletes a set.',
      async remove({ params }) {
        await biosConfigSets.remove(params.uuid);
        return params.uuid;
      },
    }),
  ];
}
