import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { buildImage, type ImageOrder } from './build-image.ts';
import { checkImage, type ImageFile } from './check-image.ts';
import { createImageDigests } from './image-digests.ts';
import { formatImageHeader, imageMagic, readImageHeader } from './image-header.ts';

const order: ImageOrder = {
  vendor: 'Dell Inc.',
  models: ['PowerEdge R650'],
  softwareId: '159',
  component: 'bios',
  version: '2.1.0',
  payloadBytes: 200_000,
};
const digests = createImageDigests();
const receiver = { vendor: 'Dell Inc.', model: 'PowerEdge R650', maxImageSizeBytes: 1_000_000, digests };

function arrive(bytes: Buffer): ImageFile {
  return {
    head: bytes.subarray(0, 4096),
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

test('an image says what it is, and its stream is what its digest and length say', async () => {
  const image = buildImage(order);
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of image.stream()) {
    hash.update(piece);
    length += piece.length;
  }
  assert.equal(length, image.lengthBytes);
  assert.equal(hash.digest('hex'), image.sha256);
  assert.deepEqual(readImageHeader(image.head)?.header, image.header);
  assert.deepEqual(image.bytes().subarray(0, 4096), Buffer.from(image.head));
  assert.equal(buildImage(order).sha256, image.sha256);
  assert.notEqual(buildImage({ ...order, version: '2.1.1' }).header.payloadSha256, image.header.payloadSha256);
});

test('a good image of any size is accepted, and any changed byte is found', () => {
  // With less of a payload, a header with a changed letter can be that of another good image.
  const sizes = fc.integer({ min: 32, max: 150_000 });
  fc.assert(
    fc.property(sizes, fc.nat(), fc.integer({ min: 1, max: 255 }), (payloadBytes, place, flip) => {
      const image = buildImage({ ...order, payloadBytes });
      const bytes = image.bytes();
      assert.deepEqual(checkImage(arrive(bytes), receiver), { header: image.header });
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ flip;
      assert.notEqual(checkImage(arrive(bytes), receiver).fault, undefined, `byte ${at}`);
    }),
    { numRuns: 40 },
  );
});

test('each thing that can be wrong with a file has its name', () => {
  const good = buildImage(order).bytes();
  const changed = Buffer.from(good);
  changed[150_000] = (changed[150_000] ?? 0) ^ 1;
  const lying = Buffer.concat([
    formatImageHeader({ ...buildImage(order).header, payloadSha256: '0'.repeat(64) }),
    good.subarray(good.indexOf(0x0a, imageMagic.length) + 1),
  ]);
  const rows: [string, Buffer, string | undefined][] = [
    ['good', good, undefined],
    ['any model', buildImage({ ...order, models: [] }).bytes(), undefined],
    ['empty', Buffer.alloc(0), 'not-an-image'],
    ['noise', Buffer.alloc(5000, 7), 'not-an-image'],
    ['header cut', good.subarray(0, 60), 'not-an-image'],
    ['header not JSON', Buffer.from(`${imageMagic}{"vendor":\n`), 'not-an-image'],
    ['header incomplete', Buffer.from(`${imageMagic}{"vendor":"Dell Inc."}\n`), 'not-an-image'],
    ['too large', buildImage({ ...order, payloadBytes: 1_000_000 }).bytes(), 'too-large'],
    ['other vendor', buildImage({ ...order, vendor: 'HPE' }).bytes(), 'wrong-model'],
    ['other model', buildImage({ ...order, models: ['PowerEdge R750'] }).bytes(), 'wrong-model'],
    ['cut', good.subarray(0, good.length - 1), 'truncated'],
    ['longer', Buffer.concat([good, Buffer.from('x')]), 'corrupt'],
    ['changed', changed, 'corrupt'],
    ['wrong digest in the header', lying, 'corrupt'],
  ];
  for (const [name, bytes, fault] of rows) assert.equal(checkImage(arrive(bytes), receiver).fault, fault, name);
});

test('an image whose header would not fit is refused when it is built', () => {
  const models = Array.from({ length: 500 }, (_, index) => `PowerEdge R${index}`);
  assert.throws(() => buildImage({ ...order, models }), /name fewer models/);
});
