import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { badRequests, standing, verdictOf } from './apiserver-bad-requests.ts';
import { brokenRequests } from './apiserver-broken-requests.ts';
import { type ServerUnderTest, startServerUnderTest, widget, widgetPath } from './apiserver-fixture.ts';
import { assertServes, stateOf } from './apiserver-state.ts';

let under: ServerUnderTest;
let state: string;

before(async () => {
  under = await startServerUnderTest();
  const created = await under.client.request('POST', widgetPath(), {
    body: widget(standing, { size: 1, replicas: 1 }),
  });
  assert.equal(created.code, 201, created.text);
  state = await stateOf(under.client);
});

after(() => under.stop());

for (const bad of badRequests) {
  test(`${bad.name} is answered with ${bad.code} ${bad.reason ?? ''}`, async () => {
    const { client, faults } = under;
    const { method, path, body, headers = {} } = bad;
    const reply = await client.request(method, path, { body, headers });
    assert.deepEqual(verdictOf(reply), [bad.code, bad.reason], reply.text.slice(0, 1000));
    assert.equal(await stateOf(client), state, 'something was stored');
    assert.deepEqual(faults, [], 'the server met an error it did not expect');
  });
}

for (const broken of brokenRequests) {
  test(`${broken.name} gets ${broken.codes.join(', ') || 'no answer'}`, { timeout: 60_000 }, async () => {
    const { client, faults } = under;
    const text = await client.raw(broken.bytes(client), { endsAfter: broken.endsAfter ?? false });
    const codes = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1]));
    assert.deepEqual(codes, broken.codes, text.slice(0, 1000));
    assert.equal(await stateOf(client), state, 'something was stored');
    assert.deepEqual(faults, [], 'the server met an error it did not expect');
  });
}

test('warnings about fields with line ends in their names stay inside their header', async () => {
  const body = widget('crlf', { 'a\r\nX-Injected: 1': 1, 'ü"\\': 2 });
  const reply = await under.client.request('POST', `${widgetPath()}?dryRun=All`, { body });
  assert.equal(reply.code, 201, reply.text);
  assert.equal(reply.headers['x-injected'], undefined);
  assert.match(String(reply.headers.warning), /^299 - "unknown field \\"spec\.a\?\?X-Injected: 1\\""/);
});

test('what is not TLS at all is hung up on', async () => {
  const { port } = new URL(under.server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.0\r\n\r\n');
  await new Promise((resolve) => socket.on('close', resolve));
});

test('a body that stops half-way and is abandoned leaves nothing behind', async () => {
  const { client, faults } = under;
  const text = JSON.stringify(widget('abandoned'));
  const head = client.head(`POST ${widgetPath()} HTTP/1.1`, [
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
  ]);
  for (const cut of [0, 1, text.length >> 1, text.length - 1]) {
    const socket = await client.connect();
    await new Promise((resolve) => socket.write(head + text.slice(0, cut), resolve));
    socket.destroy();
  }
  await assertServes(client);
  assert.equal((await client.request('GET', widgetPath('abandoned'))).code, 404);
  assert.deepEqual(faults, []);
});

test('half-sent requests on hundreds of connections do not keep others waiting', async () => {
  const { client } = under;
  const sockets = await Promise.all(Array.from({ length: 200 }, () => client.connect()));
  for (const [i, socket] of sockets.entries())
    socket.write(client.head(`GET ${widgetPath()} HTTP/1.1`).slice(0, 10 + i));
  await assertServes(client);
  for (const socket of sockets) socket.destroy();
});

test('every good request after all of that works, and nothing was called unexpected', async () => {
  await assertServes(under.client);
  assert.deepEqual(under.faults, []);
});
