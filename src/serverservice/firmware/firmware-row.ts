import type { Row, SqlValue, Transaction } from '../../engine/index.ts';
import type { Sealer } from '../credentials/sealer.ts';
import { InventoryError } from '../errors.ts';
import { jsonOf, numberOf, optionalText, textOf } from '../sql/rows.ts';
import { bestChecksum, type Checksums, checksumWarnings, parseChecksums } from './checksums.ts';
import type { FirmwareDraft, FirmwareRecord } from './firmware.ts';
import { openUrls, sealUrls } from './sealed-urls.ts';

/** What firmware is written and read with: its URLs are sealed where they hold secrets. */
export interface FirmwareWriter {
  readonly sealer: Sealer | undefined;
}

/** Reads a row of `inventory_firmware`. Throws `noKeys` or `unreadable` where its URLs cannot be opened. */
export function readFirmware({ sealer }: FirmwareWriter, row: Row): FirmwareRecord {
  const checksums = readChecksums(row);
  const { upstream: upstreamUrl, repository: repositoryUrl } = openUrls(sealer, row);
  return {
    id: textOf(row, 'id'),
    component: textOf(row, 'component'),
    vendor: textOf(row, 'vendor'),
    models: jsonOf<string[]>(row, 'models'),
    softwareIds: jsonOf<string[]>(row, 'software_ids'),
    filename: textOf(row, 'filename'),
    version: textOf(row, 'version'),
    checksums,
    checksum: bestChecksum(checksums),
    upstreamUrl,
    repositoryUrl,
    url: repositoryUrl === '' ? upstreamUrl : repositoryUrl,
    isInband: numberOf(row, 'is_inband') === 1,
    isOem: numberOf(row, 'is_oem') === 1,
    warnings: checksumWarnings(checksums),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}

function readChecksums(row: Row): Checksums {
  const [sha256, sha512, md5] = ['sha256', 'sha512', 'md5'].map((name) => optionalText(row, name));
  return {
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(sha512 === undefined ? {} : { sha512 }),
    ...(md5 === undefined ? {} : { md5 }),
  };
}

/** How many ids of what it is for a firmware may have. */
export const mostSoftwareIds = 1000;
/** How long one may be. */
export const longestSoftwareId = 255;

/** A draft in its one spelling, as values of columns. */
export interface CheckedFirmware {
  readonly names: {
    readonly vendor: string;
    readonly component: string;
    readonly version: string;
    readonly filename: string;
  };
  readonly models: readonly string[];
  readonly softwareIds: readonly string[];
  readonly checksums: Checksums;
  readonly urls: { readonly upstream: string; readonly repository: string };
  readonly isInband: boolean;
  readonly isOem: boolean;
}

/** Throws `badValue` with all reasons. */
export function checkFirmware(draft: FirmwareDraft, rules: { readonly isChecksumOptional: boolean }): CheckedFirmware {
  const checksums = parseChecksums(draft.checksums ?? []);
  const names = {
    vendor: draft.vendor.trim().toLowerCase(),
    component: draft.component.trim().toLowerCase(),
    version: draft.version.trim(),
    filename: draft.filename.trim(),
  };
  const softwareIds = distinctTexts(draft.softwareIds);
  const urls = { upstream: (draft.upstreamUrl ?? '').trim(), repository: (draft.repositoryUrl ?? '').trim() };
  const problems = [
    ...Object.entries(names).flatMap(([name, text]) => (text === '' ? [`${name} is empty`] : [])),
    ...Object.entries(urls).flatMap(([name, url]) =>
      isFetchable(url) ? [] : [`${name}_url is not an http, https or file URL`],
    ),
    ...(softwareIds.length > mostSoftwareIds ? [`it has more than ${mostSoftwareIds} software ids`] : []),
    ...(softwareIds.some((id) => id.length > longestSoftwareId) ? ['a software id is too long'] : []),
    ...(bestChecksum(checksums) === '' && !rules.isChecksumOptional
      ? ['it has no checksum; give sha256, or allow firmware without one in the settings']
      : []),
  ];
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'firmware' }, { problems });
  const { isInband = false, isOem = false } = draft;
  return { names, models: distinctTexts(draft.models), softwareIds, checksums, urls, isInband, isOem };
}

