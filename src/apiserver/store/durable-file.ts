import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a file and its directory entry survive a power cut. */
export function syncFile(file: string, options: { mode?: number } = {}): void {
  if (options.mode !== undefined) chmodSync(file, options.mode);
  syncOne(file);
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
