import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { generateKey, loadOrCreateKeys, readKeys, writeKeys } from './keys.ts';
import { openStore } from './open-store.ts';
import { Sealer } from './sealing.ts';
import { create, keyOf, remove, replayed, temporaryDirectory, update } from './temporary-store.ts';

const secret = keyOf('bmc', 'default', '/secrets');
const plain = keyOf('bmc', 'default', '/configmaps');
const password = 'correct-horse-battery-staple';
const encrypt = (bucket: string) => bucket === '/secrets';

function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(text));
}

test('a secret never reaches any file of the directory in plain text (security.md: secrets-at-rest)', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory, encrypt, keys: [generateKey()], checkpointBytes: 1 });
  await create(store, secret, password);
  await update(store, secret, `${password}-2`);
  await remove(store, secret);
  await create(store, secret, password);
  await create(store, plain, 'not-a-secret');
  assert.deepEqual(filesWith(directory, password), []);
  await store.backup(join(directory, 'backup.db'));
  await store.close();
  assert.deepEqual(filesWith(directory, password), []);
  assert.ok(filesWith(directory, 'not-a-secret').includes('objects.db'), 'the search finds what is there');
});

test('encrypted objects and their history are read back after a restart', async (t) => {
  const directory = temporaryDirectory(t);
  const keys = [generateKey()];
  const before = await openStore({ directory, encrypt, keys });
  await create(before, secret, password);
  await update(before, secret, 'second');
  await before.close();
  const after = await openStore({ directory, encrypt, keys });
  t.after(() => after.close());
  assert.equal(JSON.parse(after.get(secret)?.json ?? '').spec.content, 'second');
  const contents = replayed(after, 1, '/secrets').map((change) => JSON.parse(change.current.json).spec.content);
  assert.deepEqual(contents, [password, 'second']);
});

test('a store without the key it was written with refuses to open and names the key', async (t) => {
  const directory = temporaryDirectory(t);
  const key = generateKey();
  await (await openStore({ directory, encrypt, keys: [key] })).close();
  const refused = { code: 'key-missing', message: new RegExp(key.id) };
  await assert.rejects(openStore({ directory, encrypt, keys: [generateKey()] }), refused);
  await assert.rejects(openStore({ directory }), refused);
  await assert.rejects(openStore({ directory, encrypt }), { code: 'key-missing' });
});

test('a new first key takes over, and the old one is not needed afterwards (security.md: secrets-at-rest)', async (t) => {
  const directory = temporaryDirectory(t);
  const [old, fresh] = [generateKey(), generateKey()];
  const first = await openStore({ directory, encrypt, keys: [old] });
  await create(first, secret, password);
  await update(first, secret, 'second');
  await first.close();
  await (await openStore({ directory, encrypt, keys: [fresh, old] })).close();
  const last = await openStore({ directory, encrypt, keys: [fresh] });
  t.after(() => last.close());
  assert.equal(JSON.parse(last.get(secret)?.json ?? '').spec.content, 'second');
  assert.equal(replayed(last, 1, '/secrets').length, 2);
});

test('a bucket that is to be encrypted from now on leaves no plain text behind', async (t) => {
  const directory = temporaryDirectory(t);
  const open = await openStore({ directory });
  // Long enough for pages of its own, which are free after the change and keep what they held.
  await create(open, secret, password.repeat(1000));
  await update(open, secret, `${password}-2`);
  await open.close();
  assert.deepEqual(filesWith(directory, password), ['objects.db']);
  const sealed = await openStore({ directory, encrypt, keys: [generateKey()] });
  t.after(() => sealed.close());
  assert.equal(JSON.parse(sealed.get(secret)?.json ?? '').spec.content, `${password}-2`);
  assert.deepEqual(filesWith(directory, password), []);
});

test('a value that was moved to another object or changed does not open', () => {
  const sealer = new Sealer([generateKey()]);
  const value = sealer.seal(secret, password);
  assert.equal(sealer.open(secret, value), password);
  assert.throws(() => sealer.open(keyOf('other', 'default', '/secrets'), value), { code: 'corrupt' });
  assert.throws(() => sealer.open(keyOf('bmc', 'other', '/secrets'), value), { code: 'corrupt' });
  for (const at of [0, 1, 12, 25, value.length - 1]) {
    const changed = Uint8Array.from(value);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => sealer.open(secret, changed), { name: 'StoreError' });
  }
  assert.notDeepEqual(sealer.seal(secret, password), value, 'a nonce is never used twice');
});

test('a damaged encrypted value keeps the store from opening, and the message does not show it', async (t) => {
  const directory = temporaryDirectory(t);
  const keys = [generateKey()];
  const store = await openStore({ directory, encrypt, keys });
  await create(store, secret, password);
  await store.close();
  const db = new DatabaseSync(join(directory, 'objects.db'));
  db.exec('UPDATE revisions SET value = zeroblob(length(value))');
  db.close();
  await assert.rejects(openStore({ directory, encrypt, keys }), { code: 'corrupt', message: /secrets default\/bmc/ });
});

test('a key file is made once, only for its owner, and read back (security.md: secrets-at-rest)', (t) => {
  const file = join(temporaryDirectory(t), 'keys.json');
  const keys = loadOrCreateKeys(file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(keys.length, 1);
  assert.deepEqual(loadOrCreateKeys(file), keys);
  assert.throws(() => writeKeys(file, [generateKey()]), { code: 'key-file' });
  assert.deepEqual(readKeys(file), keys);
});

test('a key file that others may read is refused with the command that repairs it', (t) => {
  const file = join(temporaryDirectory(t), 'keys.json');
  loadOrCreateKeys(file);
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode);
    assert.throws(() => loadOrCreateKeys(file), { code: 'key-file', message: /chmod 600/ });
  }
});

test('a key file that is damaged is refused without showing its content', (t) => {
  const file = join(temporaryDirectory(t), 'keys.json');
  const bad = [
    '',
    '{"keys":[]}',
    'c2VjcmV0',
    '{"keys":[{"id":"x","secret":"c2VjcmV0"}]}',
    '{"keys":[{"id":"0123456789abcdef","secret":"c2VjcmV0"}]}',
    'null',
  ];
  for (const text of bad) {
    writeFileSync(file, text, { mode: 0o600 });
    assert.throws(
      () => loadOrCreateKeys(file),
      (error: Error & { code?: string }) => error.code === 'key-file' && !error.message.includes('c2VjcmV0'),
    );
    rmSync(file);
  }
});
