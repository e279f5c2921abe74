import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../errors.ts';

/** The name of the manifest inside a backup. */
export const manifestName = 'backup.json';

/** The newest form of backups that this version knows. */
export const backupFormat = 1;

/** What a backup says about itself. */
export interface BackupManifest {
  readonly product: 'rackwright';
  readonly format: number;
  /** The version that wrote it. */
  readonly version: string;
  readonly createdAt: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

/** Reads the manifest of an unpacked backup; refuses what is none and what a newer version wrote. */
export function readManifest(folder: string, source: string): BackupManifest {
  let manifest: Partial<BackupManifest>;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) as Partial<BackupManifest>;
  } catch (cause) {
    throw new CliError('bad-data', `${source} is no backup: it has no readable ${manifestName}`, { cause });
  }
  if (manifest.product !== 'rackwright' || typeof manifest.format !== 'number' || !Array.isArray(manifest.files)) {
    throw new CliError('bad-data', `${source} is no backup made by "rackwright backup"`);
  }
  if (manifest.format > backupFormat) {
    const known = `this version knows formats up to ${backupFormat}`;
    const text = `${source} was written by Rackwright ${manifest.version ?? '?'} (backup format ${manifest.format}; ${known}); restore it with that version`;
    throw new CliError('bad-data', text);
  }
  return manifest as BackupManifest;
}

/** Checks that every file is there, and is what it was when the backup was made. */
export async function checkFiles(folder: string, manifest: BackupManifest, source: string): Promise<void> {
  for (const { path, bytes, sha256 } of manifest.files) {
    const found = await describeFile(folder, path).catch((cause: unknown) => {
      throw new CliError('bad-data', `${source} is incomplete: ${path} cannot be read`, { cause });
    });
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new CliError('bad-data', `${source} is damaged: ${path} is not what was backed up`);
    }
  }
}

/** The entry of one file in a manifest. */
export async function describeFile(folder: string, path: string): Promise<BackupManifest['files'][number]> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(join(folder, path)), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  });
  return { path, bytes, sha256: hash.digest('hex') };
}
