import { createReadStream, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CatalogError } from '../errors.ts';
import type { CatalogLimits } from '../limits.ts';
import type { Bytes } from '../reading/unpack.ts';
import type { CatalogFormat, CheckedSource } from '../source.ts';

/** One file of a catalogue. */
export interface CatalogFile {
  readonly place: URL;
  open(): Promise<Bytes>;
}

/** The files that a catalogue in a folder has, by format; the first name that is there counts where it is one file. */
const namesOf: Readonly<Record<CatalogFormat, RegExp>> = {
  dell: /^catalog\.xml(?:\.gz)?$/i,
  hpe: /^fwrepo\.json(?:\.gz)?$/i,
  lenovo: /(?:_index\.json|(?:^|-)(?:lnvgy|ibm)_[^/]*\.xml)$/i,
  plain: /\.(?:json|ya?ml)(?:\.gz)?$/i,
};

/** Formats of which a folder has one file; a packed and an unpacked one are the same catalogue. */
const single: readonly CatalogFormat[] = ['dell', 'hpe'];

/** Lists the files of a catalogue on this machine's disk. Throws `badSource` when there is none. */
export async function listFiles(source: CheckedSource, limits: CatalogLimits): Promise<readonly CatalogFile[]> {
  const path = fileURLToPath(source.location);
  const seen = await onDisk(source, () => stat(path));
  if (seen.isFile()) return [fileAt(path, source, limits)];
  const folders = source.format === 'hpe' ? [path, join(path, 'fwrepodata')] : [path];
  const found: string[] = [];
  for (const folder of folders) {
    const entries = await onDisk(source, () => readEntries(folder, folder === path));
    for (const entry of entries.filter(({ name }) => namesOf[source.format].test(name))) {
      if (await isFileOf(folder, entry, source)) found.push(join(folder, entry.name));
    }
  }
  if (found.length > limits.maxFiles) {
    throw new CatalogError('tooLarge', { source: source.shown, limit: `${limits.maxFiles} files` });
  }
  if (found.length === 0) {
    const detail = `there is no file of the format ${source.format} in this folder`;
    throw new CatalogError('badSource', { source: source.shown, detail });
  }
  const sorted = found.sort();
  return (single.includes(source.format) ? sorted.slice(0, 1) : sorted).map((each) => fileAt(each, source, limits));
}

async function readEntries(folder: string, isNeeded: boolean): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!isNeeded && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Links are followed within the folder, as Kubernetes makes them where it mounts a ConfigMap, and not out of it. */
async function isFileOf(folder: string, entry: Dirent, source: CheckedSource): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return await onDisk(source, async () => {
    const [path, root] = await Promise.all([realpath(join(folder, entry.name)), realpath(folder)]);
    if (path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return (await stat(path)).isFile();
    const detail = `the link ${JSON.stringify(entry.name)} leads out of its folder`;
    throw new CatalogError('hostile', { source: source.shown, detail });
  });
}

function fileAt(path: string, source: CheckedSource, { maxBytes }: CatalogLimits): CatalogFile {
  return {
    place: pathToFileURL(path),
    async open() {
      const handle = await onDisk(source, () => open(path, 'r'));
      const { size } = await handle.stat();
      if (size <= maxBytes) return readHandle(handle, source);
      await handle.close();
      throw new CatalogError('tooLarge', { source: source.shown, limit: `${maxBytes} bytes` });
    },
  };
}

/** Reads an open file, which stays what it was even if another takes its name meanwhile. */
export async function* readHandle(
  handle: FileHandle,
  source: Pick<CheckedSource, 'shown'>,
): AsyncGenerator<Uint8Array> {
  const stream = createReadStream('', { fd: handle, highWaterMark: 256 * 1024 });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw failed(error, source);
  } finally {
    stream.destroy();
  }
}

async function onDisk<T>(source: CheckedSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failed(error, source);
  }
}

function failed(error: unknown, { shown }: Pick<CheckedSource, 'shown'>): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof CatalogError || code === undefined) return error;
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  const detail = isMissing ? 'there is no such file or folder' : `it cannot be read (${code})`;
  return new CatalogError(isMissing ? 'badSource' : 'sourceFailed', { source: shown, detail }, { cause: error });
}
