import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createCertificateAuthority, createFakeClock, issueServerCertificate } from '../../kube/index.ts';
import type { HttpRequest } from './exchange.ts';
import { HttpFailure, type HttpFailureKind } from './http-failure.ts';
import { quietHost, type SmallBmc, startSmallBmc } from './testing/small-bmc.ts';
import { createTransport, type Transport } from './transport.ts';
import { createTrustStore, type Trust } from './trust.ts';

const now = new Date();
const trustStore = createTrustStore();

interface Way {
  readonly transport: Transport;
  readonly clock: ReturnType<typeof createFakeClock>;
}

function openWay(t: TestContext, to: { port: number; host?: string; trust?: Trust }): Way {
  const clock = createFakeClock();
  const transport = createTransport({
    host: to.host ?? '127.0.0.1',
    port: to.port,
    isTls: to.trust !== undefined,
    trust: to.trust ?? { kind: 'system', allowsHttp: true },
    trustStore,
    clock,
    connectMs: 10_000,
    keepAliveMs: 2_000,
    maxAnswerBytes: 100_000,
    streamIdleMs: 60_000,
  });
  t.after(() => transport.close());
  return { transport, clock };
}

async function openBmc(t: TestContext, options: Parameters<typeof startSmallBmc>[0] = {}): Promise<SmallBmc> {
  const bmc = await startSmallBmc(options);
  t.after(() => bmc.close());
  return bmc;
}

/** A server that does with each connection what the test says, and nothing else. */
async function openRaw(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as { port: number }).port;
}

const get = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  path: '/redfish/v1/',
  headers: [],
  deadlineMs: 1000,
  ...more,
});

const fails =
  (kind: HttpFailureKind, hasBegun: boolean, detail = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof HttpFailure, String(error));
    assert.deepEqual({ kind: error.kind, hasBegun: error.hasBegun }, { kind, hasBegun });
    assert.match(error.detail, detail);
    return true;
  };

async function certify(ips: readonly string[]) {
  const authority = await createCertificateAuthority({ commonName: 'test', now });
  const issued = await issueServerCertificate(authority, { now, ips, commonName: 'bmc' });
  return { authority, tls: { cert: issued.certificatePem, key: issued.privateKeyPem } };
}

const fingerprintIn = (error: unknown): string => /SHA-256 ([0-9A-F:]+)/.exec((error as HttpFailure).detail)?.[1] ?? '';

test('a certificate of the given authority for the IP address is trusted (security.md: bmc-certificates)', async (t) => {
  const { authority, tls } = await certify(['127.0.0.1']);
  const bmc = await openBmc(t, { tls });
  const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'ca', caPem: authority.certificatePem } });
  assert.equal((await transport.send(get())).status, 200);
});

test('a certificate for another address is not trusted, and nothing is sent (security.md: bmc-certificates)', async (t) => {
  const { authority, tls } = await certify(['10.0.0.1']);
  const bmc = await openBmc(t, { tls });
  const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'ca', caPem: authority.certificatePem } });
  await assert.rejects(transport.send(get()), fails('certificate', false, /ALTNAME.*SHA-256 [0-9A-F:]{95}/));
  assert.deepEqual(bmc.seen, []);
});

test('a certificate of another authority is not trusted by the system', async (t) => {
  const { tls } = await certify(['127.0.0.1']);
  const bmc = await openBmc(t, { tls });
  const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'system', allowsHttp: true } });
  await assert.rejects(transport.send(get()), fails('certificate', false));
  assert.deepEqual(bmc.seen, []);
});

