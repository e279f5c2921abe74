import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectPlain } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { request } from 'undici';
import { createCertificateAuthority, issueServerCertificate } from '../../kube/index.ts';
import type { CliError } from '../errors.ts';
import { serveClusterConsole } from './cluster-console.ts';
import { passOn } from './pass-on.ts';

async function serve(t: TestContext) {
  const asked: IncomingMessage[] = [];
  const cluster = createServer((call, answer) => {
    asked.push(call);
    answer.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{"items":[]}');
  });
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  const served = await serveClusterConsole({
    front: { handle: () => false, setRest: () => undefined },
    cluster: { server, tls: {} },
    certificate: undefined,
    host: '127.0.0.1',
    port: 0,
  });
  t.after(async () => {
    await served.close();
    cluster.closeAllConnections();
    cluster.close();
  });
  const get = (path: string, headers: Record<string, string>) => request(new URL(path, served.url), { headers });
  return { asked, get, url: served.url };
}

test('a request goes to the cluster with the token of whoever asks, and without what would make them somebody else', async (t) => {
  const { asked, get } = await serve(t);
  const headers = {
    authorization: 'Bearer own',
    'user-agent': 'browser',
    'impersonate-user': 'admin',
    cookie: 'c=d',
    'x-remote-user': 'admin',
  };
  const answer = await get('/apis/metal3.io/v1alpha1/baremetalhosts?limit=1', headers);
  assert.equal(await answer.body.text(), '{"items":[]}');
  assert.equal(answer.headers['set-cookie'], undefined);
  const [call] = asked;
  assert.equal(call?.url, '/apis/metal3.io/v1alpha1/baremetalhosts?limit=1');
  assert.equal(call?.headers.authorization, 'Bearer own');
  assert.equal(call?.headers['user-agent'], 'browser');
  for (const name of ['impersonate-user', 'cookie', 'x-remote-user']) assert.equal(call?.headers[name], undefined);
});

test('without a token, and outside the API, nothing reaches the cluster', async (t) => {
  const { asked, get } = await serve(t);
  const bare = await get('/api/v1/secrets', {});
  assert.equal(bare.statusCode, 401);
  const elsewhere = await get('/metrics', { authorization: 'Bearer own' });
  assert.equal(elsewhere.statusCode, 404);
  await Promise.all([bare.body.dump(), elsewhere.body.dump()]);
  assert.equal(asked.length, 0);
});

test('tokens never pass other addresses than loopback in clear text (security.md: tls-services)', async () => {
  const front = { handle: () => false, setRest: () => undefined };
  const cluster = { server: 'http://127.0.0.1:9', tls: {} };
  for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
    await assert.rejects(
      serveClusterConsole({ front, cluster, certificate: undefined, host, port: 0 }),
      ({ message, outcome }: CliError) =>
        outcome === 'usage' && message.includes(`pass ${host} in clear text`) && /--tls-cert .* --host/.test(message),
    );
  }
});

test('connections that ask nothing are limited, and keep nobody of their address out', async (t) => {
  const { get, url } = await serve(t);
  const { hostname: host, port } = new URL(url);
  // The limit is 1,024, of which the request takes one.
  const surplus = 1_100 - 1_023;
  const enough = Promise.withResolvers<void>();
  let closed = 0;
  const idle = Array.from({ length: 1_100 }, () => {
    const socket = connectPlain({ host, port: Number(port) }).on('error', () => undefined);
    return socket.on('close', () => {
      closed += 1;
      if (closed === surplus) enough.resolve();
    });
  });
  t.after(() => {
    for (const socket of idle) socket.destroy();
  });
  const { statusCode, body } = await get('/api/v1/secrets', { authorization: 'Bearer own' });
  await body.dump();
  assert.equal(statusCode, 200);
  await enough.promise;
});

test('another certificate is served to connections that come after it (security.md: tls-services)', async (t) => {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'test', now });
  const issue = () => issueServerCertificate(authority, { now, dns: ['localhost'], ips: ['127.0.0.1'] });
  const served = await serveClusterConsole({
    front: { handle: () => false, setRest: () => undefined },
    cluster: { server: 'http://127.0.0.1:9', tls: {} },
    certificate: await issue(),
    ...{ host: '127.0.0.1', port: 0 },
  });
  t.after(() => served.close());
  const serial = async (): Promise<string> => {
    const socket = connect({ port: Number(new URL(served.url).port), host: '127.0.0.1', ca: authority.certificatePem });
    await once(socket, 'secureConnect');
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  const before = await serial();
  served.setCertificate(await issue());
  assert.notEqual(await serial(), before);
});

test('a port that is taken is told with the option that chooses another', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => taken.close());
  const front = { handle: () => false, setRest: () => undefined };
  const place = { host: '127.0.0.1', port: (taken.address() as AddressInfo).port };
  await assert.rejects(
    serveClusterConsole({
      front,
      cluster: { server: 'http://127.0.0.1:9', tls: {} },
      certificate: undefined,
      ...place,
    }),
    /choose another port with --console-port/,
  );
});

test('a service behind the console that does not take a token logs nobody out, and one that is away says so', async (t) => {
  const service = createServer((_, answer) => answer.writeHead(401).end('who are you'));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const about = { behind: { server, tls: {} }, name: 'the service', hasOtherTokens: true };
  const before = createServer((call, answer) => passOn(about, call, answer));
  await new Promise<void>((resolve) => before.listen(0, '127.0.0.1', resolve));
  t.after(() => before.close());
  const ask = async () => {
    const url = `http://127.0.0.1:${(before.address() as AddressInfo).port}/api/v1/conditions`;
    const { statusCode, body } = await request(url, { headers: { authorization: 'Bearer own' } });
    return [statusCode, ((await body.json()) as { message: string }).message];
  };
  assert.deepEqual(await ask(), [403, 'the service does not take your token']);
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
  assert.deepEqual(await ask(), [502, 'the service cannot be reached: ECONNREFUSED']);
});
