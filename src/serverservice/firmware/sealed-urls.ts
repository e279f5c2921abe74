import type { Row, Transaction } from '../../engine/index.ts';
import { shownUrl } from '../../telemetry/index.ts';
import type { InventoryContext } from '../context.ts';
import type { Sealer } from '../credentials/sealer.ts';
import { InventoryError } from '../errors.ts';
import { textOf } from '../sql/rows.ts';

/** Where the images of a firmware are, with log-ins and signatures. */
export interface FirmwareUrls {
  readonly upstream: string;
  readonly repository: string;
}

/** What the URLs of a firmware are sealed for: they open in its row only. */
export function urlsPlace(firmwareId: string): string {
  return `URLs of firmware ${firmwareId}`;
}

/**
 * URLs as they are stored: as they are shown, and `sealed` with all that they hold; empty where nothing is hidden. Throws
 * `noKeys`.
 */
export function sealUrls(
  sealer: Sealer | undefined,
  firmwareId: string,
  urls: FirmwareUrls,
): FirmwareUrls & { readonly sealed: string } {
  const shown = { upstream: shownUrl(urls.upstream), repository: shownUrl(urls.repository) };
  if (shown.upstream === urls.upstream && shown.repository === urls.repository) return { ...shown, sealed: '' };
  if (sealer === undefined) throw new InventoryError('noKeys', {});
  return { ...shown, sealed: sealer.seal(urlsPlace(firmwareId), JSON.stringify(urls)) };
}

/** The URLs of a row. Throws `noKeys` and `unreadable`. */
export function openUrls(sealer: Sealer | undefined, row: Row): FirmwareUrls {
  const sealed = textOf(row, 'sealed_urls');
  if (sealed === '') return { upstream: textOf(row, 'upstream_url'), repository: textOf(row, 'repository_url') };
  if (sealer === undefined) throw new InventoryError('noKeys', {});
  return JSON.parse(sealer.open(urlsPlace(textOf(row, 'id')), sealed)) as FirmwareUrls;
}

/** Rows of one transaction. */
const batch = 200;

/** Seals URLs that older versions stored in clear text. */
export async function sealClearUrls({ database, sealer }: InventoryContext): Promise<void> {
  if (sealer === undefined) return;
  const sealSome = async (tx: Transaction, after: string): Promise<string | undefined> => {
    // A log-in has an @, and a signature an equals sign.
    const rows = await tx.all(
      `SELECT id, upstream_url, repository_url, sealed_urls FROM inventory_firmware
        WHERE id > ? AND sealed_urls = '' AND (upstream_url LIKE '%@%' OR repository_url LIKE '%@%'
          OR upstream_url LIKE '%=%' OR repository_url LIKE '%=%')
        ORDER BY id LIMIT ${batch}`,
      after,
    );
    for (const row of rows) await sealRow(tx, sealer, row);
    const last = rows.at(-1);
    return last === undefined || rows.length < batch ? undefined : textOf(last, 'id');
  };
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    after = await database.write((tx) => sealSome(tx, from));
  }
}

/** Only if nobody wrote other URLs meanwhile. */
async function sealRow(tx: Transaction, sealer: Sealer, row: Row): Promise<void> {
  const id = textOf(row, 'id');
  const clear = openUrls(sealer, row);
  const { upstream, repository, sealed } = sealUrls(sealer, id, clear);
  if (sealed === '') return;
  await tx.run(
    `UPDATE inventory_firmware SET upstream_url = ?, repository_url = ?, sealed_urls = ?
      WHERE id = ? AND sealed_urls = '' AND upstream_url = ? AND repository_url = ?`,
    ...[upstream, repository, sealed, id, clear.upstream, clear.repository],
  );
}
