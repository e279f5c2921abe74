import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** One file of the built console. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  /** Undefined for what does not get smaller. */
  readonly packed: Buffer | undefined;
  readonly contentType: string;
  readonly etag: string;
  /** Its name carries a hash of what is in it, so it never changes. */
  readonly isFixed: boolean;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};

/**
 * Reads all files of a folder, by their path in it. They are few and small, and a request can name nothing but one of
 * them: no path leads out of a map.
 */
export function readConsoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const names = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
  return new Map(names.map((name) => [name, readOne(join(folder, name), name)]));
}

function readOne(path: string, name: string): ConsoleFile {
  const bytes = readFileSync(path);
  const contentType = contentTypes[extname(name)] ?? 'application/octet-stream';
  const canPack = /^text|json|svg/.test(contentType);
  return {
    bytes,
    packed: canPack ? gzipSync(bytes) : undefined,
    contentType,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isFixed: name.startsWith('assets/'),
  };
}
