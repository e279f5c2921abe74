import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { Type } from 'typebox';
import { createCertificateAuthority, issueServerCertificate, usualConnections } from '../kube/index.ts';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { restResources } from './access/resources.ts';
import { isRestError } from './errors.ts';
import { createRest } from './rest.ts';
import { defineRoute } from './route.ts';
import { AnyObject, ListOf, Struct, Text, Uuid } from './shapes.ts';
import { startedRest } from './testing/started-rest.ts';

const things: unknown[] = [];

const getThing = defineRoute({
  method: 'GET',
  path: '/things/:id',
  operation: 'getThing',
  summary: 'One thing.',
  tag: 'things',
  access: { verb: 'get', resource: restResources.server },
  params: Struct({ id: Uuid('Which.') }),
  query: Struct({
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    isLoud: Type.Optional(Type.Boolean()),
    code: Type.Optional(Type.String({ pattern: '^[a-z]+$', description: 'A word.' })),
    tag: Type.Optional(ListOf(Type.String(), 'Tags.')),
  }),
  answers: { 200: AnyObject('It.') },
  handle: ({ params, query, user }) => ({ status: 200, body: { id: params.id, ...query, user: user?.name ?? null } }),
});

const postThing = defineRoute({
  method: 'POST',
  path: '/things',
  operation: 'postThing',
  summary: 'A new thing.',
  tag: 'things',
  access: { verb: 'create', resource: restResources.server },
  body: Struct({
    name: Text('Its name.', { minLength: 1 }),
    password: Type.Optional(Text('Secret.')),
    data: Type.Optional(Type.Unknown()),
  }),
  answers: { 200: AnyObject('It.') },
  handle({ body }) {
    if (body.name === 'boom') throw new Error('the secret is hunter2-hunter2');
    things.push(body);
    return { status: 200, body: { name: body.name } };
  },
});

const id = '11111111-2222-4333-8444-555555555555';
const asWriter = { authorization: 'Bearer writer' };

async function call(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, { ...init, headers: { ...asWriter, ...init.headers } });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

