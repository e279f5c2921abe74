import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import { sha256Of } from '../artifacts/testing/file-server.ts';
import { StoreError } from '../errors.ts';
import type { FirmwareStore } from '../store.ts';
import { readRange } from './http-range.ts';
import { startImageServer } from './image-server.ts';

const body = randomBytes(1000);
const sha256 = sha256Of(body);
const image = { sha256, sizeBytes: 1000, fileName: 'bios.bin', usedAtMs: 0 };

const store: Pick<FirmwareStore, 'find' | 'open'> = {
  find: async (digest) => (digest === sha256 ? image : undefined),
  async open(_, { first = 0, last = 999 } = {}) {
    return { ...image, range: { first, last }, body: Readable.from([body.subarray(first, last + 1)]) };
  },
};

async function start(context: TestContext, from: typeof store = store) {
  const server = await startImageServer({ store: from });
  context.after(() => server.close());
  return (path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
      const asked = request(`${server.url}${path}`, { method, headers }, async (response) => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: await buffer(response) });
      });
      asked.on('error', reject).end();
    });
}

const path = `/v1/images/${sha256}/bios.bin`;
const tag = `"${sha256}"`;

const cases: readonly (readonly [string, string, Readonly<Record<string, string>>, number, string])[] = [
  ['all of it', 'GET', {}, 200, '0-1000'],
  ['its head', 'HEAD', {}, 200, ''],
  ['a part', 'GET', { range: 'bytes=10-19' }, 206, '10-20'],
  ['the rest', 'GET', { range: 'bytes=990-' }, 206, '990-1000'],
  ['the end', 'GET', { range: 'bytes=-10' }, 206, '990-1000'],
  ['more than there is', 'GET', { range: 'bytes=990-5000' }, 206, '990-1000'],
  ['more of the end than there is', 'GET', { range: 'bytes=-5000' }, 206, '0-1000'],
  ['what is behind it', 'GET', { range: 'bytes=1000-' }, 416, ''],
  ['nothing of the end', 'GET', { range: 'bytes=-0' }, 416, ''],
  ['several parts', 'GET', { range: 'bytes=0-1,5-6' }, 200, '0-1000'],
  ['a part that ends before it begins', 'GET', { range: 'bytes=9-5' }, 200, '0-1000'],
  ['something else', 'GET', { range: 'lines=1-2' }, 200, '0-1000'],
  ['the rest of this one', 'GET', { range: 'bytes=500-', 'if-range': tag }, 206, '500-1000'],
  ['the rest of another one', 'GET', { range: 'bytes=500-', 'if-range': '"other"' }, 200, '0-1000'],
  ['the rest since a day', 'GET', { range: 'bytes=500-', 'if-range': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 200, '0-1000'],
  ['it unless it is known', 'GET', { 'if-none-match': `"x", W/${tag}` }, 304, ''],
  ['it unless anything is known', 'HEAD', { 'if-none-match': '*' }, 304, ''],
  ['it unless another is known', 'GET', { 'if-none-match': '"x"' }, 200, '0-1000'],
];

for (const [what, method, headers, status, range] of cases) {
  test(`${method} for ${what} is answered ${status}`, async (context) => {
    const ask = await start(context);
    const answer = await ask(path, method, headers);
    assert.equal(answer.status, status);
    const [first = 0, last = 0] = range.split('-').map(Number);
    if (range !== '') assert.deepEqual(answer.body, body.subarray(first, last));
    if (status === 206) assert.equal(answer.headers['content-range'], `bytes ${first}-${last - 1}/1000`);
    if (status === 416) assert.equal(answer.headers['content-range'], 'bytes */1000');
    if (status < 400) assert.equal(answer.headers.etag, tag);
    if (method === 'HEAD' && status === 200) assert.equal(answer.headers['content-length'], '1000');
  });
}

test('only images are served, and only to be read', async (context) => {
  const ask = await start(context);
  const status = async (place: string, method?: string) => (await ask(place, method)).status;
  assert.equal(await status(`/v1/images/${sha256}`), 200);
  assert.equal(await status(`/v1/images/${'0'.repeat(64)}`), 404);
  for (const place of ['/', '/v1/images/', '/v1/images/../../etc/passwd', `/v1/images/${sha256}/../x`, '/objects/x']) {
    assert.equal(await status(place), 404, place);
  }
  for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS']) assert.equal(await status(path, method), 405);
  assert.equal((await ask(path, 'PUT')).headers.allow, 'GET, HEAD');
});

test('a store that fails is told of by status, without what is inside', async (context) => {
  const ask = await start(context, {
    find: async () => image,
    open: async () => {
      throw new StoreError('damaged', { digest: sha256 });
    },
  });
  const { status, body: message, headers } = await ask(path);
  assert.equal(status, 500);
  assert.match(message.toString(), /damaged/);
  assert.equal(headers.etag, undefined);
  const odd = await start(context, {
    ...store,
    find: async () => {
      throw new TypeError('a secret place');
    },
  });
  const answer = await odd(path);
  assert.equal(answer.status, 500);
  assert.doesNotMatch(answer.body.toString(), /secret/);
});

test('whatever is asked for, a part is inside the image', () => {
  const header = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.option(fc.nat(2000), { nil: '' }), fc.option(fc.nat(2000), { nil: '' }))
      .map(([a, b]) => `bytes=${a}-${b}`),
  );
  fc.assert(
    fc.property(header, fc.nat(1500), (text, size) => {
      const asked = readRange(text, size);
      if (asked.kind !== 'part') return;
      const { first, last } = asked.range;
      assert.ok(first >= 0 && first <= last && last < size, `${text} of ${size}`);
    }),
  );
});
