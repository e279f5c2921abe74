import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FirmwareEntry } from '../entry.ts';

/** For tests: a folder with these files, which goes with its test. */
export async function folderWith(
  context: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** For tests: the entries in a few words each. */
export function inShort(entries: readonly FirmwareEntry[]): readonly string[] {
  return entries.map(({ component, manufacturer, version }) => `${component} ${manufacturer} ${version}`);
}

/** For tests: text as Dell's servers send it. */
export function utf16(text: string, { isBig = false } = {}): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
}
