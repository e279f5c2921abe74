import type { JsonObject } from '../../engine/index.ts';
import { shownUrl } from '../../telemetry/index.ts';
import type { Attribute, VersionedAttribute } from '../attributes/attribute.ts';
import type { BiosConfigSet } from '../bios/bios-config.ts';
import type { BillOfMaterials } from '../bom/boms.ts';
import type { ComponentRecord, ComponentType } from '../components/component.ts';
import type { CredentialType } from '../credentials/credentials.ts';
import type { InventoryEvent } from '../events/events.ts';
import type { FirmwareRecord, FirmwareSet } from '../firmware/firmware.ts';
import { labelNamespace } from '../firmware/set-labels.ts';
import type { ServerDetails, ServerRecord } from '../servers/server.ts';

/** A time as the API shows it. */
export function showTime(at: number): string {
  return new Date(at).toISOString();
}

function times(record: { readonly createdAt: number; readonly updatedAt: number }): JsonObject {
  return { created_at: showTime(record.createdAt), updated_at: showTime(record.updatedAt) };
}

/** A server without what is known of it besides. */
export function showServer(server: ServerRecord): JsonObject {
  return {
    uuid: server.id,
    name: server.name,
    facility_code: server.facility,
    vendor: server.vendor,
    model: server.model,
    serial: server.serial,
    bmc_id: server.bmcId,
    bmc_address: server.bmcAddress,
    mac_addresses: [...server.macs],
    system_uuid: server.systemUuid,
    bmc_uuid: server.bmcUuid,
    ...times(server),
    ...(server.deletedAt === undefined ? {} : { deleted_at: showTime(server.deletedAt) }),
    ...(server.machineProblem === undefined ? {} : { machine_problem: server.machineProblem }),
    ...(server.contradictions.length === 0 ? {} : { contradictions: [...server.contradictions] }),
    ...(server.duplicates.length === 0 ? {} : { duplicates: [...server.duplicates] }),
  };
}

/** A server with all that is known of it. */
export function showServerDetails(server: ServerDetails): JsonObject {
  return {
    ...showServer(server),
    attributes: server.attributes.map(showAttribute),
    versioned_attributes: server.versionedAttributes.map(showVersioned),
    components: server.components.map(showComponent),
  };
}

/** An attribute. */
export function showAttribute(attribute: Attribute): JsonObject {
  return { namespace: attribute.namespace, data: attribute.data, ...times(attribute) };
}

/** One version of an attribute. */
export function showVersioned(attribute: VersionedAttribute): JsonObject {
  // Clients of the shipped service read the time of the last tally under this name.
  const last = showTime(attribute.updatedAt);
  return { ...showAttribute(attribute), version: attribute.version, tally: attribute.tally, last_reported_at: last };
}

/** A kind of part. */
export function showComponentType({ id, name, slug, ...record }: ComponentType): JsonObject {
  return { id, name, slug, ...times(record) };
}

/** A part of a server. */
export function showComponent(component: ComponentRecord): JsonObject {
  return {
    uuid: component.id,
    server_uuid: component.serverId,
    component_type_slug: component.type,
    component_type_name: component.typeName,
    name: component.name,
    vendor: component.vendor,
    model: component.model,
    serial: component.serial,
    slot: component.slot,
    attributes: component.attributes.map(showAttribute),
    versioned_attributes: component.versionedAttributes.map(showVersioned),
    ...times(component),
  };
}

/** A firmware version; who may read the catalogue may not read the log-ins of where its images come from. */
export function showFirmware(firmware: FirmwareRecord): JsonObject {
  return {
    uuid: firmware.id,
    component: firmware.component,
    vendor: firmware.vendor,
    model: [...firmware.models],
    software_ids: [...firmware.softwareIds],
    filename: firmware.filename,
    version: firmware.version,
    checksum: firmware.checksum,
    checksums: { ...firmware.checksums },
    upstream_url: shownUrl(firmware.upstreamUrl),
    repository_url: shownUrl(firmware.repositoryUrl),
    install_inband: firmware.isInband,
    oem: firmware.isOem,
    ...(firmware.warnings.length === 0 ? {} : { warnings: [...firmware.warnings] }),
    ...times(firmware),
  };
}

/** A firmware set; its labels also as the attribute that clients of the shipped service read. */
export function showFirmwareSet(set: FirmwareSet): JsonObject {
  return {
    uuid: set.id,
    name: set.name,
    labels: { ...set.labels },
    attributes: [{ namespace: labelNamespace, data: { ...set.labels }, ...times(set) }],
    component_firmware: set.firmware.map(showFirmware),
    ...times(set),
  };
}

/** A set of BIOS settings; each part of it is as old as the set. */
export function showBiosConfigSet({ id, name, version, components, ...record }: BiosConfigSet): JsonObject {
  const stamps = times(record);
  return {
    ...{ id, name, version },
    components: components.map(({ settings, ...component }) => ({
      ...component,
      settings: settings.map((setting) => ({ ...setting, ...stamps })),
      ...stamps,
    })),
    ...stamps,
  };
}

/** What a credential is for. */
export function showCredentialType({ id, name, slug, isBuiltin, ...record }: CredentialType): JsonObject {
  return { id, name, slug, builtin: isBuiltin, ...times(record) };
}

/** Something that happened to a server. */
export function showEvent(event: InventoryEvent): JsonObject {
  return {
    event_id: event.id,
    type: event.type,
    target_server: event.target,
    parameters: event.parameters,
    final_state: event.finalState,
    final_status: event.finalStatus,
    event_start: showTime(event.startedAt),
    event_end: showTime(event.endedAt),
  };
}

/** A bill of materials, without the password. */
export function showBill(bill: BillOfMaterials): JsonObject {
  return {
    serial_num: bill.serial,
    aoc_mac_address: bill.aocMacs.join(','),
    bmc_mac_address: bill.bmcMacs.join(','),
    num_defi_pmi: bill.numDefiPmi,
    metro: bill.metro,
  };
}
