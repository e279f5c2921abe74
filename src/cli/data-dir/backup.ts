import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-fs';
import { backupDatabase, databaseName } from '../../apiserver/index.ts';
import { makeDirectory } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { type BackupManifest, backupFormat, describeFile, manifestName } from './backup-manifest.ts';

/** What to back up, and where to. */
export interface BackupOptions {
  readonly dataDir: string;
  /** A new file (`.tar`, `.tar.gz`, `.tgz`) or, with any other name, a new folder. */
  readonly target: string;
  readonly version: string;
  readonly now: Date;
}

/** True for targets that become one file. */
export function isArchiveName(target: string): boolean {
  return /\.(tar|tar\.gz|tgz)$/.test(target);
}

/**
 * Carries the whole state of a data directory into a new file or folder that only the owner can read. The server may
 * be running: the database is copied as of one moment.
 */
export async function backUp(options: BackupOptions): Promise<BackupManifest> {
  const { dataDir } = options;
  const target = resolve(options.target);
  if (!existsSync(join(dataDir, databaseName))) {
    throw new CliError('failed', `${dataDir} holds no data of Rackwright; name the data directory with --data-dir`);
  }
  if (existsSync(target))
    throw new CliError('bad-data', `${target} exists already; a backup goes to a new file or folder`);
  makeDirectory(dirname(target));
  // Beside the target, so that the last step is a rename and half a backup never has its name.
  const draft = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const manifest = await collectFiles(join(draft, 'state'), options);
    if (!isArchiveName(target)) await rename(join(draft, 'state'), target);
    else {
      await writeArchive(join(draft, 'state'), join(draft, 'archive'), target);
      await rename(join(draft, 'archive'), target);
    }
    return manifest;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function collectFiles(folder: string, { dataDir, version, now }: BackupOptions): Promise<BackupManifest> {
  mkdirSync(folder, { mode: 0o700 });
  const before = readState(dataDir);
  await backupDatabase(join(dataDir, databaseName), join(folder, databaseName));
  const engine = await backUpEngine(dataDir, folder);
  const after = readState(dataDir);
  for (const [path, bytes] of after) {
    const isGrowing = isLog(path);
    // A key that is replaced while the database is copied may or may not fit the copy.
    if (!isGrowing && !isReplaced(path) && before.get(path)?.equals(bytes) !== true) {
      throw new CliError('failed', `${path} changed while the backup was made; run it again`);
    }
    makeDirectory(dirname(join(folder, path)), { mode: 0o700 });
    writeFileSync(join(folder, path), isGrowing ? wholeLines(bytes) : bytes, { mode: 0o600 });
  }
  const paths = [databaseName, ...engine, ...after.keys()];
  const files = await Promise.all(paths.map((path) => describeFile(folder, path)));
  const createdAt = now.toISOString();
  const manifest: BackupManifest = { product: 'rackwright', format: backupFormat, version, createdAt, files };
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

const engineDatabase = join('engine', 'engine.db');

/** After the objects: work that an object asks for may then be known twice over, and never be forgotten. */
async function backUpEngine(dataDir: string, folder: string): Promise<string[]> {
  if (!existsSync(join(dataDir, engineDatabase))) return [];
  mkdirSync(join(folder, dirname(engineDatabase)), { mode: 0o700 });
  await backupDatabase(join(dataDir, engineDatabase), join(folder, engineDatabase));
  return [engineDatabase];
}

/** Made anew on every start, fetched again, or copied as a database. */
const isLeftOut = (path: string): boolean =>
  /^(lock\.|(engine[/\\])?disk-reserve$|objects\.db|engine[/\\]engine\.db|images[/\\]|rest\.json$|kubeconfig$|simulator[/\\](lock\.|admin\.json$|state\.json\.new$))/.test(
    path,
  );
/** Replaced as a whole while the server runs; nothing else depends on which of its versions is copied. */
const isReplaced = (path: string): boolean => /^simulator[/\\]state\.json$/.test(path);
const isLog = (path: string): boolean => /\.log(\.|$)/.test(path);

/** Everything else in the directory, by path. */
function readState(dataDir: string): Map<string, Buffer> {
  const paths = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort();
  const wanted = paths.filter((path) => !isLeftOut(path) && statSync(join(dataDir, path)).isFile());
  return new Map(wanted.map((path) => [path, readFileSync(join(dataDir, path))]));
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
}

async function writeArchive(folder: string, file: string, name: string): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600 });
  if (name.endsWith('.tar')) await pipeline(pack(folder), out);
  else await pipeline(pack(folder), createGzip(), out);
  const handle = await open(file, 'r');
  await handle.sync();
  await handle.close();
}
