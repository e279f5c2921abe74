import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createEgress } from '../../egress/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createLogger } from '../../telemetry/index.ts';
import { isStoreError } from '../errors.ts';
import { type ArtifactCacheOptions, createArtifactCache } from './artifact-cache.ts';
import { holderName } from './holder.ts';
import { silentMs } from './key-lock.ts';
import { type FileServer, sha256Of, startFileServer } from './testing/file-server.ts';

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What is on this machine is told, as where an operator named it. */
const egress = createEgress({ hosts: ['127.0.0.0/8'] });

async function setUp(context: TestContext, options: Partial<ArtifactCacheOptions> = {}) {
  const folder = options.folder ?? (await folderFor(context));
  const server = await startFileServer(context);
  const backoff = { baseMs: 1, maxMs: 2 };
  const open = async (more: Partial<ArtifactCacheOptions> = {}) => {
    const cache = await createArtifactCache({ folder, maxBytes: 10_000_000, backoff, egress, ...options, ...more });
    context.after(() => cache.close());
    return cache;
  };
  return { folder, server, open, cache: await open() };
}

function code(wanted: string) {
  return (error: unknown) => isStoreError(error) && error.code === wanted;
}

test('a file is fetched once, checked and kept by what it hashes to', async (context) => {
  const { server, cache, open } = await setUp(context);
  const body = randomBytes(300_000);
  const url = server.put('/bios.bin', body);
  const checksum = `sha256:${sha256Of(body).toUpperCase()}`;
  const seen: number[] = [];
  const first = await cache.open({ url, checksum, onProgress: ({ bytes }) => void seen.push(bytes) });
  assert.deepEqual(await readFile(first.path), body);
  assert.equal(seen.at(-1), body.length);
  const second = await cache.open({ url, checksum });
  const another = await (await open()).open({ url: `${server.origin}/elsewhere`, checksum });
  assert.deepEqual([second.path, another.path], [first.path, first.path]);
  assert.equal(server.requests.length, 1);
});

test('many who want one file at once, in several processes, fetch it once', async (context) => {
  const { server, cache, open } = await setUp(context);
  const body = randomBytes(200_000);
  const url = server.put('/nic.bin', body);
  const other = await open();
  const order = { url, checksum: sha256Of(body) };
  const opened = await Promise.all([cache, other, cache, other, cache].map((each) => each.open(order)));
  assert.equal(new Set(opened.map(({ path }) => path)).size, 1);
  assert.equal(server.requests.length, 1);
});

/** Lets the next download break off once some of it has come; resolves what `onProgress` has to be. */
function breakOff(server: FileServer, body: Buffer, etag: string): () => void {
  const some = Promise.withResolvers<void>();
  server.misbehave(async (_, response) => {
    response.writeHead(200, { etag, 'content-length': body.length });
    response.write(body.subarray(0, 150_000));
    await some.promise;
    response.destroy();
    return true;
  });
  return some.resolve;
}

function etagOf(body: Buffer): string {
  return `"${sha256Of(body).slice(0, 16)}"`;
}

test('a download that breaks off goes on where it stopped', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(400_000);
  const url = server.put('/big.bin', body);
  const onProgress = breakOff(server, body, etagOf(body));
  const opened = await cache.open({ url, checksum: sha256Of(body), onProgress });
  assert.deepEqual(await readFile(opened.path), body);
  assert.match(server.requests[1]?.range ?? '', /^bytes=[1-9]\d*-$/);
});

test('a part of another version of the file is thrown away', async (context) => {
  const { server, cache } = await setUp(context);
  const [old, body] = [randomBytes(300_000), randomBytes(300_000)];
  const url = server.put('/moved.bin', body);
  const onProgress = breakOff(server, old, '"old"');
  const opened = await cache.open({ url, checksum: sha256Of(body), onProgress });
  assert.deepEqual(await readFile(opened.path), body);
});

test('a server that sends a wrong rest is asked for all of it', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(300_000);
  const url = server.put('/torn.bin', body);
  const etag = etagOf(body);
  const broken = breakOff(server, body, etag);
  const onProgress = (): void => {
    server.misbehave((request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
      if (from === 0) return false;
      const range = `bytes ${from}-${body.length - 1}/${body.length}`;
      response.writeHead(206, { etag, 'content-range': range }).end(randomBytes(body.length - from));
      return true;
    });
    broken();
  };
  const opened = await cache.open({ url, checksum: sha256Of(body), onProgress });
  assert.deepEqual(await readFile(opened.path), body);
  assert.equal(server.requests.length, 3);
});

