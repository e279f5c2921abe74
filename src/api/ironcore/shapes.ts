import { type Static, type TSchema, Type } from 'typebox';
import { List, type SchemaOptions, StringEnum, Struct, Text, Time, Whole } from '../declare.ts';

/** A length of time as Go writes it: `30m`, `1h30m`, `24h`. */
export function Duration(description: string, options: SchemaOptions = {}) {
  return Text(description, { pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$', maxLength: 64, ...options });
}

/** A whole number of 32 bits. */
export function Int32(description: string, options: SchemaOptions = {}) {
  return Whole(description, { format: 'int32', ...options });
}

/** A whole number of 64 bits. */
export function Int64(description: string, options: SchemaOptions = {}) {
  return Whole(description, { format: 'int64', ...options });
}

/** An amount such as `128Gi`, or a plain number of bytes. */
export function Quantity(description: string) {
  return Type.Unsafe<number | string>({
    description,
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  } as TSchema);
}

/** An IPv4 or IPv6 address. */
export function IpAddress(description: string) {
  return Text(description, {
    minLength: 1,
    maxLength: 64,
    'x-kubernetes-validations': [{ rule: 'isIP(self)', message: 'must be an IPv4 or IPv6 address' }],
  });
}

/** A MAC address, with colons or dashes. */
export function MacAddress(description: string) {
  return Text(description, { pattern: '^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2})$' });
}

/** A reference by name to a cluster-scoped object whose kind the field implies. */
export function NameReference(description: string, options: SchemaOptions = {}) {
  return Struct(
    { name: Text('Name of the object.', { minLength: 1, maxLength: 253 }) },
    { description, 'x-kubernetes-map-type': 'atomic', ...options },
  );
}

/** A reference to an object of any kind. */
export function ObjectReference(description: string, options: SchemaOptions = {}) {
  return Struct(
    {
      apiVersion: Type.Optional(Text('API version of the object.', { maxLength: 317 })),
      kind: Type.Optional(Text('Kind of the object.', { maxLength: 63 })),
      namespace: Type.Optional(Text('Namespace of the object.', { maxLength: 63 })),
      name: Text('Name of the object.', { minLength: 1, maxLength: 253 }),
      uid: Type.Optional(Text('UID of the object.', { maxLength: 64 })),
    },
    { description, 'x-kubernetes-map-type': 'atomic', ...options },
  );
}

/** What a BMC is spoken to with. */
export const Protocol = Struct(
  {
    name: StringEnum(['Redfish', 'IPMI', 'SSH', 'RedfishLocal', 'RedfishKube', 'RedfishWithRegistryPatch'], {
      description: 'The protocol. The last three speak Redfish to a server used in tests.',
    }),
    port: Int32('TCP or UDP port.', { minimum: 1, maximum: 65535 }),
    scheme: Type.Optional(StringEnum(['http', 'https'], { description: 'URL scheme; https when not given.' })),
  },
  { description: 'Protocol for communicating with the BMC.' },
);

/** The power states a system or a BMC reports. */
export const powerStates = ['On', 'Off', 'Paused', 'PoweringOn', 'PoweringOff'] as const;

/** The states of an indicator LED. */
export const indicatorLeds = ['Unknown', 'Lit', 'Blinking', 'Off'] as const;

const longestName = 253;

/** What of a part can narrow an entry down; empty means any. Keys of a list that server-side apply merges need a default. */
function narrowing(description: string) {
  return Type.Optional(Text(description, { maxLength: longestName, default: '' }));
}

/** A firmware and the version that it should have. Everything but the version is the key of the entry. */
export const Firmware = Struct({
  name: Text('Class of the parts: ssd, nic, bmc, ...', { minLength: 1, maxLength: longestName }),
  manufacturer: Text('Maker of the parts, or of the server.', { minLength: 1, maxLength: longestName }),
  model: narrowing(
    'Product that the parts are, as status.firmwares names it, or DiscoveredFirmware where no part has that name; any unless given.',
  ),
  softwareId: narrowing("The vendor's id of the firmware that the parts take; any unless given."),
  slot: narrowing(
    'The slot that the part is in, as status.firmwares names it; any unless given. BMCs of Dell, HPE and Lenovo choose the parts by the image, so equal parts in other slots may get the version too.',
  ),
  version: Text('Version of the firmware.', { minLength: 1, maxLength: longestName }),
});

/** The keys of a list of desired firmwares. */
export const firmwareKeys = ['name', 'manufacturer', 'model', 'softwareId', 'slot'] as const;

/** A firmware and the version that it should have. */
export type Firmware = Static<typeof Firmware>;

/** A part of a server and the version of the firmware on it. What the BMC does not tell is empty or absent. */
export const PartFirmware = Struct({
  name: Text('Class of the part: drive, nic, bmc, ...', { minLength: 1, maxLength: longestName }),
  manufacturer: Text('Maker of the part; empty where the BMC does not tell.', { maxLength: longestName }),
  model: Type.Optional(Text('Product, as the adapter, controller or drive tells it.', { maxLength: longestName })),
  softwareId: Type.Optional(Text("The vendor's id of the firmware that the part takes.", { maxLength: longestName })),
  otherSoftwareIds: Type.Optional(
    List(Type.String({ minLength: 1, maxLength: longestName }), {
      description: 'More such ids, where the BMC shows several.',
      maxItems: 20,
      'x-kubernetes-list-type': 'atomic',
    }),
  ),
  slot: Type.Optional(
    Text('Where the part is, as the vendor names the slot; unique on a server.', { maxLength: longestName }),
  ),
  version: Text('Version of the firmware.', { minLength: 1, maxLength: longestName }),
});

/** What the update service found in the catalogue for an entry of spec that it cannot apply to all parts it selects. */
export const ResolvedFirmware = Struct({
  name: Text('Class of the parts, as in the entry.', { minLength: 1, maxLength: longestName }),
  manufacturer: Text('Maker, as in the entry.', { maxLength: longestName }),
  model: Type.Optional(Text('Product, as in the entry.', { maxLength: longestName })),
  softwareId: Type.Optional(Text("The vendor's id, as in the entry.", { maxLength: longestName })),
  slot: Type.Optional(Text('Slot, as in the entry.', { maxLength: longestName })),
  version: Text('Version, as in the entry.', { minLength: 1, maxLength: longestName }),
  slots: List(Type.String({ maxLength: longestName }), {
    description: 'Slots of the parts that the version is for.',
    maxItems: 512,
    'x-kubernetes-list-type': 'atomic',
  }),
  reason: Type.Optional(Text('Why it cannot be installed on any part: one word.', { maxLength: 128 })),
  message: Type.Optional(Text('The same in words.', { maxLength: 1024 })),
});

/** What the update service found for an entry of spec. */
export type ResolvedFirmware = Static<typeof ResolvedFirmware>;

/** A part of a server and the version of the firmware on it. */
export type PartFirmware = Static<typeof PartFirmware>;

/** The BIOS version a server has or should have. */
export function Bios(description: string, options: SchemaOptions = {}) {
  return Struct(
    { version: Text('Version of the BIOS.', { minLength: 1, maxLength: 253 }) },
    { description, ...options },
  );
}

/** Which piece of finished work last wrote the status; results of the same store with an older sequence are dropped. */
export const Report = Struct(
  {
    conditionID: Text('Id of the work the result came from.', { minLength: 1, maxLength: 253 }),
    store: Type.Optional(
      Text('Id of the store of the work engine that numbered it.', { minLength: 1, maxLength: 253 }),
    ),
    sequence: Int64('Grows with every result of one store.', { minimum: 0 }),
  },
  { description: 'Which piece of finished work last wrote this status.' },
);

/** A request that was accepted and whose work has not reported yet. */
export const OpenRequest = openRequest('The request that is under way; gone once its work has reported.');

/** An update that another request took the place of. */
export const OpenUpdate = openRequest(
  'An update that has not reported though another request followed it, such as a scan while it takes long.',
);

function openRequest(description: string) {
  return Struct(
    {
      kind: StringEnum(['Scan', 'Update', 'Discovery'], { description: 'What was asked for.' }),
      jobID: Text('Id of the work that does it.', { minLength: 1, maxLength: 253 }),
      time: Time({ description: 'When it was accepted.' }),
      desiredHash: Type.Optional(Text('Which desired list an update is for.', { minLength: 1, maxLength: 128 })),
      partHash: Type.Optional(
        Text('Which part of that list, where entries of a group that is paused or has halted were left out.', {
          minLength: 1,
          maxLength: 128,
        }),
      ),
      report: Type.Optional(
        Int64('Sequence of the result that answered it; stays when other results come.', { minimum: 0 }),
      ),
    },
    { description },
  );
}

/** Work that failed without a success since. */
export const FailedRuns = Struct(
  {
    failed: Int32('How often it failed in a row.', { minimum: 0 }),
    lastFailureTime: Type.Optional(Time({ description: 'When it failed last.' })),
    message: Type.Optional(Text('Why it failed last.', { maxLength: 32768 })),
  },
  { description: 'Runs that failed in a row; gone after the first that succeeds.' },
);
