import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createFakeClock } from '../../kube/index.ts';
import { isStoreError } from '../errors.ts';
import { createArtifactCache } from './artifact-cache.ts';
import { holderName, isHolderAlive } from './holder.ts';
import { silentMs, takeLock, tryLock } from './key-lock.ts';
import { parseSource } from './source.ts';
import { sha256Of, startFileServer } from './testing/file-server.ts';

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function code(wanted: string) {
  return (error: unknown) => isStoreError(error) && error.code === wanted;
}

test('a process that runs keeps its lock, however slow what it does is, and gives it up when it is done', async (context) => {
  const clock = createFakeClock();
  const path = join(await folderFor(context), 'lock');
  const how = { clock, newId: randomUUID };
  const lock = await takeLock(path, how);
  const end = clock.now() + 5 * silentMs;
  while (clock.now() < end) {
    clock.advance(silentMs / 4);
    // Files have times of their own: what is waited for is that it shows there.
    while (clock.now() - (await stat(path)).mtimeMs > 1000) await pause(1);
  }
  assert.equal(await tryLock(path, how), undefined);
  await lock.beat();
  await lock.release();
  clock.advance(silentMs);
  const next = await tryLock(path, how);
  assert.equal(next?.before, 'fresh');
  await next.release();
});

test('a full disk is told as such, and is no reason to give up', async (context) => {
  const folder = await folderFor(context);
  const server = await startFileServer(context);
  const body = randomBytes(200_000);
  const url = server.put('/full.bin', body);
  const cache = await createArtifactCache({ folder, maxBytes: 10_000_000, backoff: { baseMs: 1, maxMs: 2 } });
  context.after(() => cache.close());
  const part = join(folder, 'parts', `sha256-${sha256Of(body)}.part`);
  await symlink('/dev/full', part);
  await assert.rejects(
    cache.open({ url, checksum: sha256Of(body) }),
    (error) => isStoreError(error, 'diskFull') && error.retry === 'transient' && /ENOSPC/.test(error.message),
  );
  await rm(part);
  assert.deepEqual(await readFile((await cache.open({ url, checksum: sha256Of(body) })).path), body);
});

test('a process that was frozen before its last step does not take what another has begun for its own', async (context) => {
  const folder = await folderFor(context);
  const server = await startFileServer(context);
  const body = randomBytes(200_000);
  const url = server.put('/frozen.bin', body);
  const cache = await createArtifactCache({ folder, maxBytes: 10_000_000 });
  context.after(() => cache.close());
  const key = `sha256-${sha256Of(body)}`;
  const part = join(folder, 'parts', `${key}.part`);
  const opening = cache.open({
    url,
    checksum: sha256Of(body),
    onProgress({ bytes }) {
      if (bytes < body.length) return;
      // By the time it goes on, its part is gone and another process has begun one under the same name.
      writeFileSync(`${part}-new`, body.subarray(0, 5));
      renameSync(`${part}-new`, part);
    },
  });
  await assert.rejects(opening, code('aborted'));
  assert.deepEqual(await readdir(join(folder, 'objects')), []);
  assert.deepEqual(await readFile(part), body.subarray(0, 5), 'the part of the other one is where it was');
});

test('what a process left aside when it died is thrown away after a while', async (context) => {
  const folder = await folderFor(context);
  const server = await startFileServer(context);
  const cache = await createArtifactCache({ folder, maxBytes: 10_000_000 });
  context.after(() => cache.close());
  const [old, fresh] = ['a.part~old', 'a.part~new'].map((name) => join(folder, 'parts', name));
  assert.ok(old && fresh);
  for (const path of [old, fresh]) await writeFile(path, 'x');
  const longAgo = Date.now() / 1000 - 7200;
  await utimes(old, longAgo, longAgo);
  const body = randomBytes(10);
  await cache.open({ url: server.put('/x', body), checksum: sha256Of(body) });
  assert.deepEqual(await readdir(join(folder, 'parts')), ['a.part~new']);
});

test('another process under the same number is not taken for the one that is gone', () => {
  const mine = holderName('x');
  assert.equal(isHolderAlive(mine), true);
  const [host, pid, start = ''] = mine.split('.');
  // Where the machine does not tell when a process began, its number is all there is.
  const earlier = /^\d+$/.test(start) ? `${host}.${pid}.${Number(start) - 1}.x` : undefined;
  if (earlier !== undefined) assert.equal(isHolderAlive(earlier), false);
  assert.equal(isHolderAlive(`${host}.${pid}.x`), true);
});

test('an address whose credentials cannot be read is refused without showing them, and so is a folder', async (context) => {
  assert.throws(
    () => parseSource('https://user:100%@images.example/x.bin'),
    (error) => isStoreError(error, 'badSource') && !error.message.includes('100'),
  );
  const folder = await folderFor(context);
  await mkdir(join(folder, 'images', 'sub'), { recursive: true });
  const cache = await createArtifactCache({ folder, maxBytes: 1000, fileFolders: [join(folder, 'images')] });
  context.after(() => cache.close());
  const url = pathToFileURL(join(folder, 'images', 'sub')).href;
  await assert.rejects(cache.open({ url, checksum: 'a'.repeat(64) }), code('badSource'));
});