test('a file with another hash is refused, told of with both, and not kept', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(1000);
  const url = server.put('/forged.bin', body);
  const wanted = 'a'.repeat(64);
  await assert.rejects(cache.open({ url, checksum: wanted }), (error) => {
    assert.ok(isStoreError(error, 'digestMismatch'));
    assert.ok(error.message.includes(sha256Of(body)) && error.message.includes(wanted));
    return true;
  });
  assert.equal(await cache.bytesUsed(), 0);
});

test('SHA-512 will do, MD5 with a warning, nothing only where it is allowed, anything else not', async (context) => {
  const { server, cache, open } = await setUp(context);
  const body = randomBytes(1000);
  const url = server.put('/file.bin', body);
  const md5 = createHash('md5').update(body).digest('hex');
  const sha512 = createHash('sha512').update(body).digest('hex');
  assert.deepEqual((await cache.open({ url, checksum: `sha512:${sha512}` })).warnings, []);
  assert.match((await cache.open({ url, checksum: `md5sum:${md5}` })).warnings.join(), /MD5/);
  await assert.rejects(cache.open({ url }), code('digestMissing'));
  await assert.rejects(cache.open({ url, checksum: ' ' }), code('digestMissing'));
  await assert.rejects(cache.open({ url, checksum: 'sha256:xyz' }), code('badDigest'));
  await assert.rejects(cache.open({ url, checksum: 'sha256:abcd' }), code('badDigest'));
  const lenient = await open({ areUnverifiedAllowed: true });
  const unverified = await lenient.open({ url });
  assert.equal(unverified.digest.hex, sha256Of(body));
});

test('a damaged entry is noticed and fetched again', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(5000);
  const url = server.put('/cached.bin', body);
  const order = { url, checksum: sha256Of(body) };
  const { path, release } = await cache.open(order);
  await release();
  await chmod(path, 0o600);
  await writeFile(path, randomBytes(5000));
  const again = await cache.open(order);
  assert.deepEqual(await readFile(again.path), body);
  assert.equal(server.requests.length, 2);
});

test('the least recently used makes room, and what is in use stays', async (context) => {
  const clock = createFakeClock();
  const { server, cache, open } = await setUp(context, { maxBytes: 3000, clock });
  const another = await open();
  const bodies = [0, 1, 2, 3].map(() => randomBytes(1000));
  const orders = bodies.map((body, at) => ({ url: server.put(`/${at}`, body), checksum: sha256Of(body) }));
  const [a, b, c, d] = orders;
  assert.ok(a && b && c && d);
  const held = await another.open(a);
  for (const order of [b, c, b]) {
    clock.advance(1000);
    await (await cache.open(order)).release();
  }
  await (await cache.open(d)).release();
  assert.equal(await cache.bytesUsed(), 3000);
  assert.equal((await readFile(held.path)).length, 1000);
  const asked = server.requests.length;
  await (await cache.open(b)).release();
  assert.equal(server.requests.length, asked, 'b was used after c, so c went');
  await held.release();
  await (await cache.open(c)).release();
  assert.equal(server.requests.length, asked + 1);
});

test('when all is in use the next is refused, and room is there after a release', async (context) => {
  const { server, cache } = await setUp(context, { maxBytes: 1500 });
  const [one, two] = [randomBytes(1000), randomBytes(1000)];
  const held = await cache.open({ url: server.put('/1', one), checksum: sha256Of(one) });
  const order = { url: server.put('/2', two), checksum: sha256Of(two) };
  await assert.rejects(cache.open(order), code('noRoom'));
  await held.release();
  assert.equal((await cache.open(order)).sizeBytes, 1000);
});

test('what several use is in use until the last of them lets go, and letting go twice counts once', async (context) => {
  const { server, cache } = await setUp(context, { maxBytes: 1500 });
  const [one, other] = [randomBytes(1000), randomBytes(1000)];
  const order = { url: server.put('/one', one), checksum: sha256Of(one) };
  const next = { url: server.put('/other', other), checksum: sha256Of(other) };
  const users = await Promise.all([cache.open(order), cache.open(order), cache.open(order)]);
  for (const user of users) {
    await assert.rejects(cache.open(next), code('noRoom'));
    await user.release();
    await user.release();
  }
  await (await cache.open(next)).release();
  assert.deepEqual(await readFile((await cache.open(order)).path), one);
});

test('a file that is changed while others use it is not handed on', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(1000);
  const order = { url: server.put('/bios.bin', body), checksum: sha256Of(body) };
  const first = await cache.open(order);
  await chmod(first.path, 0o600);
  await writeFile(first.path, 'something else');
  assert.deepEqual(await readFile((await cache.open(order)).path), body);
});

