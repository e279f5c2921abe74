import { type Static, Type } from 'typebox';

const text = (description: string) => Type.String({ minLength: 1, maxLength: 512, description });
/** What objects of Kubernetes hold of names and versions. */
const name = (description: string) => Type.String({ minLength: 1, maxLength: 253, description });

/** One version in our own catalogue. */
export const PlainEntrySchema = Type.Object(
  {
    component: name(
      'what it is for: bios, bmc, cpld, nic, drive, storage-controller, backplane, psu, tpm, gpu, cpu, other',
    ),
    name: Type.Optional(text('what people call it; the component unless given')),
    manufacturer: name('the maker of the part, or of the server for its own firmware'),
    serverManufacturer: Type.Optional(text('the maker of the servers; the manufacturer unless given')),
    models: Type.Optional(
      Type.Array(text('a server model'), { maxItems: 5000, description: 'servers it is for; any unless given' }),
    ),
    softwareIds: Type.Optional(
      Type.Array(text('an id'), { maxItems: 5000, description: 'the ids that inventories show for what it is for' }),
    ),
    version: name('as the inventory shows it once it is installed'),
    url: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'where the image is: http or https, or a path below the folder of the catalogue',
    }),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'in bytes' })),
    checksums: Type.Optional(
      Type.Array(text('sha256:..., sha512:... or md5:...'), { maxItems: 3, description: 'of the image' }),
    ),
    releaseDate: Type.Optional(
      Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'the day it came out' }),
    ),
    rebootNeeded: Type.Optional(Type.Boolean({ description: 'whether the host has to be restarted for it' })),
  },
  { additionalProperties: false },
);

/** Our own catalogue: JSON or YAML. */
export const PlainCatalogSchema = Type.Object(
  {
    apiVersion: Type.Literal('rackwright.dev/v1'),
    kind: Type.Literal('FirmwareCatalog'),
    firmware: Type.Array(PlainEntrySchema, { description: 'one for each version' }),
  },
  { additionalProperties: false },
);

/** One version in our own catalogue. */
export type PlainEntry = Static<typeof PlainEntrySchema>;
