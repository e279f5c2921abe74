import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

/** Builds the real helm once per machine and says where it is. */
export async function realHelm(): Promise<string> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const child = spawn(join(import.meta.dirname, 'build.sh'), [cache], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`building the real helm failed with code ${code}`);
  return join(printed.trim().split('\n').at(-1) ?? '', 'helm');
}
