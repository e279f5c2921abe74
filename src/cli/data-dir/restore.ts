import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { chmod, open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-fs';
import { databaseName, restoreDatabase } from '../../apiserver/index.ts';
import { makeDirectory } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { type BackupManifest, checkFiles, readManifest } from './backup-manifest.ts';

/** Puts a backup, file or folder, into a data directory that is not there yet or empty. */
export async function restore(options: { readonly source: string; readonly dataDir: string }): Promise<BackupManifest> {
  const source = resolve(options.source);
  const dataDir = resolve(options.dataDir);
  const stats = statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) throw new CliError('failed', `${source} does not exist`);
  refuseOccupied(dataDir);
  makeDirectory(dirname(dataDir));
  // Beside the data directory, which then appears complete or not at all.
  const draft = mkdtempSync(join(dirname(dataDir), `.${basename(dataDir)}-restoring-`));
  try {
    const folder = stats.isDirectory() ? source : await unpack(source, join(draft, 'backup'));
    const manifest = readManifest(folder, source);
    await checkFiles(folder, manifest, source);
    const fresh = join(draft, 'data');
    await placeFiles(folder, fresh, manifest);
    refuseOccupied(dataDir);
    await rename(fresh, dataDir);
    return manifest;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function refuseOccupied(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  if (!statSync(dataDir).isDirectory()) throw new CliError('bad-data', `${dataDir} is not a directory`);
  const [first] = readdirSync(dataDir);
  if (first === undefined) return;
  const text = `${dataDir} is not empty (it holds ${first}); restore into a new directory with --data-dir, or move this one away`;
  throw new CliError('bad-data', text);
}

async function unpack(archive: string, folder: string): Promise<string> {
  // Nothing but plain files and folders: a link could lead out of the folder.
  const into = extract(folder, {
    dmode: 0o700,
    fmode: 0o600,
    ignore: (_, header) => header?.type !== 'file' && header?.type !== 'directory',
  });
  try {
    const bytes: Readable = createReadStream(archive);
    if (await isGzip(archive)) await pipeline(bytes, createGunzip(), into);
    else await pipeline(bytes, into);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('bad-data', `${archive} cannot be unpacked: ${why}`, { cause });
  }
  return folder;
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
}

async function placeFiles(folder: string, fresh: string, { files }: BackupManifest): Promise<void> {
  mkdirSync(fresh, { mode: 0o700 });
  for (const { path } of files) {
    const target = resolve(fresh, path);
    if (!target.startsWith(fresh + sep))
      throw new CliError('bad-data', `the backup names a file outside itself: ${path}`);
    if (path === databaseName) await restoreDatabase(join(folder, path), fresh);
    else {
      makeDirectory(dirname(target), { mode: 0o700 });
      copyFileSync(join(folder, path), target);
    }
    await chmod(target, 0o600);
  }
}
