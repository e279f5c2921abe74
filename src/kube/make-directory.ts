import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Node's own way never returns below /proc, where a directory cannot be made for
 * the same reason that is given when the one above is missing.
 */
export function makeDirectory(path: string, { mode = 0o777 }: { readonly mode?: number } = {}): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(path);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || statSync(above, { throwIfNoEntry: false }) !== undefined) throw error;
    makeDirectory(above, { mode });
    makeDirectory(path, { mode });
  }
}
