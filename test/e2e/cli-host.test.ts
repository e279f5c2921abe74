import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCli, startUp, temporaryFolder } from './cli-fixture.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
after(() => folder.remove());

const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

async function reaches(address: string): Promise<void> {
  const kubeconfig = join(folder.path, 'by-address');
  const text = readFileSync(join(dataDir, 'kubeconfig'), 'utf8').replace(/https:\/\/[^:]+:/, `https://${address}:`);
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const { code, err } = await runCli(['get', 'ns', '--kubeconfig', kubeconfig]);
  assert.equal(code, 0, `${address}: ${err}`);
}

test('started on loopback and then on every address, it has a certificate for each of them', async () => {
  const before = await startUp(dataDir);
  await reaches('127.0.0.1');
  await reaches('localhost');
  await before.end('SIGTERM');
  const everywhere = await startUp(dataDir, ['--host', '0.0.0.0']);
  assert.match(everywhere.printed.out, /Kubernetes API {3}https:\/\/127\.0\.0\.1:/);
  await reaches('127.0.0.1');
  if (outside !== undefined) await reaches(outside);
  assert.equal(await everywhere.end('SIGTERM'), 0);
});