test('a pinned certificate is trusted by its fingerprint on every connection, and no other (security.md: bmc-certificates)', async (t) => {
  const { tls } = await certify(['10.0.0.1']);
  const other = await certify(['10.0.0.1']);
  const bmc = await openBmc(t, { tls, host: quietHost });
  const place = { host: quietHost, port: bmc.port };
  const wrong = openWay(t, { ...place, trust: { kind: 'fingerprint', sha256: 'ab'.repeat(32) } });
  const refusal = await wrong.transport.send(get()).catch((error: unknown) => error);
  fails('certificate', false, /not the pinned one/)(refusal);
  assert.deepEqual(bmc.seen, []);

  const seen = fingerprintIn(refusal);
  for (const sha256 of [seen, seen.replaceAll(':', '').toLowerCase(), `SHA256:${seen}`]) {
    const { transport } = openWay(t, { ...place, trust: { kind: 'fingerprint', sha256 } });
    assert.equal((await transport.send(get())).status, 200);
  }

  // The same client comes back to an impostor on the same port: a resumed TLS session must not let it pass.
  const { transport, clock } = openWay(t, { ...place, trust: { kind: 'fingerprint', sha256: seen } });
  assert.equal((await transport.send(get())).status, 200);
  await bmc.close();
  clock.advance(300);
  const impostor = await openBmc(t, { tls: other.tls, ...place });
  const request = get({ method: 'POST', path: '/x', body: '{}' });
  await assert.rejects(transport.send(request), fails('certificate', false, /not the pinned one/));
  assert.deepEqual(impostor.seen, []);
});

test('a session of a connection that was refused is never resumed', async (t) => {
  const { authority, tls } = await certify(['10.0.0.1']);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const bmc = await openBmc(t, { tls: { ...tls, maxVersion } });
    const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'ca', caPem: authority.certificatePem } });
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(transport.send(get()), fails('certificate', false, /ALTNAME/), maxVersion);
    }
    assert.deepEqual(bmc.seen, [], maxVersion);
  }
});

test('a session of an accepted connection is resumed with TLS 1.3 and a CA, and never before or where a certificate is pinned', async (t) => {
  const { authority, tls } = await certify(['127.0.0.1']);
  const sha256 = new X509Certificate(tls.cert).fingerprint256;
  for (const [maxVersion, trust, isResumed] of [
    ['TLSv1.3', { kind: 'ca', caPem: authority.certificatePem }, true],
    ['TLSv1.2', { kind: 'ca', caPem: authority.certificatePem }, false],
    ['TLSv1.3', { kind: 'fingerprint', sha256 }, false],
    ['TLSv1.2', { kind: 'fingerprint', sha256 }, false],
  ] as const) {
    const bmc = await openBmc(t, { tls: { ...tls, maxVersion } });
    const reused: boolean[] = [];
    bmc.on('GET /redfish/v1/', (_, response) => {
      reused.push((response.socket as TLSSocket).isSessionReused());
      return { headers: { connection: 'close' } };
    });
    const { transport } = openWay(t, { port: bmc.port, trust });
    for (let round = 0; round < 3; round += 1) assert.equal((await transport.send(get())).status, 200);
    // OpenSSL gives no new ticket with a session that it resumes: the first one serves all.
    assert.deepEqual(reused, [false, isResumed, isResumed], `${maxVersion} ${trust.kind}`);
  }
});

test('skipping verification works when it is said', async (t) => {
  const { tls } = await certify(['10.0.0.1']);
  const bmc = await openBmc(t, { tls });
  const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'insecure' } });
  assert.equal((await transport.send(get())).status, 200);
});

test('an IPv6 address is reached, with a zone too', async (t) => {
  const bmc = await openBmc(t, { host: '::1' });
  for (const host of ['::1', '::1%lo']) {
    const { transport } = openWay(t, { port: bmc.port, host });
    assert.equal((await transport.send(get())).status, 200);
  }
  assert.equal(bmc.seen.at(-1)?.headers.host, `[::1]:${bmc.port}`);
});

test('a refused connection has certainly not sent anything', async (t) => {
  const bmc = await startSmallBmc({ host: quietHost });
  await bmc.close();
  const { transport } = openWay(t, { host: quietHost, port: bmc.port });
  await assert.rejects(transport.send(get()), fails('unreachable', false, /ECONNREFUSED/));
});

