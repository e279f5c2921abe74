import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../egress/index.ts';
import { createCertificateAuthority, issueServerCertificate } from '../../kube/index.ts';
import { isStoreError } from '../errors.ts';
import { createArtifactCache } from './artifact-cache.ts';
import { sha256Of, startFileServer } from './testing/file-server.ts';

const script = join(import.meta.dirname, 'testing/open-artifact.ts');

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function start(context: TestContext, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  return child;
}

test('several processes that want one file fetch it once', { timeout: 300_000 }, async (context) => {
  const folder = await folderFor(context);
  const server = await startFileServer(context);
  const body = randomBytes(500_000);
  const url = server.put('/shared.bin', body);
  const children = [1, 2, 3].map(() => start(context, folder, url, sha256Of(body)));
  const paths = await Promise.all(children.map(({ stdout }) => (stdout === null ? '' : text(stdout))));
  assert.equal(new Set(paths).size, 1, paths.join());
  assert.deepEqual(await readFile(paths[0] ?? ''), body);
  assert.equal(server.requests.length, 1);
});

test('what a process fetched before it was killed is gone on with by the next', {
  timeout: 300_000,
}, async (context) => {
  const folder = await folderFor(context);
  const server = await startFileServer(context);
  const body = randomBytes(500_000);
  const url = server.put('/killed.bin', body);
  const dead = Promise.withResolvers<void>();
  server.misbehave(async (_, response) => {
    response.writeHead(200, { etag: `"${sha256Of(body).slice(0, 16)}"`, 'content-length': body.length });
    response.write(body.subarray(0, 200_000));
    await dead.promise;
    response.destroy();
    return true;
  });
  const child = start(context, folder, url, sha256Of(body));
  // It says a dot for every piece that it has.
  await once(child.stderr ?? child, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  dead.resolve();
  const cache = await createArtifactCache({ folder, maxBytes: 10_000_000 });
  context.after(() => cache.close());
  const opened = await cache.open({ url, checksum: sha256Of(body) });
  assert.deepEqual(await readFile(opened.path), body);
  assert.match(server.requests[1]?.range ?? '', /^bytes=[1-9]\d*-$/);
});

for (const [what, blocks] of [
  ['takes only a part of', 150],
  ['takes nothing of', 0],
] as const) {
  test(`what the disk ${what} is no file, however right what was sent is`, { timeout: 300_000 }, async (context) => {
    const folder = await folderFor(context);
    const server = await startFileServer(context);
    const body = randomBytes(100_000);
    const url = server.put('/short.bin', body);
    // Writing past this limit takes what still fits and says how much that was, as a disk does that gets full.
    const begin = ['-c', `ulimit -f ${blocks} && exec "$@"`, 'sh', process.execPath, script];
    const child = spawn('/bin/sh', [...begin, folder, url, sha256Of(body)], { stdio: ['ignore', 'pipe', 'pipe'] });
    context.after(() => child.kill('SIGKILL'));
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal(said, '');
    assert.match(complaint, /short\.bin cannot be written down \(EFBIG\)/);
    assert.deepEqual(await readdir(join(folder, 'objects')), []);
    assert.deepEqual(await readdir(join(folder, 'locks')), []);
    const cache = await createArtifactCache({ folder, maxBytes: 10_000_000 });
    context.after(() => cache.close());
    assert.deepEqual(await readFile((await cache.open({ url, checksum: sha256Of(body) })).path), body);
  });
}

test('a source whose certificate is not trusted is refused, and trusted with its authority', async (context) => {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'images', now });
  const { certificatePem: cert, privateKeyPem: key } = await issueServerCertificate(authority, {
    ips: ['127.0.0.1'],
    now,
  });
  const body = randomBytes(1000);
  const server = createServer({ cert, key }, (_, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const order = { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/x`, checksum: sha256Of(body) };
  const folder = await folderFor(context);
  const egress = createEgress({ hosts: ['127.0.0.1'] });
  const shared = { folder, maxBytes: 10_000, maxTries: 1, egress };
  const strict = await createArtifactCache(shared);
  const trusting = await createArtifactCache({ ...shared, caPem: authority.certificatePem });
  context.after(() => Promise.all([strict.close(), trusting.close()]));
  await assert.rejects(
    strict.open(order),
    (error) => isStoreError(error, 'sourceRefused') && /certificate/.test(error.message),
  );
  assert.equal((await trusting.open(order)).sizeBytes, 1000);
});
