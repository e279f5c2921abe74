import type { Migration } from '../engine/index.ts';

/** Whose versions these are in a database that several rooms share. */
export const inventorySchema = 'serverservice';

const servers = [
  `CREATE TABLE inventory_servers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, facility TEXT NOT NULL, vendor TEXT NOT NULL, model TEXT NOT NULL,
    serial TEXT NOT NULL, bmc_id TEXT NOT NULL, bmc_address TEXT NOT NULL, macs TEXT NOT NULL,
    is_machine_pending INTEGER NOT NULL, machine_problem TEXT,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, deleted_at BIGINT)`,
  `CREATE INDEX inventory_servers_facility ON inventory_servers (facility, created_at, id)`,
  `CREATE INDEX inventory_servers_newest ON inventory_servers (created_at, id)`,
  `CREATE INDEX inventory_servers_names ON inventory_servers (name)`,
  `CREATE INDEX inventory_servers_pending ON inventory_servers (id) WHERE is_machine_pending = 1`,
];

const attributes = [
  `CREATE TABLE inventory_attributes (
    owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL, namespace TEXT NOT NULL, data TEXT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (owner_kind, owner_id, namespace))`,
  `CREATE INDEX inventory_attributes_namespaces ON inventory_attributes (namespace, owner_kind)`,
  `CREATE TABLE inventory_versioned_attributes (
    owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL, namespace TEXT NOT NULL, version BIGINT NOT NULL,
    is_latest INTEGER NOT NULL, data TEXT NOT NULL, tally BIGINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (owner_kind, owner_id, namespace, version))`,
  `CREATE UNIQUE INDEX inventory_versioned_attributes_latest
    ON inventory_versioned_attributes (owner_kind, owner_id, namespace) WHERE is_latest = 1`,
];

const components = [
  `CREATE TABLE inventory_component_types (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_component_types_slug ON inventory_component_types (slug)`,
  `CREATE TABLE inventory_components (
    id TEXT PRIMARY KEY, server_id TEXT NOT NULL, type_slug TEXT NOT NULL, name TEXT NOT NULL, vendor TEXT NOT NULL,
    model TEXT NOT NULL, serial TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_components_serial ON inventory_components (server_id, type_slug, serial)`,
  `CREATE INDEX inventory_components_newest ON inventory_components (created_at, id)`,
  `CREATE INDEX inventory_components_types ON inventory_components (type_slug)`,
];

const firmware = [
  `CREATE TABLE inventory_firmware (
    id TEXT PRIMARY KEY, component TEXT NOT NULL, vendor TEXT NOT NULL, filename TEXT NOT NULL, version TEXT NOT NULL,
    models TEXT NOT NULL, sha256 TEXT, sha512 TEXT, md5 TEXT, upstream_url TEXT NOT NULL, repository_url TEXT NOT NULL,
    is_inband INTEGER NOT NULL, is_oem INTEGER NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_firmware_unique ON inventory_firmware (vendor, component, version, filename)`,
  `CREATE INDEX inventory_firmware_newest ON inventory_firmware (created_at, id)`,
  `CREATE TABLE inventory_firmware_models (
    firmware_id TEXT NOT NULL, model TEXT NOT NULL, PRIMARY KEY (firmware_id, model))`,
  `CREATE INDEX inventory_firmware_models_names ON inventory_firmware_models (model)`,
  `CREATE TABLE inventory_firmware_sets (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_firmware_sets_name ON inventory_firmware_sets (name)`,
  `CREATE TABLE inventory_firmware_set_members (
    set_id TEXT NOT NULL, firmware_id TEXT NOT NULL, PRIMARY KEY (set_id, firmware_id))`,
  `CREATE INDEX inventory_firmware_set_members_firmware ON inventory_firmware_set_members (firmware_id)`,
  `CREATE TABLE inventory_firmware_set_labels (
    set_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (set_id, name))`,
  `CREATE INDEX inventory_firmware_set_labels_values ON inventory_firmware_set_labels (name, value)`,
  `CREATE TABLE inventory_firmware_set_validations (
    id TEXT PRIMARY KEY, set_id TEXT NOT NULL, server_id TEXT NOT NULL, performed_on BIGINT NOT NULL,
    created_at BIGINT NOT NULL)`,
];

