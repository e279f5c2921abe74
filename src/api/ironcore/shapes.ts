import { type Static, type TSchema, Type } from 'typebox';
import { type SchemaOptions, StringEnum, Struct, Text, Time, Whole } from '../declare.ts';

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

/** One firmware and the version it has or should have; name and manufacturer together are its key. */
export const Firmware = Struct({
  name: Text('Which component: ssd, nic, bmc, ...', { minLength: 1, maxLength: 253 }),
  manufacturer: Text('Who makes the component.', { minLength: 1, maxLength: 253 }),
  version: Text('Version of the firmware.', { minLength: 1, maxLength: 253 }),
});

/** One firmware and its version. */
export type Firmware = Static<typeof Firmware>;

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
