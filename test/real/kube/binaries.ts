import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the real Kubernetes programs are, and which version they are. */
export interface KubeBinaries {
  readonly etcd: string;
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl: string;
  readonly version: string;
}

/** The Kubernetes version that build.sh builds. */
export const realKubeVersion = 'v1.34.4';

/** The folder outside the work tree that keeps what is costly to make. */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return env.RACKWRIGHT_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rackwright');
}

/** Why the real Kubernetes cannot be built here, or undefined when it can. With CI=true that is an error. */
export function whyNoRealKube(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (spawnSync('go', ['version'], { env }).status === 0) return undefined;
  const why = 'the Go toolchain is not installed, so the real kube-apiserver cannot be built';
  if (env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Builds the real programs once per machine and says where they are. */
export async function realKubeBinaries(): Promise<KubeBinaries> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  const child = spawn(join(import.meta.dirname, 'build.sh'), [cache], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`building the real kube-apiserver failed with code ${code}`);
  const folder = printed.trim().split('\n').at(-1) ?? '';
  return {
    etcd: join(folder, 'etcd'),
    apiserver: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
    kubectl: join(folder, 'kubectl'),
    version: realKubeVersion,
  };
}
