import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { createEgress } from '../egress/index.ts';
import { holderName } from './artifacts/holder.ts';
import { sha256Of } from './artifacts/testing/file-server.ts';
import { pieces, storeContract } from './contract/store-contract.ts';
import { isStoreError } from './errors.ts';
import { openFolderStore } from './folder-store.ts';

const root = await mkdtemp(join(tmpdir(), 'store-'));
after(() => rm(root, { recursive: true, force: true }));

storeContract({
  name: 'a folder',
  open: (_, place, limits) =>
    openFolderStore({
      ...limits,
      folder: join(root, place),
      publicUrl: 'http://images.example/',
      backoff: { baseMs: 1, maxMs: 2 },
      egress: createEgress({ hosts: ['127.0.0.0/8'] }),
    }),
});

async function open(context: TestContext) {
  const folder = await mkdtemp(join(root, 'own-'));
  const options = { folder, maxBytes: 10_000_000, publicUrl: 'http://images.example' };
  const store = await openFolderStore(options);
  context.after(() => store.close());
  return { folder, store };
}

test('a folder: the checksum is beside the image, as sha256sum writes it', async (context) => {
  const { folder, store } = await open(context);
  const body = randomBytes(1000);
  const { sha256 } = await store.put(pieces(body), { checksum: sha256Of(body), fileName: 'bios.bin' });
  assert.equal(await readFile(join(folder, 'sums', `sha256-${sha256}`), 'utf8'), `${sha256} *bios.bin\n`);
  assert.equal(await store.urlOf(sha256), `http://images.example/v1/images/${sha256}/bios.bin`);
});

test('a folder: a damaged image is not served, and can be put again', async (context) => {
  const { folder, store } = await open(context);
  const body = randomBytes(1000);
  const checksum = sha256Of(body);
  await store.put(pieces(body), { checksum });
  const path = join(folder, 'objects', `sha256-${checksum}`);
  await chmod(path, 0o600);
  await writeFile(path, randomBytes(1000));
  await assert.rejects(store.open(checksum), (error) => isStoreError(error, 'damaged'));
  assert.equal(await store.find(checksum), undefined);
  await store.put(pieces(body), { checksum });
  (await store.open(checksum)).body.destroy();
});

test('a folder: what a process that died was putting there is collected, and what a live one puts is not', async (context) => {
  const { folder, store } = await open(context);
  const { pid } = spawnSync('true');
  await mkdir(join(folder, 'parts'), { recursive: true });
  for (const [key, holder] of [
    ['put-dead', holderName('x').replace(`.${process.pid}.`, `.${pid}.`)],
    ['put-live', holderName('x')],
  ]) {
    await writeFile(join(folder, 'parts', `${key}.part`), randomBytes(500));
    await writeFile(join(folder, 'locks', key ?? ''), holder ?? '');
  }
  assert.deepEqual(await store.collect(), { images: 0, parts: 1, bytes: 500 });
});

test('a folder: an image of which the disk takes only a part is not there, and a full disk is told as such', {
  timeout: 120_000,
}, async (context) => {
  const { folder, store } = await open(context);
  const body = randomBytes(100_000);
  const script = join(import.meta.dirname, 'testing/put-image.ts');
  // Writing past this limit takes what still fits and says how much that was, as a disk does that gets full.
  const limited = ['-c', 'ulimit -f 150 && exec "$@"', 'sh', process.execPath, script, folder, sha256Of(body)];
  const child = spawn('/bin/sh', limited, { stdio: ['pipe', 'pipe', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  child.stdin.on('error', () => {}).end(body);
  const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(said, '');
  assert.match(complaint, /cannot be written down \(EFBIG\)/);
  assert.deepEqual([await store.list(), await store.collect()], [[], { images: 0, parts: 0, bytes: 0 }]);
});

test('a folder: several processes that put and throw away at once never serve half an image', {
  timeout: 120_000,
}, async (context) => {
  const folder = await mkdtemp(join(root, 'shared-'));
  const script = join(import.meta.dirname, 'testing/busy-store.ts');
  const children = ['a', 'b', 'c'].map((seed) => {
    const child = spawn(process.execPath, [script, folder, seed], { stdio: ['ignore', 'pipe', 'inherit'] });
    context.after(() => child.kill('SIGKILL'));
    return text(child.stdout);
  });
  assert.deepEqual(await Promise.all(children), ['whole', 'whole', 'whole']);
});
