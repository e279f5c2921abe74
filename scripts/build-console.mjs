// Builds the pages of the console into console/dist, unless they are those of today's sources.
// Plain JavaScript, because set-up calls it before Node 24 is there. Nothing that serves the pages ever builds them.
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the folder of the pages: the hash of the sources that they were built from. */
const stampName = 'sources.sha256';

export function buildConsole(root, node = process.execPath) {
  const dist = join(root, 'console', 'dist');
  const hash = hashSources(root);
  if (readStamp(dist) === hash) return dist;
  const scratch = join(root, 'console', `dist-${randomUUID()}`);
  try {
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    const words = [vite, 'build', join(root, 'console'), '--outDir', scratch, '--emptyOutDir'];
    const { status, stdout, stderr, error } = spawnSync(node, words, { cwd: root, encoding: 'utf8' });
    if (status !== 0) {
      const said = `${stdout ?? ''}${stderr ?? ''}`.trim().slice(-2000);
      throw new Error(`the console could not be built: ${error?.message ?? `vite ended with ${status}: ${said}`}`);
    }
    writeFileSync(join(scratch, stampName), hash);
    replace(scratch, dist, hash);
    return dist;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function hashSources(root) {
  const folder = join(root, 'console');
  // The pages contain the rules by which the controllers match parts.
  const sources = ['console/src', 'console/public', 'src/parts', 'src/versions'].flatMap((name) =>
    existsSync(join(root, name))
      ? readdirSync(join(root, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name))
      : [],
  );
  const single = ['index.html', 'vite.config.ts', 'tsconfig.json'].map((name) => join(folder, name)).filter(existsSync);
  const hash = createHash('sha256');
  // The lock file says which tools and libraries go in.
  for (const file of [...sources, ...single, join(root, 'package-lock.json')].sort())
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function readStamp(dist) {
  const file = join(dist, stampName);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function replace(scratch, dist, hash) {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(scratch, dist);
  } catch (error) {
    // Another process built the same sources at the same time.
    if (readStamp(dist) !== hash) throw error;
  }
}
