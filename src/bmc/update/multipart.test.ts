import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { ImageFile } from '../firmware-update.ts';
import { imageBody, openImage } from './image.ts';
import { makeBoundary, multipartBody } from './multipart.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
});
after(() => rm(folder, { recursive: true }));

async function fileOf(name: string, content: Buffer | string, algorithm: ImageFile['digest']['algorithm'] = 'sha256') {
  const path = join(folder, name);
  await writeFile(path, content);
  return { path, digest: { algorithm, hex: createHash(algorithm).update(content).digest('hex') } };
}

async function bytesOf(body: { open(): AsyncIterable<Buffer> }): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a multipart body is byte for byte parameters, then file, and its length is said', async () => {
  const image = await openImage(await fileOf('test.bin', 'HELLOWORLD'));
  const parameters = { Targets: [], '@Redfish.OperationApplyTime': 'OnReset', Oem: {} };
  const boundary = 'b'.repeat(60);
  const body = multipartBody(image, { parameters, boundary });
  const expected = [
    `--${boundary}\r\n`,
    'Content-Disposition: form-data; name="UpdateParameters"\r\n',
    'Content-Type: application/json\r\n\r\n',
    '{"Targets":[],"@Redfish.OperationApplyTime":"OnReset","Oem":{}}\r\n',
    `--${boundary}\r\n`,
    'Content-Disposition: form-data; name="UpdateFile"; filename="test.bin"\r\n',
    'Content-Type: application/octet-stream\r\n\r\n',
    'HELLOWORLD\r\n',
    `--${boundary}--\r\n`,
  ].join('');
  assert.equal((await bytesOf(body)).toString(), expected);
  assert.equal(body.lengthBytes, Buffer.byteLength(expected));
  // What Go's multipart writer makes of the same parts, with its boundary of sixty characters.
  assert.equal(body.lengthBytes, 476);
  assert.equal(body.contentType, `multipart/form-data; boundary=${boundary}`);
});

test('a body can be opened again', async () => {
  const image = await openImage(await fileOf('again.bin', 'once and again'));
  const body = imageBody(image, { contentType: 'application/octet-stream' });
  assert.deepEqual(await bytesOf(body), await bytesOf(body));
});

test('images larger than a piece come through whole, of any size around one', async () => {
  for (const size of [1, 262_143, 262_144, 262_145, 524_288, 700_001]) {
    const content = Buffer.alloc(size, 'rackwright');
    const image = await openImage(await fileOf(`of-${size}.bin`, content));
    const body = imageBody(image, { contentType: 'application/octet-stream' });
    assert.equal(body.lengthBytes, size);
    assert.ok((await bytesOf(body)).equals(content));
  }
});

test('file names that would break the form are changed', async () => {
  const image = await openImage(await fileOf('fir"m\r\nware ü.bin', 'x'));
  assert.equal(image.name, 'fir_m__ware__.bin');
});

test('every digest is computed by its own algorithm', async () => {
  for (const algorithm of ['sha256', 'sha512', 'md5'] as const) {
    const file = await fileOf(`${algorithm}.bin`, 'same', algorithm);
    assert.equal((await openImage(file)).sizeBytes, 4);
    const upper = { ...file, digest: { algorithm, hex: file.digest.hex.toUpperCase() } };
    assert.equal((await openImage(upper)).digest.hex, file.digest.hex);
  }
});

test('a file that is not what it should be is told before anything is sent', async () => {
  const good = await fileOf('good.bin', 'content');
  const isBad = (words: RegExp) => (error: unknown) => isBmcError(error, 'badImage') && words.test(error.message);
  await assert.rejects(
    openImage({ ...good, digest: { ...good.digest, hex: 'ab'.repeat(32) } }),
    isBad(/sha256.*fetch/),
  );
  await assert.rejects(openImage({ ...good, path: join(folder, 'none.bin') }), isBad(/cannot be opened/));
  await assert.rejects(openImage({ ...good, path: folder }), isBad(/not a file/));
  await assert.rejects(openImage(await fileOf('empty.bin', '')), isBad(/empty/));
  await assert.rejects(openImage(good, { maxBytes: 6 }), isBad(/7 bytes.*at most 6/));
  assert.equal((await openImage(good, { maxBytes: 7 })).sizeBytes, 7);
});

test('a file that changed after it was checked never arrives whole', async () => {
  const changes: readonly (readonly [string, Buffer])[] = [
    ['another byte', Buffer.alloc(600_000, 2)],
    ['shorter', Buffer.alloc(599_999, 1)],
    ['longer', Buffer.alloc(600_001, 1)],
  ];
  for (const [how, content] of changes) {
    const file = await fileOf('changing.bin', Buffer.alloc(600_000, 1));
    const body = imageBody(await openImage(file), { contentType: 'application/octet-stream', tail: 'end' });
    await writeFile(file.path, content);
    let received = 0;
    await assert.rejects(async () => {
      for await (const piece of body.open()) received += (piece as Buffer).length;
    }, isBmcErrorOf('badImage'));
    assert.ok(received < 600_000, `${how}: ${received} bytes left`);
    assert.equal(body.fault?.code, 'badImage');
  }
});

function isBmcErrorOf(code: 'badImage') {
  return (error: unknown) => isBmcError(error, code);
}

test('boundaries come from the randomness that is passed in', () => {
  assert.equal(
    makeBoundary(() => 0),
    `rackwright-${'0'.repeat(32)}`,
  );
  assert.notEqual(makeBoundary(Math.random), makeBoundary(Math.random));
});
