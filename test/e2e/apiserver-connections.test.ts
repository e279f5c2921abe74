import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type ApiClient, objectIn } from './apiserver-client.ts';
import { type ServerUnderTest, startServerUnderTest, widget, widgetPath } from './apiserver-fixture.ts';

const counts = { connections: 30, connectionsPerAddress: 20 };
const impatience = { handshakeMs: 300, headersMs: 300, requestMs: 600, checkMs: 50 };
let under: ServerUnderTest;

before(async () => {
  under = await startServerUnderTest({ connection: { ...counts, ...impatience } });
});

after(() => under.stop());

/** A server that cuts nobody off who is only slow, such as this process on a busy machine. */
async function startPatient(t: TestContext): Promise<ApiClient> {
  const patient = await startServerUnderTest({ connection: counts });
  t.after(() => patient.stop());
  return patient.client;
}

/** A bare TCP connection from an address of this machine. */
async function tcp(localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(under.server.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress }).on('error', () => undefined);
  await once(socket, 'connect');
  return socket.resume();
}

async function rejected(client: ApiClient, reason: string): Promise<number> {
  const { text } = await client.request('GET', '/metrics');
  return Number(new RegExp(`rejected_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close');
}

test('a client that never shakes hands, or never asks for anything, is cut off; a watch goes on', async () => {
  const { client } = under;
  const created = objectIn(await client.request('POST', widgetPath(), { body: widget('x') }));
  const watch = await client.watch(`${widgetPath()}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
  const dripping = await client.connect();
  const drip = dripHeaders(dripping);
  const [silent, idle] = [await tcp('127.0.0.1'), await client.connect()];
  let heard = 0;
  idle
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      heard += chunk.length;
    });
  await Promise.all([closed(silent), closed(idle), closed(dripping)]);
  assert.equal(heard, 0, 'a client that dials ahead would take it for the answer to its next request');
  clearInterval(drip);
  // All of that took longer than any request may take; the watch has long been received.
  const slow = await client.connect();
  slow.on('error', () => undefined).resume();
  slow.write(client.head(`POST ${widgetPath()} HTTP/1.1`, ['Content-Length: 1000']));
  await closed(slow);
  await client.request('DELETE', widgetPath('x'));
  assert.equal((await watch.next())?.type, 'DELETED');
  watch.close();
  assert.deepEqual(under.faults, []);
});

test('a connection on which nothing was asked is closed without a word', async () => {
  // A Go client dials ahead, and would take whatever comes for the answer to its next request.
  assert.equal(await everythingFrom(await under.client.connect()), '');
});

async function everythingFrom(socket: TLSSocket): Promise<string> {
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
  await closed(socket);
  return text;
}

function dripHeaders(socket: TLSSocket): NodeJS.Timeout {
  socket.on('error', () => undefined).resume();
  socket.write('GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  return setInterval(() => socket.write('x'), 20);
}

test('connections that ask nothing keep nobody of their address out, and a watch keeps its own', async (t) => {
  const client = await startPatient(t);
  const created = objectIn(await client.request('POST', widgetPath(), { body: widget('kept') }));
  const watch = await client.watch(`${widgetPath()}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
  const idle: TLSSocket[] = [];
  for (let n = 0; n < 30; n++) {
    const socket = await client.connect();
    idle.push(socket.on('error', () => undefined).resume());
  }
  await Promise.all(idle.slice(0, 10).map(closed));
  assert.equal((await client.request('GET', widgetPath('kept'))).code, 200);
  await client.request('DELETE', widgetPath('kept'));
  assert.equal((await watch.next())?.type, 'DELETED');
  watch.close();
  for (const socket of idle) socket.destroy();
});

test('one address may have only so many connections, and another still gets in', async () => {
  const { client } = under;
  // The administrator's own connection is one of them.
  const open = await Promise.all(Array.from({ length: 25 }, () => tcp('127.0.0.1')));
  await Promise.all(open.map(closed)); // past the limit at once, the others when they have not shaken hands
  assert.ok((await rejected(client, 'connections-per-address')) >= 5);
  const full = await Promise.all(
    ['127.0.0.2', '127.0.0.3'].flatMap((address) => Array.from({ length: 20 }, () => tcp(address))),
  );
  await Promise.all(full.map(closed));
  assert.ok((await rejected(client, 'connections')) >= 10);
  assert.equal((await client.request('GET', '/version')).code, 200);
  assert.deepEqual(under.faults, []);
});

test('connections that have gone are counted no longer', async (t) => {
  const client = await startPatient(t);
  for (let round = 0; round < 10; round++) {
    const open = await Promise.all(Array.from({ length: 5 }, () => client.connect()));
    for (const socket of open) socket.destroy();
    await Promise.all(open.map(closed));
    // The server hears of it a moment later.
    while ((await client.request('GET', '/version')).code !== 200);
  }
  const before = await rejected(client, 'connections-per-address');
  const last = await Promise.all(Array.from({ length: 10 }, () => client.connect()));
  for (const socket of last) socket.destroy();
  assert.equal(await rejected(client, 'connections-per-address'), before);
});

test('headers past the limit are answered with 431, a body past it with 413', async (t) => {
  const client = await startPatient(t);
  const large = await client.raw(client.head('GET /version HTTP/1.1', [`X-Large: ${'x'.repeat(1 << 20)}`]));
  assert.match(large, /^HTTP\/1\.1 431 /);
  const body = { ...widget('large'), spec: { body: 'x'.repeat(3 << 20) } };
  const reply = await client.request('POST', widgetPath(), { body });
  assert.equal(reply.code, 413);
  assert.match(reply.text, /"reason":"RequestEntityTooLarge"/);
});
