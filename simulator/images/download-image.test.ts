import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { buildImage } from './build-image.ts';
import { createHttpDownloader } from './download-image.ts';

const image = buildImage({
  vendor: 'V',
  models: [],
  softwareId: 's',
  component: 'nic',
  version: '1',
  payloadBytes: 300_000,
});
const download = createHttpDownloader({ maxBytes: 1_000_000, timeoutMs: 10_000 });
let server: Server;
let base = '';
let authorization: string | undefined;

function serve(request: IncomingMessage, response: ServerResponse): void {
  authorization = request.headers.authorization;
  switch (request.url) {
    case '/good.bin':
      response.writeHead(200, { 'content-length': image.lengthBytes });
      image.stream().pipe(response);
      return;
    case '/moved.bin':
      response.writeHead(302, { location: '/good.bin' }).end();
      return;
    case '/large.bin':
      response.end(Buffer.alloc(1_000_001));
      return;
    case '/cut.bin':
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half', () => response.destroy());
      return;
    case '/silent.bin':
      return;
    default:
      response.writeHead(404).end();
  }
}

before(async () => {
  server = createServer(serve).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test('an image is pulled over HTTP, and only its head and digest are kept', async () => {
  const file = await download(`${base}/good.bin`);
  assert.deepEqual(file, { head: Buffer.from(image.head), sizeBytes: image.lengthBytes, sha256: image.sha256 });
  assert.equal(authorization, undefined);
});

test('credentials are sent as Basic, from the request or from the address', async () => {
  const expected = `Basic ${Buffer.from('u:p w').toString('base64')}`;
  await download(`${base}/good.bin`, { username: 'u', password: 'p w' });
  assert.equal(authorization, expected);
  await download(`${base.replace('//', '//u:p%20w@')}/good.bin`);
  assert.equal(authorization, expected);
});

test('whatever goes wrong is a reason, without a secret in it', async () => {
  const rows: [string, RegExp][] = [
    [`${base}/absent.bin`, /answered 404/],
    [`${base}/moved.bin`, /answered 302/],
    [`${base}/large.bin`, /larger than 1000000 bytes/],
    [`${base}/cut.bin`, /broke/],
    ['http://u:secret@127.0.0.1:1/x.bin', /broke: ECONNREFUSED/],
    ['tftp://127.0.0.1/x.bin', /protocol tftp is not served/],
    ['x.bin', /not a URL/],
  ];
  for (const [uri, reason] of rows) {
    const outcome = await download(uri);
    assert.ok('failure' in outcome, uri);
    assert.match(outcome.failure, reason);
    assert.doesNotMatch(outcome.failure, /secret/);
  }
});

test('a file server that never answers is given up on', async () => {
  const outcome = await createHttpDownloader({ timeoutMs: 50 })(`${base}/silent.bin`);
  assert.match('failure' in outcome ? outcome.failure : '', /TimeoutError/);
});

test('an address off the machine is refused before anything is connected to', async () => {
  let connections = 0;
  const count = () => connections++;
  subscribe('undici:client:beforeConnect', count);
  try {
    for (const host of ['192.0.2.1', '[2001:db8::1]', '0.0.0.0', 'files.example']) {
      const outcome = await createHttpDownloader({ timeoutMs: 50 })(`http://u:secret@${host}/x.bin`);
      assert.match('failure' in outcome ? outcome.failure : '', /is not a loopback address.*stays on loopback/, host);
    }
    assert.equal(connections, 0);
    const local = await download(`${base.replace('127.0.0.1', 'localhost')}/good.bin`);
    assert.ok('sha256' in local, 'localhost is loopback');
    assert.ok(connections > 0, 'connections are counted');
  } finally {
    unsubscribe('undici:client:beforeConnect', count);
  }
});
