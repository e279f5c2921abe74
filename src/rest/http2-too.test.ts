import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createCertificateAuthority, issueServerCertificate } from '../kube/index.ts';
import type { RestTimeouts } from './server.ts';
import { startedRest } from './testing/started-rest.ts';

const below = '/calls.v1/';

const handle: RequestListener = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(`${request.httpVersion} ${request.url} ${Buffer.concat(parts)}`);
  });
};

async function opened(t: TestContext, isTls: boolean, timeouts: Partial<RestTimeouts> = {}) {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'test', now });
  const certificate = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
  const started = await startedRest(t, [], { calls: { below, handle }, timeouts, ...(isTls ? { certificate } : {}) });
  const session = connect(started.url, { ca: authority.certificatePem });
  t.after(() => session.destroy());
  return { ...started, session };
}

async function ask(session: ClientHttp2Session, path: string, body?: string) {
  const stream = session.request({ ':path': path, ':method': body === undefined ? 'GET' : 'POST' });
  stream.end(body);
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const [[headers]] = await Promise.all([once(stream, 'response'), once(stream, 'end')]);
  return { status: Number((headers as Record<string, unknown>)[':status']), text };
}

for (const isTls of [true, false]) {
  const how = isTls ? 'over TLS' : 'in clear text';
  test(`calls and routes are answered over HTTP/2 ${how}`, async (t) => {
    const { session } = await opened(t, isTls);
    assert.deepEqual(await ask(session, `${below}Do`, 'body'), { status: 200, text: `2.0 ${below}Do body` });
    assert.equal((await ask(session, '/livez')).status, 200);
    const missing = await ask(session, '/no-such-path');
    assert.equal(missing.status, 404);
    assert.match(missing.text, /no-such-path/);
  });
}

test('calls are answered over HTTP/1.1, whatever their body is', async (t) => {
  const { url } = await opened(t, false);
  const answer = await fetch(`${url}${below}Do`, { method: 'POST', body: 'raw', headers: { 'content-type': 'x/y' } });
  assert.equal(await answer.text(), `1.1 ${below}Do raw`);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
});

test('a first word in pieces is understood, and closing ends connections of HTTP/2', async (t) => {
  const { rest, url, session } = await opened(t, false);
  await ask(session, '/livez');
  const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  for (const piece of [
    'P',
    'OST ',
    `${below}Do HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  ]) {
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
  const [text] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
  assert.match(text, /^HTTP\/1\.1 200 OK/);
  const closed = once(session, 'close');
  await rest.close();
  await closed;
});

for (const isTls of [true, false]) {
  const how = isTls ? 'over TLS' : 'in clear text';
  test(`a connection of HTTP/2 ${how} without requests is ended, one that was used as well`, async (t) => {
    const { url, session } = await opened(t, isTls, { idleMs: 50 });
    const unused = connect(url, { rejectUnauthorized: false });
    t.after(() => unused.destroy());
    await ask(session, '/livez');
    await Promise.all([once(session, 'close'), once(unused, 'close')]);
  });

  test(`a request of HTTP/2 ${how} that does not come to its end is given up`, async (t) => {
    const { session } = await opened(t, isTls, { requestMs: 50 });
    const stream = session.request({ ':path': `${below}Do`, ':method': 'POST' });
    stream.on('error', () => {});
    stream.write('a beginning');
    await once(stream, 'close');
    assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
    assert.equal((await ask(session, `${below}Do`, 'all of it')).status, 200);
  });
}

test('a client of HTTP/2 that does not take its answer is given up, and a call may be silent for long', async (t) => {
  const { session } = await opened(t, false, { idleMs: 50 });
  // From the beginning, so that the connection is never without a request.
  const waiting = session.request({ ':path': `${below}Do`, ':method': 'POST' });
  session.settings({ initialWindowSize: 0 });
  await once(session, 'localSettings');
  waiting.end('call');
  const stuck = session.request({ ':path': '/openapi.json' });
  await once(stuck, 'close');
  assert.equal(stuck.rstCode, constants.NGHTTP2_CANCEL);
  assert.deepEqual([waiting.closed, waiting.rstCode], [false, 0]);
});

test('a client gets so many streams and no more', async (t) => {
  const { session } = await opened(t, false);
  await ask(session, '/livez');
  assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
});

test('closing does not wait for connections that say nothing, or come back at once', async (t) => {
  const { rest, url, session } = await opened(t, false);
  await ask(session, '/livez');
  const port = Number(new URL(url).port);
  const silent = connectTcp(port, '127.0.0.1');
  await once(silent, 'connect');
  silent.resume();
  const back: ClientHttp2Session[] = [];
  session.once('close', () => {
    const again = connect(url);
    again.on('error', () => {});
    back.push(again);
  });
  // The server has seen the silent one when it has answered somebody who came later.
  await fetch(`${url}/livez`);
  await Promise.all([rest.close(), once(silent, 'close')]);
  for (const each of back) each.destroy();
});
