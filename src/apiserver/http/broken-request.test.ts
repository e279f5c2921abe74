import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect as open, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueServerCertificate } from '../../kube/index.ts';
import { readBody } from './body.ts';
import { answerBrokenRequests } from './broken-request.ts';

const authority = await createCertificateAuthority({ commonName: 'test', now: new Date() });
const issued = await issueServerCertificate(authority, {
  now: new Date(),
  commonName: 'localhost',
  dns: ['localhost'],
  ips: ['127.0.0.1'],
});

/** A server that waits for requests so long, and what it could not read to its end. */
async function startServer(
  t: TestContext,
  { patienceMs }: { readonly patienceMs: number },
): Promise<{ open(): Promise<TLSSocket>; truncated: () => number }> {
  let truncated = 0;
  const options = {
    key: issued.privateKeyPem,
    cert: issued.certificatePem,
    requestTimeout: patienceMs,
    headersTimeout: patienceMs,
    connectionsCheckingInterval: 20,
  };
  const server: Server = createServer(options, (request, response) => {
    readBody(request).then(
      (body) => response.end(body),
      () => {
        truncated += 1;
      },
    );
  });
  answerBrokenRequests(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.certificatePem });
    await once(socket, 'secureConnect');
    return socket.on('error', () => undefined);
  };
  return { open, truncated: () => truncated };
}

/** A server for which every handshake takes too long, and a connection that it has found out about. */
async function lateConnection(t: TestContext, grace: { readonly ms: number }): Promise<Socket> {
  const options = { key: issued.privateKeyPem, cert: issued.certificatePem, handshakeTimeout: 1 };
  const server = createServer(options, (_, response) => response.end('as asked'));
  answerBrokenRequests(server, grace);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const found = once(server, 'tlsClientError');
  const socket = open((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  const [error] = await found;
  assert.equal((error as NodeJS.ErrnoException).code, 'ERR_TLS_HANDSHAKE_TIMEOUT');
  return socket;
}

test('a handshake that is late after the machine stood still is no broken request', async (t) => {
  const socket = connect({ socket: await lateConnection(t, { ms: 600_000 }), ca: authority.certificatePem });
  await once(socket, 'secureConnect');
  const answer = everythingFrom(socket);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  assert.match(await answer, /^HTTP\/1\.1 200 .*as asked/s);
});

test('whoever does not even then begin is cut off without a word', { timeout: 120_000 }, async (t) => {
  const socket = await lateConnection(t, { ms: 1 });
  let heard = 0;
  socket.on('data', (chunk) => {
    heard += chunk.length;
  });
  await once(socket, 'close');
  assert.equal(heard, 0);
});

async function everythingFrom(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

test('a connection without a whole request is closed without an answer', { timeout: 120_000 }, async (t) => {
  const { open } = await startServer(t, { patienceMs: 200 });
  for (const start of ['', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow']) {
    const socket = await open();
    const answer = everythingFrom(socket);
    socket.write(start);
    assert.equal(await answer, '');
  }
});

test('a request whose body does not come is answered when time is up', { timeout: 120_000 }, async (t) => {
  const { open } = await startServer(t, { patienceMs: 200 });
  let text = '';
  // On a machine that stands still for a moment not even the headers are there in time.
  while (text === '') {
    const socket = await open();
    const answer = everythingFrom(socket);
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n');
    text = await answer;
  }
  assert.match(text, /^HTTP\/1\.1 504 /);
});

test('a client that drips its body is cut off, and its request given up', { timeout: 120_000 }, async (t) => {
  const { open, truncated } = await startServer(t, { patienceMs: 200 });
  // On a machine that stands still for a moment not even the headers are there in time.
  while (truncated() === 0) {
    const socket = await open();
    const answer = everythingFrom(socket);
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 20);
    await answer;
    clearInterval(drip);
  }
});

test('rubbish after rubbish is answered once', { timeout: 120_000 }, async (t) => {
  const { open } = await startServer(t, { patienceMs: 600_000 });
  const socket = await open();
  const answer = everythingFrom(socket);
  for (let n = 0; n < 50; n++) socket.write(`rubbish ${n}\r\n\r\n`);
  assert.deepEqual((await answer).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400']);
});

test('a large refused body does not reset the connection before its answer is read', {
  timeout: 120_000,
}, async (t) => {
  const { open } = await startServer(t, { patienceMs: 600_000 });
  const socket = await open();
  const answer = everythingFrom(socket);
  socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(4 << 20)}\r\n\r\n`);
  assert.match(await answer, /^HTTP\/1\.1 431 /);
});
