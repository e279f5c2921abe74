export type { Attribute, AttributeOwner, VersionedAttribute } from './attributes/attribute.ts';
export { type AttributeFilter, parseAttributeFilters } from './attributes/attribute-filter.ts';
export type { AttributeDraft, Attributes } from './attributes/attributes.ts';
export { type ConditionAttribute, type ConditionView, conditionNamespace } from './attributes/condition-view.ts';
export { onboardingNamespace } from './attributes/namespace.ts';
export type { ServerAttributes } from './attributes/server-attributes.ts';
export type { VersionedAttributes } from './attributes/versioned-attributes.ts';
export type { BiosConfigDraft, BiosConfigSet } from './bios/bios-config.ts';
export type { BiosConfigSets } from './bios/bios-config-sets.ts';
export type { BillOfMaterials, BillsOfMaterials } from './bom/boms.ts';
export type { ComponentDraft, ComponentQuery, ComponentRecord, ComponentType } from './components/component.ts';
export type { ComponentTypes } from './components/component-types.ts';
export type { Components } from './components/components.ts';
export type { Credential, Credentials, CredentialType } from './credentials/credentials.ts';
export { loadCredentialKeys } from './credentials/key-file.ts';
export { type CredentialKey, Sealer } from './credentials/sealer.ts';
export { InventoryError, type InventoryErrorCode, inventoryErrors, isInventoryError } from './errors.ts';
export type { Events, InventoryEvent } from './events/events.ts';
export type { Checksums } from './firmware/checksums.ts';
export type {
  FirmwareDraft,
  FirmwareQuery,
  FirmwareRecord,
  FirmwareSet,
  FirmwareSetQuery,
} from './firmware/firmware.ts';
export { longestSoftwareId, mostSoftwareIds } from './firmware/firmware-row.ts';
export type { FirmwareSetDraft, FirmwareSets } from './firmware/firmware-sets.ts';
export type { FirmwareVersions } from './firmware/firmware-versions.ts';
export { describeServerservice, registerServerservice, serverserviceInfo, serverserviceRoutes } from './http/routes.ts';
export type { Inventories, InventoryDraft } from './inventories/inventories.ts';
export { inventoryMigrations, inventorySchema } from './schema.ts';
export { facilityPattern } from './servers/check-server.ts';
export type { ObservedServer } from './servers/fill-server.ts';
export type { MachineRegistry } from './servers/machine-registry.ts';
export type { ServerDetails, ServerDraft, ServerFields, ServerQuery, ServerRecord } from './servers/server.ts';
export type { Servers } from './servers/servers.ts';
export { createServerservice, type Serverservice, type ServerserviceOptions } from './serverservice.ts';
