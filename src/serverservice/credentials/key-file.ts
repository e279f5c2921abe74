import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { InventoryError } from '../errors.ts';
import type { CredentialKey } from './sealer.ts';

/** Reads the keys of credentials, and makes a file with a new key when there is none. Only the owner may read it. */
export function loadCredentialKeys(file: string): readonly [CredentialKey, ...CredentialKey[]] {
  try {
    return readKeys(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  writeNewKey(file);
  return readKeys(file);
}

function readKeys(file: string): readonly [CredentialKey, ...CredentialKey[]] {
  const handle = openSync(file, 'r');
  try {
    // Windows has no such bits: files under a user's profile are the user's by inheritance.
    if (process.platform !== 'win32' && mayOthersRead(fstatSync(handle), process.getuid?.() ?? 0))
      throw new InventoryError('keyFile', { file, detail: `others may read it; run: chmod 600 ${file}` });
    return parseKeys(file, readFileSync(handle, 'utf8'));
  } finally {
    closeSync(handle);
  }
}

/**
 * Whether others than the user of this process may read a file. A mounted Secret is a file of root that the user reads by
 * its group: nothing else is possible there, so that group counts as the user.
 */
export function mayOthersRead({ mode, uid }: { readonly mode: number; readonly uid: number }, user: number): boolean {
  const isMounted = uid === 0 && user !== 0;
  return (mode & (isMounted ? 0o037 : 0o077)) !== 0;
}

/** Written aside and linked into place, which fails when another process was faster: its key may be in use already. */
function writeNewKey(file: string): void {
  const key = { id: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('base64') };
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(handle, `${JSON.stringify({ keys: [key] }, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
}

function parseKeys(file: string, text: string): readonly [CredentialKey, ...CredentialKey[]] {
  const [first, ...rest] = listKeys(text).map(({ id, secret }) => ({
    id: String(id),
    secret: Buffer.from(String(secret), 'base64'),
  }));
  const isGood = (key: CredentialKey) => /^[0-9a-f]{16}$/.test(key.id) && key.secret.length === 32;
  if (first === undefined || ![first, ...rest].every(isGood)) {
    // What is in the file is not quoted: it may be a key.
    const detail = 'it needs {"keys": [{"id": 16 hexadecimal digits, "secret": 32 bytes in base64}]}';
    throw new InventoryError('keyFile', { file, detail });
  }
  return [first, ...rest];
}

function listKeys(text: string): readonly { readonly id?: unknown; readonly secret?: unknown }[] {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    return Array.isArray(keys) ? keys : [];
  } catch {
    // Not JSON: no keys in it, which the caller says.
    return [];
  }
}