test('files that are too large or not of the told size are refused', async (context) => {
  const { server, cache, open } = await setUp(context, { maxFileBytes: 5000 });
  const body = randomBytes(6000);
  const url = server.put('/large', body);
  const order = { url, checksum: sha256Of(body) };
  await assert.rejects(cache.open(order), code('tooLarge'));
  server.misbehave((_, response) => {
    response.writeHead(200).end(body);
    return true;
  });
  await assert.rejects(cache.open(order), code('tooLarge'), 'also when the server does not tell the size');
  await assert.rejects(
    (await open({ maxFileBytes: 10_000 })).open({ ...order, sizeBytes: 5999 }),
    code('sizeMismatch'),
  );
});

test('redirects are followed a few times, and credentials stay at their origin', async (context) => {
  const { server, cache } = await setUp(context);
  const elsewhere = await startFileServer(context);
  const body = randomBytes(1000);
  const final = elsewhere.put('/final', body);
  server.misbehave((_, response) => {
    response.writeHead(302, { location: final }).end();
    return true;
  });
  const url = `${server.origin.replace('//', '//user:secret@')}/start`;
  await cache.open({ url, checksum: sha256Of(body) });
  assert.match(server.requests[0]?.authorization ?? '', /^Basic /);
  assert.equal(elsewhere.requests[0]?.authorization, undefined);
});

test('endless redirects, and those to other protocols, are refused without a secret in the message', async (context) => {
  const { server, cache } = await setUp(context);
  const url = `${server.origin.replace('//', '//user:secret@')}/loop?key=hidden`;
  const loop = (): void =>
    server.misbehave((_, response) => {
      loop();
      response.writeHead(302, { location: '/loop' }).end();
      return true;
    });
  loop();
  await assert.rejects(cache.open({ url, checksum: 'a'.repeat(64) }), (error) => {
    assert.ok(isStoreError(error, 'sourceRefused'));
    assert.doesNotMatch(error.message, /secret|hidden/);
    return true;
  });
  assert.equal(server.requests.length, 6);
  server.misbehave((_, response) => {
    response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    return true;
  });
  await assert.rejects(cache.open({ url, checksum: 'a'.repeat(64) }), code('sourceRefused'));
});

test('a server that is down is tried again, one that refuses is not', async (context) => {
  const { server, cache } = await setUp(context);
  const body = randomBytes(1000);
  const url = server.put('/sometimes', body);
  server.misbehave((_, response) => {
    response.writeHead(503).end();
    return true;
  });
  await cache.open({ url, checksum: sha256Of(body) });
  assert.equal(server.requests.length, 2);
  await assert.rejects(cache.open({ url: `${server.origin}/none`, checksum: 'a'.repeat(64) }), code('sourceRefused'));
  assert.equal(server.requests.length, 3);
});

test('files come from allowed folders only, also when a link leads out of them', async (context) => {
  const images = await folderFor(context);
  const secret = join(await folderFor(context), 'secret');
  const { cache } = await setUp(context, { fileFolders: [images] });
  const body = randomBytes(1000);
  await writeFile(join(images, 'bios.bin'), body);
  await writeFile(secret, body);
  await symlink(secret, join(images, 'link.bin'));
  const order = (path: string) => ({ url: pathToFileURL(path).href, checksum: sha256Of(body) });
  await assert.rejects(cache.open(order(secret)), code('badSource'));
  await assert.rejects(cache.open(order(join(images, 'link.bin'))), code('badSource'));
  await assert.rejects(cache.open(order(join(images, 'none.bin'))), code('badSource'));
  await assert.rejects(cache.open({ url: 'ftp://host/x', checksum: sha256Of(body) }), code('badSource'));
  assert.deepEqual(await readFile((await cache.open(order(join(images, 'bios.bin')))).path), body);
});

async function leaveBehind(folder: string, url: string, about: { readonly body: Buffer; readonly holder: string }) {
  const { body, holder } = about;
  const key = `sha256-${sha256Of(body)}`;
  const source = createHash('sha256').update(new URL(url).href).digest('hex');
  await writeFile(join(folder, 'parts', `${key}.part`), body.subarray(0, 120_000));
  const note = { source, validator: etagOf(body), sizeBytes: body.length };
  await writeFile(join(folder, 'parts', `${key}.json`), JSON.stringify(note));
  const lock = join(folder, 'locks', key);
  await writeFile(lock, holder);
  return lock;
}

test('what a dead process has fetched is gone on with', async (context) => {
  const { folder, server, cache } = await setUp(context);
  const body = randomBytes(200_000);
  const url = server.put('/left.bin', body);
  const { pid } = spawnSync('true');
  const holder = holderName('x').replace(`.${process.pid}.`, `.${pid}.`);
  await leaveBehind(folder, url, { body, holder });
  const opened = await cache.open({ url, checksum: sha256Of(body) });
  assert.deepEqual(await readFile(opened.path), body);
  assert.equal(server.requests[0]?.range, 'bytes=120000-');
});