function post(url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return call(`${url}/things`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}

describe('a REST server', () => {
  test('gives handlers numbers, booleans and lists as they are declared', async (t) => {
    const { url } = await startedRest(t, [getThing]);
    const { status, body } = await call(`${url}/things/${id}?count=3&isLoud=true&tag=a&tag=b`);
    assert.equal(status, 200);
    assert.deepEqual(body, { id, count: 3, isLoud: true, tag: ['a', 'b'], user: 'writer' });
    assert.deepEqual((await call(`${url}/things/${id}?tag=a`)).body.tag, ['a']);
  });

  const refusals: [string, string, RegExp][] = [
    ['a path that is no id', '/things/7', /path\.id: must match format "uuid"/],
    [
      'a text of another form, and says what it is for',
      `/things/${id}?code=7`,
      /must match pattern "\^\[a-z\]\+\$"; it is: A word/,
    ],
    ['a number that is none', `/things/${id}?count=many`, /query\.count: must be integer/],
    ['a number below the least', `/things/${id}?count=0`, /query\.count: must be >= 1/],
    ['a number twice', `/things/${id}?count=1&count=2`, /query\.count/],
    [
      'an unknown word in the query',
      `/things/${id}?cuont=1`,
      /unknown member cuont; it takes count, isLoud, code, tag/,
    ],
    ['a NUL in the query', `/things/${id}?tag=%00`, /query\.tag: contains the character U\+0000/],
    ['a path that does not decode', '/things/%zz', /not a valid URL/],
  ];
  for (const [what, path, reason] of refusals) {
    test(`refuses ${what} with the reason`, async (t) => {
      const { url } = await startedRest(t, [getThing]);
      const { status, body } = await call(`${url}${path}`);
      assert.equal(status, 400);
      assert.match(body.error, reason);
      assert.equal(body.code, 'badRequest');
      assert.ok(body.problems.length > 0 && body.request_id !== '');
    });
  }

  const badBodies: [string, string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ['no body', '', /body: is missing/],
    ['what is not JSON', '{"name": "hunter2', /body: is not JSON/],
    ['what is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), /body: is not UTF-8/],
    ['null', 'null', /body/],
    ['a list', '[]', /body: must be object/],
    ['a missing member', '{}', /body: lacks name/],
    ['a wrong type', '{"name": 7}', /body\.name: must be string/],
    ['an unknown member', '{"name": "a", "naem": "b"}', /unknown member naem; it takes name, password, data/],
    ['__proto__', '{"name": "a", "data": {"__proto__": {}}}', /__proto__/],
    ['a NUL deep inside', '{"name": "a", "data": [{"x": "\\u0000"}]}', /body\.data\.0\.x: contains the character/],
    ['half a pair', '{"name": "a", "data": "\\ud800"}', /half of a surrogate pair/],
    ['very deep nesting', `{"name": "a", "data": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /nested more than/],
  ];
  for (const [what, body, reason] of badBodies) {
    test(`refuses a body with ${what}`, async (t) => {
      const before = things.length;
      const { url } = await startedRest(t, [postThing]);
      const answer = await post(url, body);
      assert.equal(answer.status, 400);
      assert.match(answer.body.error, reason);
      assert.doesNotMatch(JSON.stringify(answer.body), /hunter2/);
      assert.equal(things.length, before);
    });
  }

  test('a body of 10 MiB is 413 and nothing is stored, whether its length is said or not', async (t) => {
    const { url } = await startedRest(t, [postThing]);
    const before = things.length;
    const large = JSON.stringify({ name: 'a'.repeat(10 * 1024 * 1024) });
    const said = await post(url, large);
    assert.equal(said.status, 413);
    assert.match(said.body.message, /larger than 1048576 bytes/);
    const chunked = await fetch(`${url}/things`, {
      method: 'POST',
      headers: { ...asWriter, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit).catch((error: Error) => error);
    // The connection is closed while it still sends, so a client may see that instead of the answer.
    if (!(chunked instanceof Error)) assert.equal(chunked.status, 413);
    assert.equal(things.length, before);
    assert.equal((await post(url, '{"name":"a"}')).status, 200);
  });

  test('a body of another media type is 415, one where none is taken is 400', async (t) => {
    const { url } = await startedRest(t, [postThing, getThing]);
    assert.equal((await post(url, 'name=a', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
    assert.equal((await post(url, '{"name":"a"}', { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(url, '{"name":"a"}', { 'content-type': 'application/json; charset=utf-8' })).status, 200);
  });

  test('an unknown path is 404, an unknown method 405 with those that are allowed', async (t) => {
    const { url } = await startedRest(t, [getThing, postThing]);
    const gone = await call(`${url}/nothing`, { method: 'POST', body: 'x' });
    assert.deepEqual([gone.status, gone.body.code], [404, 'noSuchPath']);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const wrong = await call(`${url}/things/${id}`, { method });
      assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD']);
    }
  });

  test('a path made of words is never taken for one with a parameter', async (t) => {
    const word = defineRoute({ ...postThing, path: '/things/new', operation: 'newThing' });
    const { url } = await startedRest(t, [getThing, word]);
    const { status, headers } = await call(`${url}/things/new`);
    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  });

  test('HEAD answers as GET does, without a body', async (t) => {
    const { url } = await startedRest(t, [getThing]);
    const { status, body, headers } = await call(`${url}/things/${id}`, { method: 'HEAD' });
    assert.deepEqual([status, body], [200, undefined]);
    assert.ok(Number(headers.get('content-length')) > 0);
  });

  test('what nobody foresaw is 500, told in the log only', async (t) => {
    const lines: string[] = [];
    const { url } = await startedRest(t, [postThing], { logger: createLogger({ write: (line) => lines.push(line) }) });
    const { status, body } = await post(url, '{"name":"boom","password":"hunter2-hunter2"}', { 'x-request-id': 'r-1' });
    assert.equal(status, 500);
    assert.match(body.message, /under request r-1$/);
    assert.doesNotMatch(JSON.stringify(body), /hunter2/);
    assert.match(lines.join(''), /"request":"r-1".*"path":"\/things"/);
  });

  test('a harmless request id is kept, another is replaced', async (t) => {
    const { url } = await startedRest(t, []);
    const idOf = async (given: string) =>
      (await call(`${url}/livez`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    assert.equal(await idOf('abc-1'), 'abc-1');
    assert.match((await idOf('{"a": 1}')) ?? '', /^[0-9a-f]{16}$/);
  });

  test('readiness names what is missing', async (t) => {
    const missing = ['database'];
    const { url } = await startedRest(t, [], { missing: () => missing });
    const before = await call(`${url}/readyz`);
    assert.equal(before.status, 503);
    assert.match(before.body.message, /not ready: database/);
    assert.equal(before.headers.get('retry-after'), '5');
    missing.pop();
    assert.deepEqual((await call(`${url}/readyz`)).body, { status: 'ok' });
    assert.deepEqual((await call(`${url}/livez`)).body, { status: 'ok' });
  });

  test('requests are counted by route, not by path', async (t) => {
    const metrics = createMetrics();
    const { url, rest } = await startedRest(t, [getThing], { metrics });
    await call(`${url}/things/${id}`);
    await call(`${url}/nothing/at/all`);
    await rest.close();
    const text = await metrics.expose();
    assert.match(text, /requests_total\{method="GET",route="\/things\/:id",code="200"\} 1/);
    assert.match(text, /requests_total\{method="GET",route="other",code="404"\} 1/);
  });
});

describe('slow and broken clients', () => {
  function raw(port: number, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let got = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (got += chunk.toString())).on('error', reject);
      socket.on('close', () => resolve(got));
    });
  }

  test('one that never ends its request is told so and cut off', async (t) => {
    const timeouts = { requestMs: 50, headersMs: 50, checkEveryMs: 10 };
    const { port } = await startedRest(t, [postThing], { timeouts });
    assert.match(
      await raw(port, 'POST /things HTTP/1.1\r\nHost: x\r\n'),
      /^HTTP\/1\.1 408 [\s\S]*did not arrive in time/,
    );
  });

  test('a connection on which nothing was asked yet is closed without an answer', async (t) => {
    const timeouts = { requestMs: 50, headersMs: 50, checkEveryMs: 10 };
    const { port } = await startedRest(t, [postThing], { timeouts });
    assert.equal(await raw(port, ''), '');
    const now = new Date();
    const authority = await createCertificateAuthority({ commonName: 'test', now });
    const certificate = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
    const secure = await startedRest(t, [postThing], { timeouts, certificate });
    const socket = connectSecurely({ port: secure.port, host: '127.0.0.1', ca: authority.certificatePem });
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString()));
    await once(socket, 'close');
    assert.equal(got, '');
  });

  test('1,100 idle connections from one address keep nobody out, and those idle for longest are closed', async (t) => {
    const { port, url } = await startedRest(t, [getThing]);
    let closed = 0;
    const sockets: Socket[] = [];
    t.after(() => sockets.forEach((socket) => void socket.destroy()));
    for (let number = 0; number < 1100; number += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).once('close', () => (closed += 1));
      sockets.push(socket);
      await once(socket, 'connect');
    }
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    while (closed < 1101 - usualConnections.connectionsPerAddress) await setImmediate();
    assert.equal(sockets[0]?.closed, true);
    assert.equal(sockets.at(-1)?.closed, false);
  });

  for (const isHttp2 of [false, true])
    test(`a connection that waits for its answer is not closed for others, ${isHttp2 ? 'HTTP/2' : 'HTTP/1.1'}`, async (t) => {
      const answers: ServerResponse[] = [];
      const calls = { below: '/calls/', handle: (_: unknown, response: ServerResponse) => void answers.push(response) };
      const connections = { connections: 10, connectionsPerAddress: 2 };
      const { port, url } = await startedRest(t, [], { calls, connections });
      const session = isHttp2 ? connectHttp2(url) : undefined;
      const waiting = session?.request({ ':path': '/calls/one' }) ?? request(`${url}/calls/one`).end();
      t.after(() => session?.destroy());
      const status = once(waiting, 'response').then(([head]) => head.statusCode ?? head[':status']);
      while (answers.length === 0) await setImmediate();
      for (let number = 0; number < 5; number += 1) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        t.after(() => void socket.destroy());
        await once(socket, 'connect');
      }
      answers[0]?.writeHead(200).end();
      assert.equal(await status, 200);
    });

  test('one that speaks no HTTP gets a 400 in the usual form', async (t) => {
    const { port } = await startedRest(t, []);
    const answer = await raw(port, 'hello\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').code, 'badRequest');
  });

  test('headers without end are 431', async (t) => {
    const { port } = await startedRest(t, []);
    const headers = `GET /livez HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`;
    assert.match(await raw(port, headers), /^HTTP\/1\.1 431 /);
  });

  test('closing lets the request in hand end', async (t) => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: leave, resolve: letGo } = Promise.withResolvers<void>();
    const slow = defineRoute({
      ...getThing,
      path: '/slow',
      operation: 'slow',
      params: Struct({}),
      async handle() {
        enter();
        await leave;
        return { status: 200, body: { done: true } };
      },
    });
    const { rest, url } = await startedRest(t, [slow]);
    const answer = call(`${url}/slow`);
    await entered;
    const closed = rest.close();
    letGo();
    assert.deepEqual((await answer).body, { done: true });
    await closed;
    await assert.rejects(fetch(`${url}/livez`));
  });
});

describe('transport', () => {
  test('plain HTTP is for loopback addresses only (security.md: tls-services)', async () => {
    const rest = createRest({
      info: { title: 't', description: 'd', version: '1' },
      authorizer: {
        authenticate: async () => ({ outcome: 'unknown', reason: 'no' }),
        allow: async () => ({ isAllowed: true }),
      },
    });
    await assert.rejects(rest.listen({ host: '0.0.0.0', port: 0 }), (error) => isRestError(error, 'plaintextRefused'));
    await rest.close();
  });

  test('with a certificate it speaks TLS, and takes another one while it runs (security.md: tls-services)', async (t) => {
    const now = new Date();
    const authority = await createCertificateAuthority({ commonName: 'test', now });
    const issue = () => issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
    const { rest, url } = await startedRest(t, [], { certificate: await issue() });
    const serial = () =>
      new Promise<string>((resolve, reject) => {
        const request = httpsRequest(`${url}/livez`, { ca: authority.certificatePem, agent: false }, (answer) => {
          const socket = answer.socket as import('node:tls').TLSSocket;
          resolve(socket.getPeerCertificate().serialNumber);
          answer.resume();
        });
        request.on('error', reject).end();
      });
    const before = await serial();
    rest.setCertificate(await issue());
    assert.notEqual(await serial(), before);
  });
});

describe('the OpenAPI document', () => {
  test('is served, and says of each route what it takes, gives and needs', async (t) => {
    const { url } = await startedRest(t, [getThing, postThing]);
    const document = (await call(`${url}/openapi.json`)).body;
    assert.equal(document.openapi, '3.1.0');
    const get = document.paths['/things/{id}'].get;
    assert.deepEqual(get['x-access'], { verb: 'get', resource: 'servers' });
    assert.deepEqual(get.parameters[0], {
      name: 'id',
      in: 'path',
      required: true,
      description: 'Which.',
      schema: { type: 'string', format: 'uuid' },
    });
    assert.deepEqual(get.responses['401'], { $ref: '#/components/responses/Unauthenticated' });
    assert.deepEqual(document.components.responses.Unauthenticated.content['application/json'].schema, {
      $ref: '#/components/schemas/ErrorAnswer',
    });
    assert.deepEqual(Object.keys(document.paths['/things'].post.requestBody.content), ['application/json']);
    assert.deepEqual(Object.keys(get.responses['200'].headers), ['X-Request-Id']);
    assert.deepEqual(Object.keys(document.components.responses.Unauthenticated.headers), [
      'X-Request-Id',
      'WWW-Authenticate',
    ]);
    assert.deepEqual(document.components.responses.HeadersTooLarge.headers, {});
    assert.ok(document.components.schemas.ErrorAnswer.properties.message);
  });

  test('two routes of one name, or parameters that are not in the path, are mistakes', () => {
    const rest = createRest({
      info: { title: 't', description: 'd', version: '1' },
      authorizer: {
        authenticate: async () => ({ outcome: 'unknown', reason: 'no' }),
        allow: async () => ({ isAllowed: true }),
      },
    });
    rest.add(getThing);
    assert.throws(() => rest.add(getThing), /two routes are named getThing/);
    assert.throws(
      () => rest.add({ ...getThing, operation: 'x', path: '/things/:other' }),
      /declares the parameters id/,
    );
  });
});
