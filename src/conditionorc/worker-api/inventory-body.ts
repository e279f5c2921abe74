import { type Static, Type } from 'typebox';
import type { Inventory } from '../../bmc/index.ts';
import type { InventoryReport } from '../../flasher/index.ts';
import { AnyObject, ListOf, Text, Uuid } from '../../rest/index.ts';

const word = (description: string, maxLength = 512) => Type.Optional(Text(description, { maxLength }));

const Slot = Type.Object(
  {
    slot: Text('The place.', { minLength: 1, maxLength: 255 }),
    component: Text('What is there: bmc, bios, nic, ...', { minLength: 1, maxLength: 64 }),
    name: Text('Its name.', { maxLength: 512 }),
    version: Text('What is installed.', { maxLength: 512 }),
    serial: word('The serial number of the part.'),
    vendor: word('Who made it.'),
    model: word('Which one.'),
    pendingVersion: word('What waits for a restart.'),
    previousVersion: word('What could be gone back to.'),
    softwareId: word('The vendor’s own name of what firmware it takes.'),
    otherSoftwareIds: Type.Optional(
      ListOf(Text('An id.', { maxLength: 512 }), 'More of such names.', { maxItems: 1000 }),
    ),
    isUpdateable: Type.Optional(Type.Boolean({ description: 'Whether the BMC can update it.' })),
    isBackup: Type.Optional(Type.Boolean({ description: 'A spare bank.' })),
  },
  { title: 'FirmwareSlot', description: 'One place in a server that has firmware.', additionalProperties: true },
);

const System = Type.Object(
  {
    manufacturer: word('Who made it.'),
    model: word('Which one.'),
    serial: word('Its serial number.'),
    sku: word('What its maker sells it as.'),
    uuid: word('The UUID of the system.'),
  },
  { title: 'InventorySystem', description: 'The server.', additionalProperties: true },
);

const Port = Type.Object(
  { mac: Text('Its MAC address.', { maxLength: 64 }) },
  { title: 'InventoryPort', description: 'A network interface.', additionalProperties: true },
);

/** An inventory that a worker has read. */
export const InventoryBody = Type.Object(
  {
    conditionId: Uuid('The condition.'),
    token: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The token of the lease.' }),
    inventory: Type.Object(
      {
        vendor: Text('Whose BMC it is.', { minLength: 1, maxLength: 64 }),
        serviceUuid: word('The UUID of the service root.'),
        system: System,
        manager: Type.Optional(AnyObject('The BMC.')),
        ports: Type.Optional(ListOf(Port, 'Its network interfaces.', { maxItems: 1000 })),
        firmware: ListOf(Slot, 'All firmware that was seen.', { maxItems: 2000 }),
        gaps: ListOf(AnyObject('What, and why.'), 'What could not be read.', { maxItems: 1000 }),
      },
      { title: 'Inventory', description: 'What a server is made of.', additionalProperties: true },
    ),
    biosSettings: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: 'Settings of the BIOS, if they were asked for.',
      }),
    ),
    readAt: Type.Integer({ minimum: 0, description: 'When it was read, by the clock of the worker.' }),
  },
  { title: 'InventoryReport', description: 'An inventory that a worker has read.', additionalProperties: false },
);

/** An inventory as it travels. */
export function showInventoryReport(report: InventoryReport) {
  const { inventory, biosSettings, readAt, lease } = report;
  return { ...lease, inventory, readAt, ...(biosSettings === undefined ? {} : { biosSettings }) };
}

/** What arrived, of the server that the condition is about. */
export function readInventoryReport(body: Static<typeof InventoryBody>, target: string): InventoryReport {
  const { conditionId, token, inventory, biosSettings, readAt } = body;
  return {
    target,
    inventory: { ports: [], ...inventory } as unknown as Inventory,
    biosSettings,
    readAt,
    lease: { conditionId, token },
  };
}
