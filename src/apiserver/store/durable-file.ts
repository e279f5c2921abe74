import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes an empty file that only its owner can read, for what is to be written into it; fails when there is one. */
export function reserveFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600));
}

/** The code of a failed file operation. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Makes a file and its directory entry survive a power cut. */
export function syncFile(file: string, options: { mode?: number } = {}): void {
  if (options.mode !== undefined) chmodSync(file, options.mode);
  syncOne(file);
  syncOne(dirname(file));
}

/** Writes a file that is there whole or not at all, whenever the process dies; an older one is replaced. */
export function writeWhole(file: string, content: string, options: { mode: number }): void {
  const draft = `${file}.part`;
  writeFileSync(draft, content, { mode: options.mode });
  syncFile(draft, options);
  renameSync(draft, file);
  syncOne(dirname(file));
}

function syncOne(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
