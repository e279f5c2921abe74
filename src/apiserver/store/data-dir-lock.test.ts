import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { lockDataDirectory } from './data-dir-lock.ts';
import { openStore } from './open-store.ts';
import { temporaryDirectory } from './temporary-store.ts';

const module = new URL('./data-dir-lock.ts', import.meta.url).href;

test('a second holder in the same process is told who has the directory', (t) => {
  const directory = temporaryDirectory(t);
  const lock = lockDataDirectory(directory, () => new Date('2024-05-06T07:08:09Z'));
  assert.throws(() => lockDataDirectory(directory), {
    code: 'in-use',
    message: `data directory ${directory} is in use by process ${process.pid} (started 2024-05-06T07:08:09.000Z); stop it or use another --data-dir`,
  });
  lock.release();
  lock.release();
  lockDataDirectory(directory).release();
  assert.deepEqual(readdirSync(directory), ['lock.db']);
});

test('the lock of a killed process is gone with it', async (t) => {
  const directory = temporaryDirectory(t);
  // It refers to its lock as long as it runs: garbage collection would close it.
  const program = `import { lockDataDirectory } from '${module}'; const lock = lockDataDirectory(process.argv[1]); console.log('locked'); setInterval(() => lock.directory, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  assert.throws(() => lockDataDirectory(directory), { code: 'in-use', message: new RegExp(`process ${child.pid} `) });
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataDirectory(directory).release();
});

test('a store holds the lock of its directory unless the caller does', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await assert.rejects(openStore({ directory }), { code: 'in-use' });
  await store.close();
  const lock = lockDataDirectory(directory);
  const other = await openStore({ directory, lock });
  await other.close();
  assert.throws(() => lockDataDirectory(directory), { code: 'in-use' });
  lock.release();
});

test('a store that fails to open leaves the directory unlocked', async (t) => {
  const directory = temporaryDirectory(t);
  await assert.rejects(openStore({ directory, encrypt: () => true }));
  lockDataDirectory(directory).release();
});
