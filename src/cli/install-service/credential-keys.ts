import { existsSync } from 'node:fs';
import { type Database, migrate } from '../../engine/index.ts';
import {
  type CredentialKey,
  inventoryMigrations,
  inventorySchema,
  isInventoryError,
  loadCredentialKeys,
} from '../../serverservice/index.ts';
import { CliError } from '../errors.ts';

/**
 * The keys of credentials. They are made where there are none yet; a file that lacks a key which the store was sealed
 * with is refused, since what it cannot open would look lost only when a server needs it.
 */
export async function openCredentialKeys(
  file: string,
  database: Database,
): Promise<readonly [CredentialKey, ...CredentialKey[]]> {
  await migrate(database, inventoryMigrations, { schema: inventorySchema });
  const used = await readUsedKeys(database);
  if (used.length > 0 && !existsSync(file)) {
    const text = `${file} is missing, and ${database.label ?? 'the database'} holds credentials of BMCs that keys encrypt: copy the file from a machine that has it, or name it with --credential-keys`;
    throw new CliError('bad-data', text);
  }
  const keys = load(file);
  const unknown = used.filter((id) => !keys.some((key) => key.id === id));
  if (unknown.length === 0) return keys;
  const text = `${file} lacks the key ${unknown.join(', ')}, which ${database.label ?? 'the database'} encrypts credentials of BMCs with: all processes on one database need the same keys; name the right file with --credential-keys`;
  throw new CliError('bad-data', text);
}

function load(file: string): readonly [CredentialKey, ...CredentialKey[]] {
  try {
    return loadCredentialKeys(file);
  } catch (error) {
    if (isInventoryError(error)) throw new CliError('bad-data', error.message, { cause: error });
    throw error;
  }
}

/** Credentials, first passwords and log-ins in URLs of images are sealed; such texts begin with `v1.` and the id of their key. */
async function readUsedKeys(database: Database): Promise<string[]> {
  const rows = await database.read((tx) =>
    tx.all(
      `SELECT substr(sealed, 4, 16) AS key_id FROM inventory_credentials
       UNION SELECT substr(num_def_pwd, 4, 16) AS key_id FROM inventory_boms WHERE num_def_pwd <> ''
       UNION SELECT substr(sealed_urls, 4, 16) AS key_id FROM inventory_firmware WHERE sealed_urls <> ''`,
    ),
  );
  return rows.map((row) => String(row.key_id));
}
