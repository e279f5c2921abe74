import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { type ApiServer, startApiServer } from './start.ts';
import { temporaryDirectory } from './store/temporary-store.ts';

/** The body and code of a GET as the administrator. */
function read(server: ApiServer, path: string): Promise<{ code: number | undefined; text: string }> {
  const headers = { authorization: `Bearer ${server.adminToken}` };
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { ca: server.caPem, headers, agent: false }, async (response) => {
      const chunks = await response.setEncoding('utf8').toArray();
      resolve({ code: response.statusCode, text: chunks.join('') });
    });
    asked.on('error', reject).end();
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