function distinctTexts(texts: readonly string[] = []): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

function isFetchable(url: string): boolean {
  return url === '' || (URL.canParse(url) && ['http:', 'https:', 'file:'].includes(new URL(url).protocol));
}

function valuesOf({ sealer }: FirmwareWriter, firmware: CheckedFirmware, row: { id: string; now: number }): SqlValue[] {
  const { names, models, softwareIds, checksums, isInband, isOem } = firmware;
  const urls = sealUrls(sealer, row.id, firmware.urls);
  return [
    ...[names.component, names.vendor, names.filename, names.version],
    ...[JSON.stringify(models), JSON.stringify(softwareIds)],
    ...[checksums.sha256 ?? null, checksums.sha512 ?? null, checksums.md5 ?? null],
    ...[urls.upstream, urls.repository, urls.sealed, isInband ? 1 : 0, isOem ? 1 : 0, row.now, row.id],
  ];
}

/** Adds firmware; false when its vendor, component, version and filename, or its id, are taken. */
export async function insertFirmware(
  writer: FirmwareWriter,
  tx: Transaction,
  { id, checked: firmware }: { readonly id: string; readonly checked: CheckedFirmware },
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO inventory_firmware (component, vendor, filename, version, models, software_ids, sha256, sha512, md5,
       upstream_url, repository_url, sealed_urls, is_inband, is_oem, updated_at, id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...valuesOf(writer, firmware, { id, now: tx.now }),
    tx.now,
  );
  if (added > 0) await writeModels(tx, id, firmware.models);
  return added > 0;
}

/** Changes firmware that is there. */
export async function updateFirmware(
  writer: FirmwareWriter,
  tx: Transaction,
  { id, checked: firmware }: { readonly id: string; readonly checked: CheckedFirmware },
): Promise<void> {
  await tx.run(
    `UPDATE inventory_firmware SET component = ?, vendor = ?, filename = ?, version = ?, models = ?, software_ids = ?,
       sha256 = ?, sha512 = ?, md5 = ?, upstream_url = ?, repository_url = ?, sealed_urls = ?, is_inband = ?, is_oem = ?,
       updated_at = ?
      WHERE id = ?`,
    ...valuesOf(writer, firmware, { id, now: tx.now }),
  );
  await tx.run('DELETE FROM inventory_firmware_models WHERE firmware_id = ?', id);
  await writeModels(tx, id, firmware.models);
}

/** Models are looked up without regard to case. */
async function writeModels(tx: Transaction, id: string, models: readonly string[]): Promise<void> {
  for (const model of new Set(models.map((one) => one.toLowerCase())))
    await tx.run('INSERT INTO inventory_firmware_models (firmware_id, model) VALUES (?, ?)', id, model);
}

/** The firmware with these names. */
export async function findByNames(
  writer: FirmwareWriter,
  tx: Transaction,
  names: CheckedFirmware['names'],
): Promise<FirmwareRecord | undefined> {
  const row = await tx.first(
    'SELECT * FROM inventory_firmware WHERE vendor = ? AND component = ? AND version = ? AND filename = ?',
    ...[names.vendor, names.component, names.version, names.filename],
  );
  return row === undefined ? undefined : readFirmware(writer, row);
}

/** The firmware with this id; throws `notFound`. */
export async function requireFirmware(writer: FirmwareWriter, tx: Transaction, id: string): Promise<FirmwareRecord> {
  const row = await tx.first('SELECT * FROM inventory_firmware WHERE id = ?', id.toLowerCase());
  if (row === undefined) throw new InventoryError('notFound', { what: 'firmware', id });
  return readFirmware(writer, row);
}
