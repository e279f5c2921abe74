import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

/** Where the real Cluster API is. */
export interface ClusterApiPrograms {
  /** The manager of its core kinds. */
  readonly manager: string;
  /** The folder with the definitions of these. */
  readonly definitions: string;
}

/** Builds the real Cluster API once per machine and says where it is. */
export async function clusterApiPrograms(): Promise<ClusterApiPrograms> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const child = spawn(join(import.meta.dirname, 'build.sh'), [cache], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`building the real Cluster API failed with code ${code}`);
  const folder = printed.trim().split('\n').at(-1) ?? '';
  return { manager: join(folder, 'manager'), definitions: join(folder, 'crds') };
}