test('plain HTTP on a TLS port, and TLS on a plain port, are unreachable', async (t) => {
  const bmc = await openBmc(t);
  const { transport } = openWay(t, { port: bmc.port, trust: { kind: 'insecure' } });
  await assert.rejects(transport.send(get()), fails('unreachable', false));
});

test('a BMC that never answers is given up at the deadline', async (t) => {
  let heard = (): void => {};
  const hears = new Promise<void>((resolve) => (heard = resolve));
  const port = await openRaw(t, (socket) => socket.once('data', heard));
  const { transport, clock } = openWay(t, { port });
  const answer = transport.send(get({ method: 'POST', body: '{}' }));
  await hears;
  clock.advance(999);
  assert.equal(clock.pending, 1);
  clock.advance(1);
  await assert.rejects(answer, fails('timeout', true, /1000 ms/));
});

test('a handshake that never ends is given up at the deadline, with nothing sent', async (t) => {
  let heard = (): void => {};
  const hears = new Promise<void>((resolve) => (heard = resolve));
  const port = await openRaw(t, (socket) => socket.once('data', heard));
  const { transport, clock } = openWay(t, { port, trust: { kind: 'insecure' } });
  const answer = transport.send(get());
  await hears;
  clock.advance(1000);
  await assert.rejects(answer, fails('unreachable', false, /no connection within 1000 ms/));
});

test('a connection that ends before its answer is a reset', async (t) => {
  for (const sent of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":', 'HTTP/1.1 200 OK\r\nContent-L']) {
    const port = await openRaw(t, (socket) => socket.once('data', () => socket.end(sent)));
    const { transport } = openWay(t, { port });
    await assert.rejects(transport.send(get()), fails('reset', true));
  }
});

test('what is not HTTP, or too large, is malformed (security.md: bmc-answers)', async (t) => {
  const large = `HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`;
  const headers = `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(70_000)}\r\n\r\n`;
  for (const sent of ['SSH-2.0-dropbear\r\n', large, headers]) {
    const port = await openRaw(t, (socket) => socket.once('data', () => socket.end(sent)));
    const { transport } = openWay(t, { port });
    await assert.rejects(transport.send(get()), fails('malformed', true));
  }
});

test('a caller that gives up is let go at once', async (t) => {
  let heard = (): void => {};
  const hears = new Promise<void>((resolve) => (heard = resolve));
  const port = await openRaw(t, (socket) => socket.once('data', heard));
  const { transport, clock } = openWay(t, { port });
  const abort = new AbortController();
  const answer = transport.send(get({ signal: abort.signal }));
  await hears;
  abort.abort();
  await assert.rejects(answer, fails('cancelled', true));
  assert.equal(clock.pending, 0);
  await assert.rejects(transport.send(get({ signal: abort.signal })), fails('cancelled', false));
});

test('an upload says its length, and lasts as long as it makes progress', async (t) => {
  const bmc = await openBmc(t);
  bmc.on('POST /upload', () => 202);
  const { transport, clock } = openWay(t, { port: bmc.port });
  async function* slowly() {
    for (let i = 0; i < 5; i += 1) {
      clock.advance(900);
      yield Buffer.from('0123456789');
    }
  }
  const answer = await transport.send(
    get({ method: 'POST', path: '/upload', body: Readable.from(slowly()), lengthBytes: 50 }),
  );
  assert.equal(answer.status, 202);
  assert.equal(bmc.seen[0]?.headers['content-length'], '50');
  assert.equal(bmc.seen[0]?.headers['transfer-encoding'], undefined);
  assert.equal(bmc.seen[0]?.body.length, 50);
});

