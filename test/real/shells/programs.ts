import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

const buildScript = join(import.meta.dirname, 'build.sh');

/** Gets what people type with and this machine lacks, once per machine, and says where each program is. */
export async function shellPrograms(): Promise<Readonly<Record<string, string>>> {
  const child = spawn('bash', [buildScript, cacheDirectory()], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`shells could not be had (code ${code}); the reason is printed above`);
  const folder = join(printed.trim().split('\n').at(-1) ?? '', 'bin');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, join(folder, name)]));
}
