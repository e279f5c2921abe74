import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

/** Why the real S3 server cannot be built here, or undefined when it can. With CI=true that is an error. */
export function whyNoRealS3(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (spawnSync('go', ['version'], { env }).status === 0) return undefined;
  const why = 'the Go toolchain is not installed, so the real S3 server cannot be built';
  if (env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Builds versitygw once per machine and says where it is. */
export async function realS3Server(): Promise<string> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const child = spawn(join(import.meta.dirname, 'build.sh'), [cache], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`building the real S3 server failed with code ${code}`);
  return join(printed.trim().split('\n').at(-1) ?? '', 'versitygw');
}