test('an upload that stands still is given up', async (t) => {
  let heard = (): void => {};
  const hears = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const port = await openRaw(t, (socket) =>
    socket.once('data', () => {
      socket.pause();
      heard();
    }),
  );
  const { transport, clock } = openWay(t, { port });
  const body = new Readable({ read() {} });
  body.push(Buffer.alloc(1000));
  const answer = transport.send(get({ method: 'POST', path: '/upload', body, lengthBytes: 10_000_000 }));
  await hears;
  clock.advance(1000);
  await assert.rejects(answer, fails('timeout', true));
  assert.ok(body.destroyed);
});

test('a body that breaks off or is shorter than said is our own fault', async (t) => {
  const bmc = await openBmc(t);
  const { transport } = openWay(t, { port: bmc.port });
  const broken = new Readable({
    read() {
      this.destroy(new Error('disk on fire'));
    },
  });
  await assert.rejects(
    transport.send(get({ method: 'POST', path: '/upload', body: broken, lengthBytes: 50 })),
    (error) => error instanceof HttpFailure && error.kind === 'body' && error.detail === 'disk on fire',
  );
  await assert.rejects(
    transport.send(get({ method: 'POST', path: '/upload', body: Readable.from([Buffer.alloc(3)]), lengthBytes: 50 })),
    (error) => error instanceof HttpFailure && error.kind === 'body',
  );
  assert.deepEqual(bmc.seen, []);
});

test('a header that HTTP does not know is a mistake of ours and leaves no timer behind', async (t) => {
  const bmc = await openBmc(t);
  const { transport, clock } = openWay(t, { port: bmc.port });
  await assert.rejects(transport.send(get({ headers: ['x', 'a\r\nb'] })), /invalid x header/);
  assert.equal(clock.pending, 0);
  assert.equal((await transport.send(get())).status, 200);
});

test('repeated headers are joined', async (t) => {
  const port = await openRaw(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nAllow: GET\r\nAllow: PATCH\r\nContent-Length: 0\r\n\r\n')),
  );
  const { transport } = openWay(t, { port });
  assert.equal((await transport.send(get())).headers.allow, 'GET, PATCH');
});

test('what must not be sent twice does not go out on a connection that idled', async (t) => {
  const bmc = await openBmc(t);
  const { transport, clock } = openWay(t, { port: bmc.port });
  await transport.send(get());
  await transport.send(get({ method: 'POST', path: '/x', body: '{}' }));
  assert.equal(bmc.connected, 1);
  clock.advance(300);
  await transport.send(get());
  assert.equal(bmc.connected, 1);
  clock.advance(300);
  await transport.send(get({ method: 'POST', path: '/x', body: '{}' }));
  assert.equal(bmc.connected, 2);
});

test('what waited too long for its connection is not sent', async (t) => {
  const bmc = await openBmc(t);
  const { transport, clock } = openWay(t, { port: bmc.port });
  clock.advance(10);
  await assert.rejects(transport.send(get({ startBeforeMs: 5 })), fails('stale', false));
  assert.deepEqual(bmc.seen, []);
  assert.equal((await transport.send(get({ startBeforeMs: 10 }))).status, 200);
});

test('a stream that brings nothing is ended when its idle time is over, and one that brings something is not', async (t) => {
  const bmc = await openBmc(t);
  let send: (text: string) => void = () => {};
  bmc.on('GET /sse', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    send = (text) => void response.write(text);
    return 'handled';
  });
  const { transport, clock } = openWay(t, { port: bmc.port });
  const { body } = await transport.stream(get({ path: '/sse' }));
  for (let round = 0; round < 3; round += 1) {
    clock.advance(50_000);
    const readable = once(body, 'data');
    send(': still here\n');
    await readable;
  }
  assert.equal(body.destroyed, false);
  const ended = once(body, 'error');
  clock.advance(60_000);
  const [error] = await ended;
  fails('timeout', true, /nothing came within 60000 ms/)(error);
  assert.equal(body.destroyed, true);
});
