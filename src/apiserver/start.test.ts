import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { InProcessHook } from '../kube/index.ts';
import type { ExtraRoute } from './http/extra-routes.ts';
import { type ApiServer, startApiServer } from './start.ts';
import { temporaryDirectory } from './store/temporary-store.ts';

interface Reply {
  readonly code: number | undefined;
  readonly text: string;
}

/** The body and code of a GET as the administrator, or with other credentials. */
function read(server: ApiServer, path: string, token = server.adminToken): Promise<Reply> {
  return send(server, { method: 'GET', path, token });
}

/** The same of a POST. */
function write(server: ApiServer, path: string, body: object): Promise<Reply> {
  return send(server, { method: 'POST', path, token: server.adminToken, body: JSON.stringify(body) });
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body?: string;
}

function send(server: ApiServer, { method, path, token, body }: Sent): Promise<Reply> {
  const headers = {
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const options = { method, ca: server.caPem, headers, agent: false };
    const asked = request(`${server.url}${path}`, options, (response) => {
      const chunks = response.setEncoding('utf8').toArray();
      chunks.then((parts) => resolve({ code: response.statusCode, text: parts.join('') }), reject);
    });
    asked.on('error', reject).end(body);
  });
}

test('a server that cannot store anything any more is neither ready nor alive', async (t) => {
  const writers = new Set<Worker>();
  const post = Worker.prototype.postMessage;
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: unknown) {
    writers.add(this);
    post.call(this, message);
  });
  const dataDir = temporaryDirectory(t);
  const server = await startApiServer({ dataDir, port: 0, onFault: () => undefined });
  t.after(() => server.close());
  assert.deepEqual(await read(server, '/readyz'), { code: 200, text: 'ok' });
  for (const writer of writers) await writer.terminate();
  for (const path of ['/readyz', '/livez', '/healthz/store']) {
    const { code, text } = await read(server, path);
    assert.equal(code, 500, path);
    assert.match(text, /\[-\]store failed: the thread that writes to disk ended unexpectedly/);
  }
});

test('GET /audit tells whom RBAC allows it of writes, across restarts, and nobody else', async (t) => {
  const dataDir = temporaryDirectory(t);
  const first = await startApiServer({ dataDir, port: 0 });
  await write(first, '/api/v1/namespaces', { metadata: { name: 'before' } });
  await first.close();
  const routes: ExtraRoute[] = [
    { method: 'POST', path: '/echo', answer: async ({ body }) => ({ code: 200, body: { body } }) },
    { method: 'GET', path: '/gone', answer: async () => ({ code: 410, reason: 'Gone', message: 'it went' }) },
  ];
  const server = await startApiServer({ dataDir, port: 0, routes });
  t.after(() => server.close());
  await write(server, '/api/v1/namespaces', { metadata: { name: 'after' } });
  const { code, text } = await read(server, '/audit?resource=namespaces&verb=create&user=admin&plain=true');
  assert.equal(code, 200);
  const { items } = JSON.parse(text) as { items: { name: string; verdict: string }[] };
  assert.deepEqual(
    items.map(({ name, verdict }) => [name, verdict]),
    [
      ['after', 'done'],
      ['before', 'done'],
    ],
  );
  assert.equal((await read(server, '/audit', '')).code, 403);
  assert.equal((await read(server, '/audit?limit=none')).code, 400);
  assert.deepEqual(await write(server, '/echo', { a: 1 }), { code: 200, text: '{"body":{"a":1}}\n' });
  assert.equal((await read(server, '/echo')).code, 405);
  const gone = await read(server, '/gone');
  assert.equal(gone.code, 410);
  assert.match(gone.text, /it went/);
});

test('a write that is under way when the server stops is done, answered and in the audit log', async (t) => {
  const dataDir = temporaryDirectory(t);
  const asked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const slow: InProcessHook = {
    name: 'slow.example.com',
    type: 'validating',
    isConcerned: ({ kind }) => kind.kind === 'Namespace',
    ask: async ({ uid }) => {
      asked.resolve();
      await free.promise;
      return { uid, allowed: true };
    },
  };
  const first = await startApiServer({ dataDir, port: 0, admission: [slow] });
  const answer = write(first, '/api/v1/namespaces', { metadata: { name: 'late' } });
  // Open for as long as the server is: nothing to wait for.
  const watch = read(first, '/api/v1/namespaces?watch=true').catch(() => 'cut');
  await asked.promise;
  const closed = first.close();
  free.resolve();
  assert.equal((await answer).code, 201);
  await closed;
  assert.match(readFileSync(join(dataDir, 'audit.log'), 'utf8'), /"name":"late"/);
  assert.equal(await watch, 'cut');
  const second = await startApiServer({ dataDir, port: 0 });
  t.after(() => second.close());
  assert.equal((await read(second, '/api/v1/namespaces/late')).code, 200);
});
