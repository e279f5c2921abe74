import { type TSchema, Type } from 'typebox';

const plain = '^[^\\u0000-\\u001f\\u007f]*$';

/** A text as machines tell them: no control characters, and bounded. */
const Word = (description: string, maxLength = 256) => Type.String({ maxLength, pattern: plain, description });

const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

const Amount = (description: string) => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** The most of each that a machine may tell of. */
export const inventoryLimits = { interfaces: 128, disks: 512, flags: 1024, lldp: 64 } as const;

const Tlv = Type.Array(Type.Union([Type.Integer({ minimum: 0, maximum: 127 }), Type.String({ maxLength: 1022 })]), {
  minItems: 2,
  maxItems: 2,
});

const Interface = Type.Object({
  name: Word('Name of the interface.', 64),
  mac_address: OrNull(Type.String({ pattern: '^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$', description: 'Its MAC.' })),
  ipv4_address: OrNull(Word('Its IPv4 address.', 64)),
  ipv6_address: OrNull(Word('Its IPv6 address.', 64)),
  vendor: OrNull(Word('PCI id of its vendor.', 64)),
  product: OrNull(Word('PCI id of the product.', 64)),
  pci_address: OrNull(Word('Where it is plugged in.', 64)),
  speed_mbps: OrNull(Amount('Speed of its link.')),
  lldp: OrNull(
    Type.Array(Tlv, {
      maxItems: inventoryLimits.lldp,
      description: 'What it heard from its switch: type and value, in hex, of each TLV.',
    }),
  ),
});

const Disk = Type.Object({
  name: Word('Its device.'),
  by_path: OrNull(Word('Its device by its path.')),
  model: OrNull(Word('Model.')),
  vendor: OrNull(Word('Vendor.')),
  serial: OrNull(Word('Serial number.')),
  size: Amount('Its size in bytes.'),
  rotational: OrNull(Type.Boolean({ description: 'Whether it turns.' })),
  wwn: OrNull(Word('World wide name.')),
  wwn_with_extension: OrNull(Word('The same with its extension.')),
  wwn_vendor_extension: OrNull(Word('The extension.')),
  hctl: OrNull(Word('SCSI address.', 64)),
});

const Inventory = Type.Object({
  hostname: OrNull(Word('The name that it goes by.', 253)),
  interfaces: Type.Array(Interface, { minItems: 1, maxItems: inventoryLimits.interfaces }),
  disks: Type.Optional(Type.Array(Disk, { maxItems: inventoryLimits.disks })),
  cpu: Type.Optional(
    Type.Object({
      model_name: OrNull(Word('Model.')),
      architecture: OrNull(Word('Architecture.', 64)),
      frequency: OrNull(Type.Union([Word('Clock in MHz.', 64), Amount('Clock in MHz.')])),
      count: OrNull(Amount('Logical processors.')),
      flags: OrNull(Type.Array(Word('One flag.', 64), { maxItems: inventoryLimits.flags })),
    }),
  ),
  memory: Type.Optional(Type.Object({ physical_mb: OrNull(Amount('Memory in MiB.')) })),
  system_vendor: Type.Optional(
    Type.Object({
      manufacturer: OrNull(Word('Manufacturer.')),
      product_name: OrNull(Word('Product.')),
      serial_number: OrNull(Word('Serial number.')),
      firmware: OrNull(
        Type.Object({
          vendor: OrNull(Word('Vendor of the BIOS.')),
          version: OrNull(Word('Version of the BIOS.')),
          build_date: OrNull(Word('Date of the BIOS.', 64)),
        }),
      ),
    }),
  ),
  boot: Type.Optional(Type.Object({ pxe_interface: OrNull(Word('The MAC that it booted from.', 64)) })),
});

/** What an agent says of the machine it runs on. Members that nobody knows are let be. */
export const Introduction = Type.Object({
  inventory: Inventory,
  boot_interface: OrNull(Word('The MAC that it booted from, as PXE writes it.', 64)),
  earlier: OrNull(
    Type.Object(
      {
        id: Type.String({ maxLength: 64, description: 'The id that it had.' }),
        token: Type.String({ maxLength: 512, description: 'The last token that it got.' }),
      },
      { description: 'Proof that this is a machine that was here before.' },
    ),
  ),
});
