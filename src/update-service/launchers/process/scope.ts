import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * What the jobs of a folder can be seen from: this machine and that very folder. Containers may share the name of their host
 * and have each another folder at the same path, so that the folder has a name of its own; a copy of it is at another path.
 */
export async function scopeOf(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const parts = [hostname(), await machineId(), await realpath(folder), await nameOf(folder)];
  return `${hostname()}/${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`;
}

/** Empty where the system has none, as in many containers. */
async function machineId(): Promise<string> {
  return (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim();
}

/** Made up once; nobody sees half of it, and of two who make one up at once one wins. */
async function nameOf(folder: string): Promise<string> {
  const file = join(folder, 'scope');
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomUUID(), { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return await readFile(file, 'utf8');
}
