import { tryParseBmcAddress } from '../../bmc/index.ts';
import type { Row, Transaction } from '../../engine/index.ts';
import type { InventoryContext } from '../context.ts';
import type { ServerRecord } from './server.ts';
import { readServer } from './server-row.ts';

const rowsAtOnce = 1000;

/**
 * BMC addresses that older versions stored as they were written get their one spelling. Their servers are put as machines
 * again, so that those that turn out to be one machine say so.
 */
export async function canonicaliseAddresses({ database }: InventoryContext): Promise<void> {
  const find = (tx: Transaction, after: string): Promise<readonly Row[]> =>
    tx.all(
      `SELECT * FROM inventory_servers WHERE bmc IS NULL AND bmc_address <> '' AND id > ? ORDER BY id LIMIT ${rowsAtOnce}`,
      after,
    );
  let after = '';
  for (;;) {
    const last = await database.write(async (tx) => {
      const servers = (await find(tx, after)).map(readServer);
      for (const server of servers) await rewrite(tx, server);
      return servers.at(-1)?.id;
    });
    if (last === undefined) return;
    after = last;
  }
}

async function rewrite(tx: Transaction, { id, bmcAddress }: ServerRecord): Promise<void> {
  const names = tryParseBmcAddress(bmcAddress);
  await tx.run(
    `UPDATE inventory_servers SET bmc_address = ?, bmc = ?, bmc_system = ?,
       is_machine_pending = CASE WHEN deleted_at IS NULL THEN 1 ELSE 0 END WHERE id = ?`,
    ...[names?.canonical ?? bmcAddress, names?.bmc ?? null, names?.system ?? null, id],
  );
}
