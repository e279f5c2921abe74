import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePortRange } from '../real/free-ports.ts';
import { startNats } from '../real/nats/real-nats.ts';
import { startPostgres } from '../real/postgres/real-postgres.ts';
import { runCli, startUp, temporaryFolder } from './cli-fixture.ts';

test('rackwright up works on PostgreSQL and NATS', async (t) => {
  const folder = temporaryFolder();
  t.after(() => folder.remove());
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const nats = await startNats({ dataDir: join(folder.path, 'nats'), port: await freePortRange(1) });
  t.after(() => nats.stop());
  const dataDir = join(folder.path, 'data');
  const words = ['--simulate', '1', '--speed', '2000', '--database-url', postgres.url, '--nats-url', nats.url];
  const up = await startUp(dataDir, words);
  t.after(() => up.end('SIGKILL'));
  const install = ['install-firmware', 'r01-s01', '--set', 'latest', '--dry-run', '--data-dir', dataDir];
  const { code, out, err } = await runCli(install);
  assert.equal(code, 0, err);
  assert.match(out, /^r01-s01: succeeded, dry run: all could be installed$/m);
  assert.equal(await up.end('SIGTERM'), 0, up.printed.err);
});
