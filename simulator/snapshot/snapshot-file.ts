import { open, readFile, rename } from 'node:fs/promises';
import { Value } from 'typebox/value';
import { SnapshotError } from './errors.ts';
import { Snapshot, snapshotFormat } from './snapshot.ts';

/** Reads the snapshot in a file; undefined when there is no file. Throws a SnapshotError that says what to do otherwise. */
export async function readSnapshot(file: string): Promise<Snapshot | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // What the parser says would quote the file, which may hold passwords.
    throw new SnapshotError('Damaged', { file, reason: 'it is not JSON' }, cause);
  }
  const format = formatOf(value);
  if (format > snapshotFormat) throw new SnapshotError('NewerFormat', { file, format, known: snapshotFormat });
  if (Value.Check(Snapshot, value)) return value;
  const [first] = Value.Errors(Snapshot, value);
  throw new SnapshotError('Damaged', { file, reason: `${first?.instancePath || 'its content'} ${first?.message}` });
}

/** Writes a file that only its owner can read, in pieces; whoever reads it meanwhile finds the old one, whole. */
export async function writeSnapshotFile(file: string, pieces: Iterable<string>): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    for (const piece of pieces) await handle.write(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    if (reason === 'ENOENT') return undefined;
    throw new SnapshotError('Unreadable', { file, reason }, cause);
  }
}

function formatOf(value: unknown): number {
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined;
  return typeof format === 'number' ? format : 0;
}
