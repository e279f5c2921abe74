import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { sha256Of, startFileServer } from '../artifacts/testing/file-server.ts';
import { isStoreError, type StoreErrorCode } from '../errors.ts';
import { startImageServer } from '../serve/image-server.ts';
import type { FirmwareStore, StoreLimits } from '../store.ts';

/** For tests: a kind of store. */
export interface StoreKind {
  readonly name: string;
  /** Opens a store; with the same place, the same images. */
  open(context: TestContext, place: string, limits: StoreLimits): Promise<FirmwareStore>;
}

const roomy: StoreLimits = { maxBytes: 64 * 1024 * 1024 };

/** For tests: what every store promises. */
export function storeContract({ name, open }: StoreKind): void {
  let places = 0;
  const start = async (context: TestContext, limits: StoreLimits = roomy, place = `p${++places}-${process.pid}`) => {
    const store = await open(context, place, limits);
    context.after(() => store.close());
    return { store, place };
  };
  const code = (wanted: StoreErrorCode) => (error: unknown) => {
    assert.ok(isStoreError(error), String(error));
    assert.equal(error.code, wanted, error.message);
    return true;
  };

  test(`${name}: an image is found, read and read in part under its SHA-256`, async (context) => {
    const { store } = await start(context);
    const body = randomBytes(300_000);
    const sha256 = sha256Of(body);
    const put = await store.put(pieces(body), { checksum: `sha256:${sha256}`, fileName: '../My BIOS (1).EXE' });
    assert.deepEqual(pick(put), { sha256, sizeBytes: 300_000, fileName: 'My_BIOS__1_.EXE' });
    assert.deepEqual(await store.find(sha256.toUpperCase()), await store.find(`sha256:${sha256}`));
    const read = async (range?: { first?: number; last?: number }) => buffer((await store.open(sha256, range)).body);
    assert.deepEqual(await read(), body);
    assert.deepEqual(await read({ first: 100, last: 199 }), body.subarray(100, 200));
    assert.deepEqual(await read({ first: 299_990 }), body.subarray(299_990));
    assert.deepEqual(await read({ last: 9 }), body.subarray(0, 10));
    assert.deepEqual(await read({ first: 10, last: 10 ** 9 }), body.subarray(10));
    for (const range of [{ first: 300_000 }, { first: 5, last: 4 }, { first: -1 }, { first: 0.5 }]) {
      await assert.rejects(store.open(sha256, range), code('badRange'));
    }
  });

  test(`${name}: what is not as expected leaves nothing behind`, async (context) => {
    const { store } = await start(context, { maxBytes: 100_000, maxImageBytes: 50_000 });
    const body = randomBytes(1000);
    const checksum = sha256Of(body);
    const broken = async function* () {
      yield body.subarray(0, 500);
      throw new TypeError('the line went dead');
    };
    const tries: readonly (readonly [() => Promise<unknown>, StoreErrorCode])[] = [
      [() => store.put(pieces(body), { checksum: 'a'.repeat(64) }), 'digestMismatch'],
      [() => store.put(pieces(body), { checksum, sizeBytes: 999 }), 'sizeMismatch'],
      [() => store.put(pieces(body), { checksum, sizeBytes: 1001 }), 'sizeMismatch'],
      [() => store.put(pieces(Buffer.alloc(0)), { checksum: sha256Of(Buffer.alloc(0)) }), 'sizeMismatch'],
      [() => store.put(pieces(body), {}), 'digestMissing'],
      [() => store.put(pieces(body), { checksum: 'nonsense' }), 'badDigest'],
      [() => store.put(pieces(randomBytes(50_001)), { checksum }), 'tooLarge'],
      [() => store.put(pieces(body), { checksum, sizeBytes: 50_001 }), 'tooLarge'],
      [() => store.put(pieces(body), { checksum, signal: AbortSignal.abort() }), 'aborted'],
    ];
    for (const [put, wanted] of tries) await assert.rejects(put(), code(wanted));
    await assert.rejects(store.put(broken(), { checksum }), TypeError);
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.find(checksum), undefined);
    assert.deepEqual(await store.collect(), { images: 0, parts: 0, bytes: 0 });
  });

  test(`${name}: what is not there is said to be not there`, async (context) => {
    const { store } = await start(context);
    const none = 'b'.repeat(64);
    await assert.rejects(store.open(none), code('unknownImage'));
    await assert.rejects(store.urlOf(none), code('unknownImage'));
    await assert.rejects(store.hold(none, 'firmware/1'), code('unknownImage'));
    assert.equal(await store.delete(none), false);
    await assert.rejects(store.find('md5:'.padEnd(36, 'a')), code('badDigest'));
    await assert.rejects(store.find('../../etc/passwd'), code('badDigest'));
  });

  test(`${name}: putting an image twice, also at once and from two sides, is putting it once`, async (context) => {
    const { store, place } = await start(context);
    const { store: other } = await start(context, roomy, place);
    const body = randomBytes(200_000);
    const checksum = sha256Of(body);
    await Promise.all([store, other, store, other].map((each) => each.put(pieces(body), { checksum })));
    assert.equal((await other.list()).length, 1);
    assert.deepEqual(await buffer((await other.open(checksum)).body), body);
  });

  test(`${name}: many who fetch and hold one image at once, under whatever checksum, all get it`, async (context) => {
    const { store, place } = await start(context);
    const { store: other } = await start(context, roomy, place);
    const server = await startFileServer(context);
    for (let round = 0; round < 2; round += 1) {
      const body = randomBytes(1000);
      const url = server.put(`/${round}.bin`, body);
      const checksums = ['sha256', 'sha512', 'md5'].map((each) => createHash(each).update(body).digest('hex'));
      const orders = [store, other, store, other].flatMap((each) => checksums.map((checksum) => ({ each, checksum })));
      const images = await Promise.all(
        orders.map(async ({ each, checksum }) => {
          const { sha256, fileName } = await each.fetch({ url, checksum });
          await each.hold(sha256, 'discovery/1');
          return [sha256, fileName].join();
        }),
      );
      assert.deepEqual(new Set(images), new Set([[sha256Of(body), `${round}.bin`].join()]));
    }
  });

  test(`${name}: an image is known by its SHA-256, whatever it was checked by`, async (context) => {
    const { store } = await start(context, { ...roomy, areUnverifiedAllowed: true });
    const server = await startFileServer(context);
    const bodies = [1, 2, 3].map(() => randomBytes(1000));
    const [a, b, c] = bodies;
    assert.ok(a && b && c);
    const md5 = (body: Buffer): string => createHash('md5').update(body).digest('hex');
    await store.put(pieces(a), { checksum: md5(a) });
    await store.fetch({ url: server.put('/b.bin', b), checksum: `md5:${md5(b)}` });
    await store.fetch({ url: server.put('/c.bin', c) });
    const names = (await store.list()).map(({ sha256, fileName }) => [sha256, fileName].join());
    const wanted = [
      [a, 'image.bin'],
      [b, 'b.bin'],
      [c, 'c.bin'],
    ] as const;
    assert.deepEqual(names, wanted.map(([body, fileName]) => [sha256Of(body), fileName].join()).sort());
  });

  test(`${name}: what names no SHA-256 is fetched once, and counts as what it was then while it is there`, async (context) => {
    const lenient = { ...roomy, areUnverifiedAllowed: true, keepUnreferencedMs: 0 };
    const { store, place } = await start(context, lenient);
    const server = await startFileServer(context);
    const [first, second] = [randomBytes(1000), randomBytes(1000)];
    const url = server.put('/hpe.fwpkg', first);
    const old = server.put('/old.bin', first);
    const md5 = `md5:${createHash('md5').update(first).digest('hex')}`;
    for (let time = 0; time < 2; time += 1) {
      assert.equal((await store.fetch({ url })).sha256, sha256Of(first));
      assert.equal((await store.fetch({ url: old, checksum: md5 })).sha256, sha256Of(first));
      server.put('/hpe.fwpkg', second);
    }
    assert.deepEqual(server.requests.map((one) => one.url).sort(), ['/hpe.fwpkg', '/old.bin']);
    const { store: strict } = await start(context, roomy, place);
    await assert.rejects(strict.fetch({ url }), code('digestMissing'));
    await store.collect();
    assert.equal((await store.fetch({ url })).sha256, sha256Of(second));
  });

  test(`${name}: a fetch that was cut off goes on where it stopped`, async (context) => {
    const { store } = await start(context);
    const server = await startFileServer(context);
    const body = randomBytes(400_000);
    const url = server.put('/big.bin', body);
    const some = Promise.withResolvers<void>();
    server.misbehave(async (_, response) => {
      response.writeHead(200, { etag: `"${sha256Of(body).slice(0, 16)}"`, 'content-length': body.length });
      response.write(body.subarray(0, 150_000));
      await some.promise;
      response.destroy();
      return true;
    });
    const image = await store.fetch({ url, checksum: sha256Of(body), onProgress: () => some.resolve() });
    assert.equal(image.fileName, 'big.bin');
    assert.match(server.requests[1]?.range ?? '', /^bytes=[1-9]\d*-$/);
    assert.deepEqual(await buffer((await store.open(image.sha256)).body), body);
    await store.fetch({ url, checksum: sha256Of(body) });
    assert.equal(server.requests.length, 2, 'what is there is not fetched again');
  });

  test(`${name}: what somebody needs is neither deleted nor thrown away for something else`, async (context) => {
    const { store, place } = await start(context, { maxBytes: 2500 });
    const bodies = [1, 2, 3].map(() => randomBytes(1000));
    const [a, b, c] = bodies;
    assert.ok(a && b && c);
    const put = (body: Buffer) => store.put(pieces(body), { checksum: sha256Of(body), sizeBytes: body.length });
    await put(a);
    await store.hold(sha256Of(a), 'firmware/1');
    await store.hold(sha256Of(a), 'firmware/1');
    await store.hold(sha256Of(a), 'job/2');
    await assert.rejects(store.delete(sha256Of(a)), code('imageInUse'));
    await put(b);
    await put(c);
    const left = (await store.list()).map(({ sha256 }) => sha256);
    assert.deepEqual(left, [a, c].map(sha256Of).sort(), 'the one that nobody needs made room');
    const { store: other } = await start(context, { maxBytes: 2500 }, place);
    assert.deepEqual(await other.references(sha256Of(a)), ['firmware/1', 'job/2']);
    await other.hold(sha256Of(c), 'job/3');
    await assert.rejects(put(b), code('noRoom'));
    for (const reference of ['firmware/1', 'job/2', 'job/2', 'never there'])
      await other.release(sha256Of(a), reference);
    assert.equal(await store.delete(sha256Of(a)), true);
    assert.equal(await store.delete(sha256Of(a)), false);
    await put(b);
  });

  test(`${name}: collecting takes what nobody needs, and only that`, async (context) => {
    const { store } = await start(context, { ...roomy, keepUnreferencedMs: 0 });
    const [a, b] = [randomBytes(1000), randomBytes(2000)];
    for (const body of [a, b]) await store.put(pieces(body), { checksum: sha256Of(body) });
    await store.hold(sha256Of(a), 'firmware/1');
    const { images, bytes } = await store.collect();
    assert.deepEqual([images, bytes], [1, 2000]);
    assert.deepEqual(
      (await store.list()).map(({ sha256 }) => sha256),
      [sha256Of(a)],
    );
  });

  test(`${name}: images are served with ranges, so that whoever was cut off goes on`, async (context) => {
    const { store } = await start(context);
    const body = randomBytes(100_000);
    const { sha256 } = await store.put(pieces(body), { checksum: sha256Of(body), fileName: 'bios.bin' });
    const server = await startImageServer({ store });
    context.after(() => server.close());
    const url = `${server.url}/v1/images/${sha256}/bios.bin`;
    const whole = await fetch(url);
    assert.equal(whole.headers.get('etag'), `"${sha256}"`);
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), body);
    const part = await fetch(url, { headers: { range: 'bytes=99990-', 'if-range': `"${sha256}"` } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-range'), 'bytes 99990-99999/100000');
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), body.subarray(99_990));
  });

  test(`${name}: another store fetches from the address that this one gives`, async (context) => {
    const from = await start(context);
    const to = await start(context);
    const body = randomBytes(50_000);
    const { sha256 } = await from.store.put(pieces(body), { checksum: sha256Of(body), fileName: 'nic.bin' });
    const server = await startImageServer({ store: from.store });
    context.after(() => server.close());
    const address = await from.store.urlOf(sha256);
    assert.match(address, new RegExp(`/images/${sha256}/nic\\.bin`));
    const isSigned = new URL(address).search !== '';
    const url = isSigned ? address : new URL(new URL(address).pathname, server.url).href;
    const got = await to.store.fetch({ url, checksum: sha256 });
    assert.deepEqual(pick(got), { sha256, sizeBytes: 50_000, fileName: 'nic.bin' });
  });

  test(`${name}: a source that refuses leaves nothing behind`, async (context) => {
    const { store } = await start(context);
    const server = createServer((_, response) => void response.writeHead(403).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.after(() => server.close());
    const url = `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    await assert.rejects(store.fetch({ url, checksum: 'c'.repeat(64) }), (error) => {
      assert.doesNotMatch(String(error), /secret/);
      return code('sourceRefused')(error);
    });
    assert.deepEqual(await store.list(), []);
  });
}

function pick({ sha256, sizeBytes, fileName }: { sha256: string; sizeBytes: number; fileName: string }) {
  return { sha256, sizeBytes, fileName };
}

/** For tests: a body in pieces. */
export async function* pieces(body: Uint8Array, size = 7000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}
