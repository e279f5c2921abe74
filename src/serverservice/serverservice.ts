import { randomUUID } from 'node:crypto';
import { type Database, migrate } from '../engine/index.ts';
import { type Logger, silentLogger } from '../telemetry/index.ts';
import { type Attributes, createAttributes } from './attributes/attributes.ts';
import type { ConditionView } from './attributes/condition-view.ts';
import { createServerAttributes, type ServerAttributes } from './attributes/server-attributes.ts';
import { createVersionedAttributes, type VersionedAttributes } from './attributes/versioned-attributes.ts';
import { type BiosConfigSets, createBiosConfigSets } from './bios/bios-config-sets.ts';
import { type BillsOfMaterials, createBillsOfMaterials } from './bom/boms.ts';
import { type ComponentTypes, createComponentTypes } from './components/component-types.ts';
import { type Components, createComponents } from './components/components.ts';
import type { InventoryContext } from './context.ts';
import { type Credentials, createCredentials } from './credentials/credentials.ts';
import { type CredentialKey, Sealer } from './credentials/sealer.ts';
import { createEvents, type Events } from './events/events.ts';
import { createFirmwareSets, type FirmwareSets } from './firmware/firmware-sets.ts';
import { createFirmwareVersions, type FirmwareVersions } from './firmware/firmware-versions.ts';
import { sealClearUrls } from './firmware/sealed-urls.ts';
import { createInventories, type Inventories } from './inventories/inventories.ts';
import { inventoryMigrations, inventorySchema } from './schema.ts';
import { canonicaliseAddresses } from './servers/canonical-addresses.ts';
import type { MachineRegistry } from './servers/machine-registry.ts';
import { createServers, type Servers } from './servers/servers.ts';

/** What the inventory is made of. */
export interface ServerserviceOptions {
  /** Shared with the engine; the inventory has tables and versions of its own in it. */
  readonly database: Database;
  /** Where servers become machines: the engine's machines. */
  readonly machines?: MachineRegistry | undefined;
  /** Where conditions are read that are shown as attributes. */
  readonly conditions?: ConditionView | undefined;
  /** From `loadCredentialKeys`; without them neither credentials nor log-ins in URLs are kept. */
  readonly credentialKeys?: readonly [CredentialKey, ...CredentialKey[]] | undefined;
  readonly isChecksumOptional?: boolean;
  readonly logger?: Logger;
  readonly newId?: () => string;
}

/** The inventory: what is known of servers, and the catalogue of firmware. */
export interface Serverservice {
  readonly servers: Servers;
  /** Attributes of servers, conditions among them. */
  readonly serverAttributes: ServerAttributes;
  /** Attributes of anything, by owner. */
  readonly attributes: Attributes;
  readonly versionedAttributes: VersionedAttributes;
  readonly components: Components;
  readonly componentTypes: ComponentTypes;
  readonly firmware: FirmwareVersions;
  readonly firmwareSets: FirmwareSets;
  readonly biosConfigSets: BiosConfigSets;
  readonly credentials: Credentials;
  readonly events: Events;
  readonly billsOfMaterials: BillsOfMaterials;
  /** What was read of servers, written all or nothing. */
  readonly inventories: Inventories;
}

/** Opens the inventory: brings its tables up to date, adds what every inventory has, ends what a crash interrupted. */
export async function createServerservice(options: ServerserviceOptions): Promise<Serverservice> {
  await migrate(options.database, inventoryMigrations, { schema: inventorySchema });
  const context: InventoryContext = {
    database: options.database,
    logger: options.logger ?? silentLogger,
    newId: options.newId ?? randomUUID,
    machines: options.machines,
    conditions: options.conditions,
    sealer: options.credentialKeys === undefined ? undefined : new Sealer(options.credentialKeys),
    isChecksumOptional: options.isChecksumOptional ?? false,
  };
  const service = assemble(context);
  await service.componentTypes.seed();
  await service.credentials.seed();
  // Whoever has several keys is on the way from one to another.
  if ((options.credentialKeys?.length ?? 0) > 1) await service.credentials.reseal();
  await sealClearUrls(context);
  await canonicaliseAddresses(context);
  await service.servers.reconcile();
  return service;
}

function assemble(context: InventoryContext): Serverservice {
  const servers = createServers(context);
  const attributes = createAttributes(context);
  return {
    servers,
    attributes,
    serverAttributes: createServerAttributes(context, { servers, attributes }),
    versionedAttributes: createVersionedAttributes(context),
    components: createComponents(context),
    componentTypes: createComponentTypes(context),
    firmware: createFirmwareVersions(context),
    firmwareSets: createFirmwareSets(context),
    biosConfigSets: createBiosConfigSets(context),
    credentials: createCredentials(context),
    events: createEvents(context),
    billsOfMaterials: createBillsOfMaterials(context),
    inventories: createInventories(context),
  };
}
