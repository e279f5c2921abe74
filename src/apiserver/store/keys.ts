import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { requireAccess } from './data-directory.ts';
import { syncFile } from './durable-file.ts';
import { messageOf, StoreError } from './errors.ts';
import type { SealingKey } from './sealing.ts';

/** The shape of the key file: the first key encrypts, all of them decrypt. */
interface KeyFile {
  readonly keys: readonly { readonly id: string; readonly secret: string }[];
}

/** A new random key. */
export function generateKey(): SealingKey {
  return { id: randomBytes(8).toString('hex'), secret: randomBytes(32) };
}

/** Reads the key file; makes one with a fresh key when there is none. */
export function loadOrCreateKeys(file: string): SealingKey[] {
  try {
    requireAccess(dirname(file), file);
    return readKeys(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  writeKeys(file, [generateKey()]);
  return readKeys(file);
}

/** Reads the key file; refuses one that anyone but its owner may read. */
export function readKeys(file: string): SealingKey[] {
  const fd = openSync(file, 'r');
  try {
    const mode = fstatSync(fd).mode & 0o777;
    // Windows has no such bits: files under a user's profile are the user's by inheritance.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new StoreError(
        'key-file',
        `key file ${file} is open to others (mode ${mode.toString(8).padStart(4, '0')}); run: chmod 600 ${file}`,
      );
    }
    return parseKeys(file, readFileSync(fd, 'utf8'));
  } finally {
    closeSync(fd);
  }
}

/** Writes a key file that is either complete and on disk, or not there at all. Refuses to replace one. */
export function writeKeys(file: string, keys: readonly SealingKey[]): void {
  const content: KeyFile = {
    keys: keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret).toString('base64') })),
  };
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    // Linking, unlike renaming, fails when another process was faster: its key may already be in use.
    linkSync(draft, file);
  } catch (cause) {
    throw new StoreError('key-file', `key file ${file} could not be written: ${messageOf(cause)}`, { cause });
  } finally {
    unlinkSync(draft);
  }
  syncFile(file);
}

function parseKeys(file: string, text: string): SealingKey[] {
  let content: KeyFile;
  try {
    content = JSON.parse(text) as KeyFile;
  } catch {
    // The parser's message would quote the file, that is, the key.
    throw new StoreError('key-file', `key file ${file} is not JSON; restore it from a backup`);
  }
  const keys = Array.isArray(content?.keys) ? content.keys : [];
  if (keys.length === 0) throw new StoreError('key-file', `key file ${file} holds no key; restore it from a backup`);
  return keys.map(({ id, secret }, index) => {
    const bytes = Buffer.from(String(secret), 'base64');
    if (!/^[0-9a-f]{16}$/.test(id) || bytes.length !== 32) {
      throw new StoreError(
        'key-file',
        `key file ${file}: key ${index + 1} needs an id of 16 hexadecimal digits and a secret of 32 bytes in base64`,
      );
    }
    return { id, secret: bytes };
  });
}
