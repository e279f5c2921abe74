import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isEngineError } from '../../engine/index.ts';
import {
  type FileServer,
  type FirmwareStore,
  openFolderStore,
  StoreError,
  startFileServer,
} from '../../firmware-store/index.ts';
import { systemClock as clock } from '../../kube/index.ts';
import { silentLogger as logger } from '../../telemetry/index.ts';
import { createTestCondition, leaseTestWork } from '../contract/test-work.ts';
import type { DiscoveredImage } from './discover-firmware.ts';
import { keepImages } from './keep-images.ts';

/** A store with room for two images of three. */
async function setUp(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-keep-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const files = await startFileServer(context);
  const place = { folder, maxBytes: 1_000_000, publicUrl: 'http://images.test', maxTries: 2 };
  const store = await openFolderStore({ ...place, backoff: { baseMs: 1, maxMs: 1 } });
  context.after(() => store.close());
  const condition = createTestCondition({ kind: 'inventoryOOB', target: 'model/acme/one', parameters: {} });
  const keep = (images: readonly DiscoveredImage[], into: FirmwareStore = store) =>
    keepImages(leaseTestWork(condition, { clock }), images, { store: into, clock, logger, tell: async () => {} });
  return { files, store, condition, keep };
}

function imageOf(files: FileServer, name: string, bytes = 400_000): DiscoveredImage {
  const body = Buffer.alloc(bytes, name);
  return {
    ...{ component: 'nic', manufacturer: 'Acme', version: name, models: [], fileName: `${name}.bin` },
    url: files.put(`/${name}.bin`, body),
    checksum: `sha256:${createHash('sha256').update(body).digest('hex')}`,
    sizeBytes: bytes,
    softwareIds: [],
  };
}

const placesOf = (images: readonly DiscoveredImage[]) => images.map(({ url }) => new URL(url).host === 'images.test');

test('a full store stops no discovery: what has no room stays at its vendor and is counted', async (context) => {
  const { files, store, keep } = await setUp(context);
  const { images, imagesNotKept } = await keep(
    ['a', 'b', 'c', 'd'].map((name) => imageOf(files, name, name === 'd' ? 1 : 400_000)),
  );
  assert.deepEqual(placesOf(images), [true, true, false, true]);
  assert.equal(images[2]?.url, `${files.origin}/c.bin`);
  assert.equal(imagesNotKept, 1);
  assert.equal((await store.list()).length, 3);
});

test('a file that its vendor does not give out, however often it is asked for, stops no other', async (context) => {
  const { files, keep } = await setUp(context);
  const fail: Parameters<FileServer['misbehave']>[0] = ({ url }, response) => {
    files.misbehave(fail);
    if (url !== '/a.bin') return false;
    response.writeHead(503).end();
    return true;
  };
  files.misbehave(fail);
  const { images, imagesNotKept } = await keep([imageOf(files, 'a'), imageOf(files, 'b')]);
  assert.deepEqual([placesOf(images), imagesNotKept], [[false, true], 1]);
  assert.equal(files.requests.filter(({ url }) => url === '/a.bin').length, 2);
});

for (const [code, fields] of [
  ['diskFull', { source: 'x', code: 'ENOSPC' }],
  ['bucketFailed', { bucket: 'images', detail: 'it is away' }],
  ['aborted', { what: 'a download' }],
] as const) {
  test(`the work is done again after ${code}`, async (context) => {
    const { files, store, keep } = await setUp(context);
    const fetch = async () => Promise.reject(new StoreError(code, fields));
    await assert.rejects(
      keep([imageOf(files, 'a')], Object.assign(Object.create(store), { fetch })),
      (error) => error instanceof StoreError && error.code === code,
    );
  });
}

test('who lost the lease meanwhile keeps nothing more, though the store is full', async (context) => {
  const { files, store, condition, keep } = await setUp(context);
  const fetch = async () => {
    condition.leases += 1;
    throw new StoreError('noRoom', { bytes: 1, source: 'x', limit: 1, used: 1 });
  };
  await assert.rejects(keep([imageOf(files, 'a')], Object.assign(Object.create(store), { fetch })), (error) =>
    isEngineError(error, 'leaseLost'),
  );
});
