import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { ExtraRoute } from '../../apiserver/index.ts';
import { answerExtraPath } from './extra-paths.ts';

async function serve(t: TestContext, routes: readonly ExtraRoute[]): Promise<string> {
  const server = createServer((request, response) => {
    if (!answerExtraPath(routes, request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a path gets what was posted and whose token it came with, and answers', async (t) => {
  const url = await serve(t, [
    {
      method: 'POST',
      path: '/plan',
      answer: async ({ body, authorization }) => ({ code: 200, body: { body, authorization } }),
    },
  ]);
  const headers = { authorization: 'Bearer x' };
  const answer = await fetch(`${url}/plan`, { method: 'POST', headers, body: '{"a":1}' });
  assert.deepEqual(await answer.json(), { body: { a: 1 }, authorization: 'Bearer x' });
  assert.equal((await fetch(`${url}/plan`)).status, 404);
  assert.equal((await fetch(`${url}/other`)).status, 404);
});

test('what cannot be answered is refused with a message', async (t) => {
  const url = await serve(t, [
    { method: 'POST', path: '/refused', answer: async () => ({ code: 422, reason: 'Invalid', message: 'no' }) },
    { method: 'POST', path: '/broken', answer: () => Promise.reject(new Error('it broke')) },
  ]);
  const post = async (path: string, body: string) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', body });
    return [answer.status, ((await answer.json()) as { message: string }).message] as const;
  };
  assert.deepEqual(await post('/refused', '{}'), [422, 'no']);
  assert.deepEqual(await post('/broken', '{}'), [502, 'it broke']);
  const [code, message] = await post('/refused', '{');
  assert.equal(code, 400);
  assert.match(message, /not JSON/);
});

test('a path that is no URL is none of these paths', async (t) => {
  const url = new URL(
    await serve(t, [{ method: 'GET', path: '/plan', answer: async () => ({ code: 200, body: {} }) }]),
  );
  const statusOf = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ host: url.hostname, port: url.port, path }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  for (const path of ['//%00/..', '//[', '//:a', 'http://[', '//%00/plan?a=b'])
    assert.equal(await statusOf(path), 404, path);
  assert.equal(await statusOf('/plan?a=b?c'), 200);
});
