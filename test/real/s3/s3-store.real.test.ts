import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createEgress } from '../../../src/egress/index.ts';
import { pieces, storeContract } from '../../../src/firmware-store/contract/store-contract.ts';
import { isStoreError, openS3Store, type S3StoreOptions } from '../../../src/firmware-store/index.ts';
import { whyNoRealS3 } from './binaries.ts';
import { type RealS3, startS3 } from './real-s3.ts';

const mib = 1024 * 1024;

describe('the firmware store in a real S3 server', { skip: whyNoRealS3() ?? false, timeout: 1_200_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  let server: RealS3;
  before(async () => {
    server = await startS3(folder);
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (prefix: string, more: Partial<S3StoreOptions> = {}) =>
    openS3Store({
      maxBytes: 200 * mib,
      bucket: { ...server, prefix, ...more.bucket },
      staging: { folder: mkdtempSync(join(folder, 'staging-')), maxBytes: 100 * mib },
      backoff: { baseMs: 1, maxMs: 2 },
      egress: createEgress({ hosts: ['127.0.0.0/8'] }),
      ...more,
    });

  storeContract({ name: 'a bucket', open: (_, place, limits) => open(place, limits) });

  it('sends large images in parts, and reads them back as they were', async (context) => {
    const store = await open('parts', { partBytes: 5 * mib });
    context.after(() => store.close());
    const body = randomBytes(12 * mib + 7);
    const { sha256, sizeBytes } = await store.put(pieces(body, mib), { checksum: sha256Of(body) });
    assert.equal(sizeBytes, body.length);
    assert.ok(body.equals(await buffer((await store.open(sha256)).body)));
    const middle = { first: 5 * mib - 3, last: 5 * mib + 3 };
    assert.deepEqual(
      await buffer((await store.open(sha256, middle)).body),
      body.subarray(middle.first, middle.last + 1),
    );
  });

  it('gives an address that works without a login, with ranges, and not for another image', async (context) => {
    const store = await open('signed');
    context.after(() => store.close());
    const body = randomBytes(1000);
    const { sha256 } = await store.put(pieces(body), { checksum: sha256Of(body), fileName: 'bios.EXE' });
    const url = new URL(await store.urlOf(sha256));
    assert.match(url.pathname, /\/bios\.EXE$/);
    assert.equal(url.href.includes(server.secretAccessKey), false);
    const part = await fetch(url, { headers: { range: 'bytes=990-' } });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), body.subarray(990));
    const other = new URL(url);
    other.pathname = other.pathname.replace(sha256, 'f'.repeat(64));
    assert.equal((await fetch(other)).status, 403);
  });

  it('says who refused, and not with which key', async (context) => {
    const { endpoint, bucket, accessKeyId } = server;
    const secretAccessKey = 'wrong-and-secret';
    const store = await open('refused', { bucket: { endpoint, bucket, accessKeyId, secretAccessKey } });
    context.after(() => store.close());
    await assert.rejects(store.list(), (error) => {
      assert.ok(isStoreError(error, 'bucketRefused'), String(error));
      assert.match(error.message, /firmware.*403/);
      assert.doesNotMatch(`${error.message} ${error.stack}`, /wrong-and-secret/);
      return true;
    });
  });

  it('says that a server that is gone may come back', async (context) => {
    const store = await open('gone', { bucket: { ...server, endpoint: 'http://127.0.0.1:9' } });
    context.after(() => store.close());
    await assert.rejects(store.list(), (error) => isStoreError(error, 'bucketFailed') && error.retry === 'transient');
  });
});

function sha256Of(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}