test('the lock of a process that is silent for too long is taken away, and what it fetched is not used', async (context) => {
  const { folder, server, cache } = await setUp(context);
  const body = randomBytes(200_000);
  const url = server.put('/frozen.bin', body);
  const lock = await leaveBehind(folder, url, { body, holder: 'another-machine.1.x' });
  const longAgo = (Date.now() - silentMs - 1000) / 1000;
  await utimes(lock, longAgo, longAgo);
  const opened = await cache.open({ url, checksum: sha256Of(body) });
  assert.deepEqual(await readFile(opened.path), body);
  assert.equal(server.requests[0]?.range, undefined);
});

test('waiting for somebody else to fetch a file ends with the signal', async (context) => {
  const { folder, server, cache } = await setUp(context);
  const body = randomBytes(1000);
  const key = `sha256-${sha256Of(body)}`;
  await writeFile(join(folder, 'locks', key), 'another-machine.1.x');
  const giveUp = new AbortController();
  const opening = cache.open({ url: server.put('/x', body), checksum: sha256Of(body), signal: giveUp.signal });
  giveUp.abort();
  await assert.rejects(opening, code('aborted'));
});

test('only so many downloads go on at once', async (context) => {
  const { server, cache } = await setUp(context, { maxParallel: 2 });
  let running = 0;
  let most = 0;
  const bodies = Array.from({ length: 6 }, () => randomBytes(100));
  const watch = (): void =>
    server.misbehave(async () => {
      watch();
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return false;
    });
  watch();
  await Promise.all(
    bodies.map((body, at) => cache.open({ url: server.put(`/${at}`, body), checksum: sha256Of(body) })),
  );
  assert.ok(most <= 2, `${most} at once`);
});

test('what an internal host that no operator named answers is in the log and in no error (security.md: egress-answers)', async (context) => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });
  const { server, open } = await setUp(context, { egress: createEgress(), maxTries: 1, logger });
  const cache = await open();
  const closed = 'http://127.0.0.1:1/x';
  const secret = server.put('/latest/meta-data', Buffer.from('root:secret'));
  const asked = [
    { url: secret, checksum: sha256Of(Buffer.from('guess')) },
    { url: secret, checksum: sha256Of(Buffer.from('guess')), sizeBytes: 3 },
    { url: `${server.origin}/none`, checksum: sha256Of(Buffer.from('guess')) },
    { url: closed, checksum: sha256Of(Buffer.from('guess')) },
  ];
  const told = new Set<string>();
  for (const order of asked) {
    await assert.rejects(cache.open(order), (error) => {
      assert.ok(isStoreError(error, 'sourceFailed'), String(error));
      assert.equal(error.cause, undefined);
      told.add(error.message.replace(/^\S+ /, ''));
      return true;
    });
  }
  assert.deepEqual(
    [...told],
    [
      'could not be fetched: its host is internal, so what it answered is in the log of this process only; name the host in --egress-hosts to have it told',
    ],
  );
  assert.match(lines.join('\n'), /404/);
  assert.match(lines.join('\n'), new RegExp(sha256Of(Buffer.from('root:secret'))));
});

for (const [what, url] of [
  ['an address', 'http://169.254.169.254/latest/meta-data'],
  ['an address written otherwise', 'http://0xa9fea9fe/latest/meta-data'],
] as const) {
  test(`nothing is asked of cloud metadata by ${what}, whoever names it (security.md: egress-one-policy)`, async (context) => {
    const { open } = await setUp(context, { egress: createEgress() });
    const cache = await open();
    await assert.rejects(cache.open({ url, checksum: sha256Of(Buffer.from('x')) }), (error) => {
      assert.ok(isStoreError(error, 'sourceRefused'), String(error));
      assert.match(error.message, /its host is none that may be connected to/);
      return true;
    });
  });
}

test('a redirect to where nothing may be fetched from is not followed (security.md: egress-lookups)', async (context) => {
  const { server, open } = await setUp(context);
  const cache = await open();
  for (const [location, message] of [
    ['http://169.254.169.254/latest/meta-data', /redirected to an internal host/],
    ['http://10.255.255.1/', /redirected to an internal host/],
  ] as const) {
    server.misbehave(async (_, response) => {
      response.writeHead(302, { location }).end();
      return true;
    });
    await assert.rejects(cache.open({ url: `${server.origin}/moved`, checksum: sha256Of(Buffer.from('x')) }), message);
  }
});
