import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCli, startUp, temporaryFolder } from '../e2e/cli-fixture.ts';

test('up works on a simulator that runs by itself, as its page tells', async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const fleet = join(folder.path, 'fleet');
  const few = [
    '--servers',
    '1',
    '--racks',
    '1',
    '--bmc-port',
    '0',
    '--speed',
    '60',
    '--export',
    join(folder.path, 'manifests'),
  ];
  const simulator = startCli(['simulate', '--data-dir', fleet, ...few]);
  t.after(() => simulator.end('SIGKILL'));
  await simulator.until('Ctrl-C stops it');
  const { url } = JSON.parse(readFileSync(join(fleet, 'simulator', 'admin.json'), 'utf8')) as { url: string };
  const ca = join(fleet, 'simulator', 'ca.pem');
  assert.ok(existsSync(ca));
  const words = ['--simulate', '0', '--facilities', 'lab', '--bmc-ca', ca, '--bmc-speed', '60'];
  const up = await startUp(join(folder.path, 'plane'), [...words, '--catalog', `plain=${url}/v1/catalog`]);
  t.after(() => up.end('SIGKILL'));
  assert.equal(await up.end('SIGTERM'), 0, up.printed.err);
});
