import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

const login = basic(fakeLogin);
const image = Buffer.alloc(3_000_000, 'firmware');
const digest = createHash('sha256').update(image).digest('hex');
const boundary = '------------------------d74496d66958873e';
const formHeaders = { ...login, 'content-type': `multipart/form-data; boundary=${boundary}` };

async function start(context: TestContext, order: Parameters<typeof createFakeMachine>[0] = {}) {
  const fake = createFakeMachine(order);
  const tree = createFakeRoutes();
  const { urls, bugs } = await serve(context, [fake.machine], { routes: tree.routes });
  return { ...tree, fake, bugs, url: `${urls[0]}/redfish/v1/UpdateService/upload` };
}

function form(parts: { parameters?: string; file?: Buffer; isCut?: boolean; parameterHeader?: string }): Buffer {
  const pieces: (string | Buffer)[] = [];
  if (parts.parameters !== undefined) {
    const header = parts.parameterHeader ?? 'Content-Disposition: form-data; name="UpdateParameters"';
    pieces.push(`--${boundary}\r\n${header}\r\nContent-Type: application/json\r\n\r\n${parts.parameters}\r\n`);
  }
  if (parts.file !== undefined) {
    const header = 'Content-Disposition: form-data; name="UpdateFile"; filename="bios.bin"';
    pieces.push(`--${boundary}\r\n${header}\r\nContent-Type: application/octet-stream\r\n\r\n`, parts.file, '\r\n');
  }
  if (parts.isCut !== true) pieces.push(`--${boundary}--\r\n`);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

test('a raw upload is known by its size, its digest and its head', async (t) => {
  const { url, posted } = await start(t);
  const headers = { ...login, 'content-type': 'application/octet-stream' };
  const answer = await ask(url, { method: 'POST', headers, body: image });
  assert.equal(answer.status, 202);
  const upload = posted[0]?.upload;
  assert.deepEqual([upload?.sizeBytes, upload?.sha256], [image.length, digest]);
  assert.deepEqual(Buffer.from(upload?.head ?? []), image.subarray(0, 4096));
});

test('a multipart upload brings parameters and a named file', async (t) => {
  const { url, posted } = await start(t);
  const parameters = '{"Targets":["/redfish/v1/Systems/1/Bios"],"@Redfish.OperationApplyTime":"OnReset"}';
  for (const parameterHeader of [
    'Content-Disposition: form-data; name="UpdateParameters"',
    'Content-Disposition: form-data; name="UpdateParameters"; filename="parameters.json"',
  ]) {
    const body = form({ parameters, file: image, parameterHeader });
    assert.equal((await ask(url, { method: 'POST', headers: formHeaders, body })).status, 202);
    const seen = posted.pop();
    assert.deepEqual(seen?.body, JSON.parse(parameters));
    const { filename, sizeBytes, sha256, head } = seen?.upload ?? {};
    assert.deepEqual([filename, sizeBytes, sha256, head?.length], ['bios.bin', image.length, digest, 4096]);
  }
});

test('a form without a file goes to the route, one with bad parameters or a missing end does not', async (t) => {
  const { url, posted } = await start(t);
  const send = async (body: Buffer) => (await ask(url, { method: 'POST', headers: formHeaders, body })).status;
  assert.equal(await send(form({ parameters: '{}' })), 202);
  assert.equal(posted.pop()?.upload, undefined);
  assert.equal(await send(form({ parameters: '{"Targets":', file: image })), 400);
  assert.equal(await send(form({ parameters: '{}', file: image, isCut: true })), 400);
  const headers = { ...login, 'content-type': 'multipart/form-data' };
  assert.equal((await ask(url, { method: 'POST', headers, body: form({ file: image }) })).status, 400);
  assert.equal(posted.length, 0);
});

test('an upload whose sender dies in the middle does nothing', async (t) => {
  const { url, posted, fake, bugs } = await start(t);
  const { port, pathname } = new URL(url);
  for (const type of ['application/octet-stream', formHeaders['content-type']]) {
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${login.authorization}\r\nContent-Type: ${type}\r\n`;
    socket.write(`${head}Content-Length: ${image.length}\r\n\r\n`);
    socket.write(form({ parameters: '{}', file: image, isCut: true }).subarray(0, 100_000));
    const logged = new Promise<void>((resolve) => {
      fake.machine.log.add = (event, detail) => {
        fake.lines.push(`${event} ${detail}`);
        resolve();
      };
    });
    socket.end();
    await logged;
    socket.destroy();
  }
  assert.deepEqual(fake.lines, [`request POST ${pathname} gone`, `request POST ${pathname} gone`]);
  assert.deepEqual([posted.length, bugs.length], [0, 0]);
});

test('Dell refuses an upload in chunks, others take it', async (t) => {
  for (const [doesRefuseChunked, status] of [
    [true, 411],
    [false, 202],
  ] as const) {
    const { url } = await start(t, { service: { doesRefuseChunked } });
    const outgoing = request(url, { method: 'POST', headers: login });
    outgoing.write(image.subarray(0, 10));
    outgoing.end(image.subarray(10));
    const [response] = await once(outgoing, 'response');
    response.resume();
    assert.equal(response.statusCode, status);
  }
});

test('what is too large is refused by its length, before it is sent by a client that waits for leave', async (t) => {
  const { url, posted } = await start(t, { maxImageSizeBytes: 1_000_000 });
  const headers = { ...login, expect: '100-continue', 'content-length': String(image.length) };
  const outgoing = request(url, { method: 'POST', headers });
  let isAllowed = false;
  outgoing.on('continue', () => {
    isAllowed = true;
  });
  outgoing.flushHeaders();
  const [response] = await once(outgoing, 'response');
  assert.deepEqual([response.statusCode, isAllowed], [413, false]);
  outgoing.destroy();
  assert.equal(posted.length, 0);
});

test('what is too large is refused to clients that just send, too, in every form', async (t) => {
  const { url, posted } = await start(t, { maxImageSizeBytes: 1_000_000 });
  const raw = await ask(url, { method: 'POST', headers: login, body: image });
  assert.equal(raw.status, 413);
  const body = form({ parameters: '{}', file: image });
  assert.equal((await ask(url, { method: 'POST', headers: formHeaders, body })).status, 413);
  const chunked = { ...formHeaders, 'transfer-encoding': 'chunked' };
  assert.equal((await ask(url, { method: 'POST', headers: chunked, body })).status, 413);
  const exact = await ask(url, {
    method: 'POST',
    headers: formHeaders,
    body: form({ file: image.subarray(0, 1_000_000) }),
  });
  assert.equal(exact.status, 202);
  assert.equal(posted.length, 1);
});

test('a client that waits for leave gets it when its upload is welcome', async (t) => {
  const { url, posted } = await start(t);
  const headers = { ...login, expect: '100-continue', 'content-length': String(image.length) };
  const outgoing = request(url, { method: 'POST', headers });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.end(image);
  const [response] = await once(outgoing, 'response');
  response.resume();
  assert.equal(response.statusCode, 202);
  assert.equal(posted[0]?.upload?.sha256, digest);
});
