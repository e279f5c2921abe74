import type { ComponentType, FirmwareSlot, VendorName } from '../../bmc/index.ts';
import type { JsonObject, JsonValue } from '../../engine/index.ts';
import type { PlannedServer } from '../../flasher/index.ts';
import type { ComponentRecord, Serverservice, VersionedAttribute } from '../../serverservice/index.ts';
import { firmwareNamespace, inventoryNamespace } from './inventory-draft.ts';

/** What the inventory last saw on a server. */
export interface InstalledFirmware {
  /** When it was read last. */
  readonly readAt: number;
  readonly server: PlannedServer;
}

const wholePage = { limit: 1000, page: 1, orderBy: undefined, isDescending: false };

/** Reads back what the last inventory of a server found; undefined where there was none. */
export async function readInstalled(
  service: Pick<Serverservice, 'versionedAttributes' | 'components'>,
  serverId: string,
): Promise<InstalledFirmware | undefined> {
  const latest = await service.versionedAttributes.listLatest({ kind: 'server', id: serverId }, wholePage);
  const seen = latest.records.find(({ namespace }) => namespace === inventoryNamespace);
  if (seen === undefined) return undefined;
  const { records } = await service.components.list({ serverId }, wholePage);
  const { vendor, system, drives } = seen.data;
  const { manufacturer, model } = objectOf(system);
  return {
    readAt: seen.updatedAt,
    server: {
      vendor: (textOf(vendor) ?? 'generic') as VendorName,
      manufacturer: textOf(manufacturer),
      model: textOf(model),
      slots: records.flatMap(toSlot),
      driveModels: driveModels(drives),
    },
  };
}

function toSlot(record: ComponentRecord): FirmwareSlot[] {
  const noted = record.versionedAttributes.find(({ namespace }: VersionedAttribute) => namespace === firmwareNamespace);
  if (noted === undefined) return [];
  const { installed, softwareId, otherSoftwareIds, isUpdateable, component, slot } = noted.data;
  const { version, pendingVersion, previousVersion } = objectOf(installed);
  return [
    {
      // Workers of older versions tell it as the serial alone.
      slot: textOf(slot) ?? (record.slot === '' ? record.serial : record.slot),
      component: (textOf(component) ?? 'other') as ComponentType,
      name: record.name,
      vendor: record.vendor === '' ? undefined : record.vendor,
      model: record.model === '' ? undefined : record.model,
      ...(record.serial === '' ? {} : { serial: record.serial }),
      version: textOf(version) ?? '',
      pendingVersion: textOf(pendingVersion),
      previousVersion: textOf(previousVersion),
      isUpdateable: isUpdateable !== false,
      softwareId: textOf(softwareId),
      ...(Array.isArray(otherSoftwareIds)
        ? { otherSoftwareIds: otherSoftwareIds.flatMap((id) => textOf(id) ?? []) }
        : {}),
      uri: '',
      relatedItems: [],
      health: undefined,
    },
  ];
}

function driveModels(drives: JsonValue | undefined): ReadonlyMap<string, string> {
  const all = Array.isArray(drives) ? drives.map(objectOf) : [];
  return new Map(
    all.flatMap(({ id, model }) => (typeof id === 'string' && typeof model === 'string' ? [[id, model]] : [])),
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
