import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { restoreDatabase } from './backup.ts';
import { openStore } from './open-store.ts';
import type { Stored } from './store.ts';
import { create, keyOf, temporaryDirectory, temporaryStore, update } from './temporary-store.ts';

const a = keyOf('a');

test('a backup taken during writes holds everything answered before it began', async (t) => {
  const store = await temporaryStore(t);
  const target = join(temporaryDirectory(t), 'backup.db');
  for (let n = 0; n < 50; n++) await create(store, keyOf(`before-${n}`), 'x'.repeat(2000));
  const during: Promise<Stored>[] = [];
  const backup = store.backup(target);
  assert.equal(statSync(target).mode & 0o777, 0o600, 'nobody else may read it while it is written either');
  for (let n = 0; n < 50; n++) during.push(create(store, keyOf(`during-${n}`)));
  await backup;
  await Promise.all(during);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  const directory = temporaryDirectory(t);
  await restoreDatabase(target, directory);
  const restored = await openStore({ directory, quickCheck: true });
  t.after(() => restored.close());
  for (let n = 0; n < 50; n++) {
    const key = keyOf(`before-${n}`);
    assert.equal(restored.get(key)?.json, store.get(key)?.json);
  }
});

test('a restored store goes on above every revision anyone has seen, and history before it has expired', async (t) => {
  const store = await temporaryStore(t);
  const target = join(temporaryDirectory(t), 'backup.db');
  await create(store, a, 1);
  await store.backup(target);
  const lost = await update(store, a, 2);
  const directory = temporaryDirectory(t);
  await restoreDatabase(target, directory, { skipRevisions: 1000 });
  const restored = await openStore({ directory });
  t.after(() => restored.close());
  assert.equal(restored.revision(), 1002);
  assert.equal(
    restored.subscribe(a.bucket, lost.revision, () => assert.fail('called')),
    'expired',
  );
  assert.equal(JSON.parse(restored.get(a)?.json ?? '').spec.content, 1);
  assert.equal((await update(restored, a, 3)).revision, 1003);
});

test('a backup does not overwrite, and a restore does not either', async (t) => {
  const store = await temporaryStore(t);
  const target = join(temporaryDirectory(t), 'backup.db');
  await store.backup(target);
  await assert.rejects(store.backup(target), { code: 'exists' });
  const directory = temporaryDirectory(t);
  await restoreDatabase(target, directory);
  await assert.rejects(restoreDatabase(target, directory), { code: 'exists' });
});

test('a file that is no backup is not restored', async (t) => {
  const directory = temporaryDirectory(t);
  const source = join(directory, 'source');
  writeFileSync(source, 'nothing of the kind '.repeat(100));
  await assert.rejects(restoreDatabase(source, directory));
  const store = await openStore({ directory });
  t.after(() => store.close());
  assert.equal(store.revision(), 1);
});
