import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cacheDirectory } from '../kube/binaries.ts';

const buildScript = join(import.meta.dirname, 'build.sh');

/** Why real switches cannot be had here, or undefined when they can. With CI=true that is an error. */
export function whyNoRealSwitches(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const checked = spawnSync('bash', [buildScript, cacheDirectory(env), 'check'], { env, encoding: 'utf8' });
  if (checked.status === 0) return undefined;
  const why = checked.stderr?.trim() || 'bash is not installed, so real switches cannot be had';
  if (env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Unpacks Open vSwitch, and installs Ansible where asked for, once per machine, and says in which folder. */
export async function switchPrograms(part: 'ovs' | 'ansible'): Promise<string> {
  const child = spawn('bash', [buildScript, cacheDirectory(), part], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`getting the real switches failed with code ${code}; its reason is printed above`);
  return printed.trim().split('\n').at(-1) ?? '';
}
