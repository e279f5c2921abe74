import type { Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import { shownUrl } from '../../telemetry/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { orDuplicate } from '../sql/or-duplicate.ts';
import { textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { Where } from '../sql/where.ts';
import { bestChecksum, type Checksums, parseChecksums } from './checksums.ts';
import type { FirmwareDraft, FirmwareQuery, FirmwareRecord } from './firmware.ts';
import {
  type CheckedFirmware,
  checkFirmware,
  type FirmwareWriter,
  findByNames,
  insertFirmware,
  readFirmware,
  requireFirmware,
  updateFirmware,
} from './firmware-row.ts';
import { writtenUrl } from './written-url.ts';

/** The catalogue of firmware versions: the one place that says from which file a version is installed. */
export interface FirmwareVersions {
  /** Firmware without a checksum is taken. */
  readonly isChecksumOptional: boolean;
  /** Throws `notFound`. */
  get(id: string): Promise<FirmwareRecord>;
  list(query: FirmwareQuery, request: PageRequest): Promise<Page<FirmwareRecord>>;
  /** Throws `duplicate` when vendor, component, version and filename are taken. */
  create(draft: FirmwareDraft): Promise<FirmwareRecord>;
  /** Writes it under its vendor, component, version and filename, there or not: for discovery, which finds it often. */
  put(draft: FirmwareDraft): Promise<FirmwareRecord>;
  /**
   * Writes several so, all or none. `guard` runs in the same transaction, first: what it throws is thrown, and then nothing
   * is written. One that ends work locks what it decides on, and asks for `row-locks`. With `areChecksumsFixed` a file that is
   * there with another checksum is no news but a forgery or a mistake: throws `checksumChanged`, and nothing is written;
   * models that it was found for before stay.
   */
  putAll(
    drafts: readonly FirmwareDraft[],
    guard?: (tx: Transaction) => Promise<void>,
    how?: { readonly isolation?: 'row-locks'; readonly areChecksumsFixed?: boolean },
  ): Promise<void>;
  /** Replaces all that is said of it. URLs that are given as they are shown keep their log-ins. */
  update(id: string, draft: FirmwareDraft): Promise<FirmwareRecord>;
  /** Throws `inUse` while a set has it. */
  remove(id: string): Promise<void>;
  /** What can bring a component of a model to a version: firmware of that model first, then firmware of any. */
  resolve(wanted: {
    readonly vendor: string;
    readonly model: string;
    readonly component: string;
    readonly version: string;
  }): Promise<readonly FirmwareRecord[]>;
}

const orders = {
  created_at: 'f.created_at',
  updated_at: 'f.updated_at',
  vendor: 'f.vendor',
  component: 'f.component',
  version: 'f.version',
  filename: 'f.filename',
};

/** What firmware can be ordered by. */
export const firmwareOrders = Object.keys(orders);

/** The catalogue kept in the store. */
export function createFirmwareVersions(context: InventoryContext): FirmwareVersions {
  const { database, isChecksumOptional } = context;
  return {
    isChecksumOptional,
    get: (id) => database.read((tx) => requireFirmware(context, tx, id)),
    list: (query, request) =>
      database.read(async (tx) => {
        const selection = {
          from: 'inventory_firmware f',
          columns: 'f.*',
          where: whereOf(query),
          orders,
          tieBreak: 'f.id',
        };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: rows.map((row) => readFirmware(context, row)), total };
      }),
    create: async (draft) => {
      const { id, checked } = prepare(context, draft);
      return database.write(async (tx) => {
        if (!(await insertFirmware(context, tx, { id, checked }))) throw await taken(context, tx, { id, checked });
        return requireFirmware(context, tx, id);
      });
    },
    put: async (draft) => {
      const prepared = prepare(context, draft);
      return database.write(async (tx) => requireFirmware(context, tx, await putFirmware(context, tx, prepared)));
    },
    putAll: async (drafts, guard, { isolation, areChecksumsFixed = false } = {}) => {
      const prepared = drafts.map((draft) => prepare(context, draft));
      const put = areChecksumsFixed ? putUnchanged : putAsGiven;
      await database.write(
        async (tx) => {
          await guard?.(tx);
          await put(context, tx, prepared);
        },
        isolation === undefined ? undefined : { isolation },
      );
    },
    update: (id, draft) => changeFirmware(context, id, checkFirmware(draft, context)),
    remove: (id) => database.write((tx) => removeFirmware(context, tx, id)),
    resolve: (wanted) => database.read((tx) => resolveFirmware(context, tx, wanted)),
  };
}

type Prepared = ReturnType<typeof prepare>;

async function putAsGiven(context: FirmwareWriter, tx: Transaction, prepared: readonly Prepared[]): Promise<void> {
  for (const one of prepared) await putFirmware(context, tx, one);
}

/** Writes all whose file is not there with another checksum; if there is one that is, throws with all of them. */
async function putUnchanged(context: FirmwareWriter, tx: Transaction, prepared: readonly Prepared[]): Promise<void> {
  const problems: string[] = [];
  for (const { id, checked } of prepared) {
    const before = await findByNames(context, tx, checked.names);
    if (before !== undefined && hasOtherChecksum(before.checksums, checked.checksums)) {
      problems.push(describeChange(before, checked));
      continue;
    }
    // Checksums of other functions that are known stay: who tells only an MD5 takes no SHA-256 away.
    const checksums = { ...before?.checksums, ...checked.checksums };
    const models = allModels(before, checked);
    // So do ids of what it is for, where only another catalogue tells them.
    const softwareIds = checked.softwareIds.length > 0 ? checked.softwareIds : (before?.softwareIds ?? []);
    await putFirmware(context, tx, { id, checked: { ...checked, checksums, models, softwareIds } });
  }
  if (problems.length > 0) throw new InventoryError('checksumChanged', {}, { problems: problems.slice(0, 20) });
}

/** Whoever found it for one model says nothing of others that it was found for; none means any. */
function allModels(before: FirmwareRecord | undefined, { models }: CheckedFirmware): readonly string[] {
  if (before === undefined || models.length === 0 || before.models.length === 0) {
    return before === undefined ? models : [];
  }
  const known = new Set(before.models.map((one) => one.toLowerCase()));
  return [...before.models, ...models.filter((one) => !known.has(one.toLowerCase()))];
}

function hasOtherChecksum(before: Checksums, after: Checksums): boolean {
  const names = ['sha256', 'sha512', 'md5'] as const;
  return names.some((name) => before[name] !== undefined && after[name] !== undefined && before[name] !== after[name]);
}

function describeChange(
  { id, vendor, component, version, filename, checksum }: FirmwareRecord,
  after: CheckedFirmware,
) {
  const now = bestChecksum(after.checksums);
  return `${vendor} ${component} ${version} (${filename}) is ${checksum} as firmware ${id}, and would be ${now}; if that is right, delete this firmware first`;
}

/** Writes it where it is, or as a new one; gives its id. Somebody else may write it at the same time. */
async function putFirmware(context: FirmwareWriter, tx: Transaction, { id, checked }: Prepared): Promise<string> {
  const before = await findByNames(context, tx, checked.names);
  if (before === undefined && (await insertFirmware(context, tx, { id, checked }))) return id;
  const there = before ?? (await findByNames(context, tx, checked.names));
  if (there === undefined) throw await taken(context, tx, { id, checked });
  await updateFirmware(context, tx, { id: there.id, checked });
  return there.id;
}

function changeFirmware(context: InventoryContext, id: string, checked: CheckedFirmware): Promise<FirmwareRecord> {
  const changed = context.database.write(async (tx) => {
    const before = await requireFirmware(context, tx, id);
    const holder = await findByNames(context, tx, checked.names);
    if (holder !== undefined && holder.id !== before.id) throw await taken(context, tx, { id: before.id, checked });
    const urls = {
      upstream: writtenUrl(checked.urls.upstream, before.upstreamUrl),
      repository: writtenUrl(checked.urls.repository, before.repositoryUrl),
    };
    await updateFirmware(context, tx, { id: before.id, checked: { ...checked, urls } });
    return requireFirmware(context, tx, id);
  });
  return orDuplicate(changed, {
    what: 'firmware',
    fields: 'vendor, component, version and filename',
    holder: 'a new one',
  });
}

function prepare(context: InventoryContext, draft: FirmwareDraft): { id: string; checked: CheckedFirmware } {
  return { id: draft.id?.toLowerCase() ?? context.newId(), checked: checkFirmware(draft, context) };
}

async function taken(context: FirmwareWriter, tx: Transaction, { id, checked }: Prepared): Promise<InventoryError> {
  const holder = await findByNames(context, tx, checked.names);
  const fields = holder === undefined ? 'uuid' : 'vendor, component, version and filename';
  const held = holder?.id ?? id;
  return new InventoryError('duplicate', { what: 'firmware', fields, holder: held }, { record: { uuid: held } });
}

function whereOf(query: FirmwareQuery): Where {
  const where = new Where()
    .addIf('f.vendor = ?', query.vendor?.toLowerCase())
    .addIf('f.component = ?', query.component?.toLowerCase())
    .addIf('f.version = ?', query.version)
    .addIf('f.filename = ?', query.filename)
    .addIf('f.repository_url = ?', query.repositoryUrl === undefined ? undefined : shownUrl(query.repositoryUrl))
    .addIf('f.is_inband = ?', query.isInband === undefined ? undefined : query.isInband ? 1 : 0)
    .addIf('f.is_oem = ?', query.isOem === undefined ? undefined : query.isOem ? 1 : 0)
    .addIf(
      'EXISTS (SELECT 1 FROM inventory_firmware_models m WHERE m.firmware_id = f.id AND m.model = ?)',
      query.model?.toLowerCase(),
    );
  if (query.checksum === undefined) return where;
  for (const [name, hex] of Object.entries(parseChecksums([query.checksum])))
    where.add({ sha256: 'f.sha256 = ?', sha512: 'f.sha512 = ?', md5: 'f.md5 = ?' }[name] ?? '1 = 0', hex);
  return where;
}

async function removeFirmware(context: FirmwareWriter, tx: Transaction, id: string): Promise<void> {
  const firmware = await requireFirmware(context, tx, id);
  const sets = await tx.all(
    `SELECT s.name FROM inventory_firmware_sets s JOIN inventory_firmware_set_members m ON m.set_id = s.id
      WHERE m.firmware_id = ? ORDER BY s.name LIMIT 10`,
    firmware.id,
  );
  if (sets.length > 0) {
    const names = sets.map((row) => textOf(row, 'name')).join(', ');
    throw new InventoryError('inUse', { what: 'firmware', id: firmware.id, detail: `it is in the sets ${names}` });
  }
  await tx.run('DELETE FROM inventory_firmware_models WHERE firmware_id = ?', firmware.id);
  await tx.run('DELETE FROM inventory_firmware WHERE id = ?', firmware.id);
}

async function resolveFirmware(
  context: FirmwareWriter,
  tx: Transaction,
  wanted: { readonly vendor: string; readonly model: string; readonly component: string; readonly version: string },
): Promise<readonly FirmwareRecord[]> {
  const rows = await tx.all(
    `SELECT f.* FROM inventory_firmware f WHERE f.vendor = ? AND f.component = ? AND lower(f.version) = lower(?)
      ORDER BY f.created_at DESC, f.filename, f.id`,
    wanted.vendor.trim().toLowerCase(),
    wanted.component.trim().toLowerCase(),
    wanted.version.trim(),
  );
  const model = wanted.model.trim().toLowerCase();
  const found = rows.map((row) => readFirmware(context, row));
  const named = found.filter(({ models }) => models.some((one) => one.toLowerCase() === model));
  return [...named, ...found.filter(({ models }) => models.length === 0)];
}
