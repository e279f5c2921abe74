import { readFile, writeFile } from 'node:fs/promises';
import type { CacheFolder } from './cache-folder.ts';
import { isMissing } from './files.ts';

/** Where a part of a file came from: enough to ask for the rest of the same file and of no other. */
export interface PartNote {
  /** Hash of the address, which may have credentials in it. */
  readonly source: string;
  /** A strong ETag, or a date, of what was being fetched. */
  readonly validator: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** Reads the note of a part; undefined when there is none that can be read. */
export async function readNote(folder: CacheFolder, key: string): Promise<PartNote | undefined> {
  try {
    const note = JSON.parse(await readFile(folder.partNote(key), 'utf8')) as Partial<PartNote> | null;
    if (typeof note?.source !== 'string') return undefined;
    const { source, validator, sizeBytes } = note;
    return {
      source,
      validator: typeof validator === 'string' ? validator : undefined,
      sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : undefined,
    };
  } catch (error) {
    // Half written when its process died: the part is fetched again from its beginning.
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Writes the note of a part. */
export async function writeNote(folder: CacheFolder, key: string, note: PartNote): Promise<void> {
  await writeFile(folder.partNote(key), JSON.stringify(note), { mode: 0o600 });
}