const rest = [
  `CREATE TABLE inventory_credential_types (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, is_builtin INTEGER NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_credential_types_slug ON inventory_credential_types (slug)`,
  `CREATE TABLE inventory_credentials (
    server_id TEXT NOT NULL, type_slug TEXT NOT NULL, sealed TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, PRIMARY KEY (server_id, type_slug))`,
  `CREATE TABLE inventory_events (
    event_id TEXT NOT NULL, event_type TEXT NOT NULL, target TEXT NOT NULL, parameters TEXT NOT NULL,
    final_state TEXT NOT NULL, final_status TEXT NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT NOT NULL,
    PRIMARY KEY (event_id, event_type, target))`,
  `CREATE INDEX inventory_events_targets ON inventory_events (target, ended_at)`,
  `CREATE TABLE inventory_boms (
    serial TEXT PRIMARY KEY, num_defi_pmi TEXT NOT NULL, num_def_pwd TEXT NOT NULL, metro TEXT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE TABLE inventory_bom_macs (
    mac TEXT PRIMARY KEY, kind TEXT NOT NULL, serial TEXT NOT NULL)`,
  `CREATE INDEX inventory_bom_macs_serial ON inventory_bom_macs (serial)`,
];

const biosConfig = [
  `CREATE TABLE inventory_bios_config_sets (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX inventory_bios_config_sets_name ON inventory_bios_config_sets (name)`,
  `CREATE INDEX inventory_bios_config_sets_newest ON inventory_bios_config_sets (created_at, id)`,
  `CREATE TABLE inventory_bios_config_components (
    id TEXT PRIMARY KEY, set_id TEXT NOT NULL, position BIGINT NOT NULL, name TEXT NOT NULL, vendor TEXT NOT NULL,
    model TEXT NOT NULL, serial TEXT NOT NULL, settings TEXT NOT NULL)`,
  `CREATE INDEX inventory_bios_config_components_sets ON inventory_bios_config_components (set_id, position)`,
  `CREATE INDEX inventory_firmware_set_validations_sets
    ON inventory_firmware_set_validations (set_id, performed_on)`,
];

const firmwareIds = [`ALTER TABLE inventory_firmware ADD COLUMN software_ids TEXT NOT NULL DEFAULT '[]'`];

const bmcNames = [
  `ALTER TABLE inventory_servers ADD COLUMN bmc TEXT`,
  `ALTER TABLE inventory_servers ADD COLUMN bmc_system TEXT`,
];

const bmcIndexes = [
  `CREATE INDEX inventory_servers_bmcs ON inventory_servers (bmc) WHERE bmc IS NOT NULL`,
  `CREATE INDEX inventory_servers_problems ON inventory_servers (id) WHERE machine_problem IS NOT NULL`,
];

const observed = [
  `ALTER TABLE inventory_servers ADD COLUMN system_uuid TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE inventory_servers ADD COLUMN bmc_uuid TEXT NOT NULL DEFAULT ''`,
  // Values that inventories wrote, and what the BMC tells otherwise than an operator.
  `ALTER TABLE inventory_servers ADD COLUMN filled TEXT NOT NULL DEFAULT '{}'`,
  `ALTER TABLE inventory_servers ADD COLUMN contradictions TEXT NOT NULL DEFAULT '[]'`,
];

const componentSlots = [`ALTER TABLE inventory_components ADD COLUMN slot TEXT NOT NULL DEFAULT ''`];

const slotIndexes = [
  // Older versions kept the place of a part as its serial number.
  `UPDATE inventory_components SET slot = serial, serial = '' WHERE id IN (SELECT owner_id FROM inventory_versioned_attributes
    WHERE owner_kind = 'component' AND namespace = 'rackwright.firmware')`,
  `CREATE UNIQUE INDEX inventory_components_slots ON inventory_components (server_id, type_slug, slot) WHERE slot <> ''`,
  `CREATE UNIQUE INDEX inventory_components_serials ON inventory_components (server_id, type_slug, serial)
    WHERE slot = ''`,
];

// The URLs of an image with their log-ins and signatures; the columns of old hold them as they are shown.
const sealedUrls = [`ALTER TABLE inventory_firmware ADD COLUMN sealed_urls TEXT NOT NULL DEFAULT ''`];

/** The tables of the inventory, in SQL that SQLite, PostgreSQL and CockroachDB read alike. */
export const inventoryMigrations: readonly Migration[] = [
  { version: 1, statements: { common: servers } },
  { version: 2, statements: { common: attributes } },
  { version: 3, statements: { common: components } },
  { version: 4, statements: { common: firmware } },
  { version: 5, statements: { common: rest } },
  { version: 6, statements: { common: biosConfig } },
  { version: 7, statements: { common: firmwareIds } },
  { version: 8, statements: { common: bmcNames } },
  { version: 9, statements: { common: bmcIndexes } },
  { version: 10, statements: { common: observed } },
  {
    version: 11,
    statements: {
      common: componentSlots,
      sqlite: ['DROP INDEX inventory_components_serial'],
      postgres: ['DROP INDEX inventory_components_serial CASCADE'],
    },
  },
  { version: 12, statements: { common: slotIndexes } },
  { version: 13, statements: { common: sealedUrls } },
];
