import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { realKubeBinaries, whyNoRealKube } from '../kube/binaries.ts';
import { clusterApiPrograms } from './programs.ts';

// The manager listens on every address and cannot be told otherwise, so it gets a network with loopback only.
const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const alone = ['--net', ...asRoot, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

function whyNot(): string | undefined {
  const kube = whyNoRealKube();
  if (kube !== undefined) return kube;
  if (spawnSync('unshare', [...alone, 'true']).status === 0) return undefined;
  const why = 'a network of its own cannot be made for the real Cluster API';
  if (process.env.CI === 'true') throw new Error(`${why}; with CI=true this is a failure`);
  return why;
}

test('machines under the real Cluster API, by both contracts', { skip: whyNot() ?? false }, async () => {
  await realKubeBinaries();
  await clusterApiPrograms();
  const suite = join(import.meta.dirname, 'contracts.ts');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn('unshare', [...alone, process.execPath, '--test', '--test-reporter=spec', suite], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  assert.equal(code, 0, printed);
});
