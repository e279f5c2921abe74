import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { whyNoRealKube } from './kube/binaries.ts';

// Some controllers listen on every address and cannot be told otherwise, so they get a network with loopback only.
const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const alone = ['--net', ...asRoot, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

/** Why controllers built from Go modules cannot run in such a network here, or undefined when they can. */
export function whyNoOwnNetwork(): string | undefined {
  const kube = whyNoRealKube();
  if (kube !== undefined) return kube;
  if (spawnSync('unshare', [...alone, 'true']).status === 0) return undefined;
  const why = 'a network of its own cannot be made for the controllers';
  if (process.env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

/** Runs a suite in a network of its own, and fails with what it printed when it fails. */
export async function runSuiteInOwnNetwork(suite: string, settings: Record<string, string> = {}): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...settings };
  const child = spawn('unshare', [...alone, process.execPath, '--test', '--test-reporter=spec', suite], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  assert.equal(code, 0, printed);
  return printed;
}
