import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ResponseFrame, respondJson } from './respond.ts';

const frame: ResponseFrame = {
  code: 200,
  media: { format: 'json', contentType: 'application/json', pretty: false },
  warnings: new Set(),
  acceptsGzip: false,
};

async function answer(t: TestContext, json: string, changes: Partial<ResponseFrame>): Promise<Response> {
  const server = createServer((_, response) => respondJson(response, json, { ...frame, ...changes }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

function warningsIn(response: Response): string[] {
  return (response.headers.get('warning') ?? '').split(/, (?=299 - )/);
}

test('each warning is a header value of its own, quoted', async (t) => {
  const response = await answer(t, '{}', { warnings: new Set(['unknown field "a"', 'back\\slash']) });
  assert.deepEqual(warningsIn(response), ['299 - "unknown field \\"a\\""', '299 - "back\\\\slash"']);
});

test('line ends cannot get out of a warning, and what is not ASCII gets out as UTF-8', async (t) => {
  const response = await answer(t, '{}', { warnings: new Set(['a\r\nX-Injected: 1\u0000ü😀']) });
  assert.equal(response.headers.get('x-injected'), null);
  const shown = Buffer.from(warningsIn(response)[0] ?? '', 'latin1').toString('utf8');
  assert.equal(shown, '299 - "a??X-Injected: 1?ü😀"');
});

test('so many warnings that no client would take them are cut', async (t) => {
  const warnings = new Set(Array.from({ length: 100_000 }, (_, n) => `unknown field "spec.field${n}"`));
  const shown = warningsIn(await answer(t, '{}', { warnings }));
  assert.ok(shown.length > 50 && shown.length < 300, `${shown.length} warnings`);
  const long = warningsIn(await answer(t, '{}', { warnings: new Set(['x'.repeat(5000), 'y'.repeat(10)]) }));
  assert.deepEqual(long, [`299 - "${'x'.repeat(256)}"`, `299 - "${'y'.repeat(10)}"`]);
});

test('a large answer is compressed for who takes it, and says so', async (t) => {
  const json = JSON.stringify({ text: 'x'.repeat(200_000) });
  const response = await answer(t, json, { acceptsGzip: true });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  assert.equal((await response.text()).trim(), json);
});

test('a large answer is not compressed while everybody else waits', async (t) => {
  const json = JSON.stringify({ text: 'x'.repeat(200_000) });
  const early: boolean[] = [];
  const server = createServer((_, response) => {
    respondJson(response, json, { ...frame, acceptsGzip: true });
    early.push(response.headersSent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.equal((await response.text()).trim(), json);
  assert.deepEqual(early, [false]);
});

test('YAML keeps apart what looks like something else', async (t) => {
  const media = { format: 'yaml' as const, contentType: 'application/yaml', pretty: false };
  const json = JSON.stringify({ b: ['yes', 'null', '1', '2024-01-01T00:00:00Z', '__proto__'], a: { y: 'n' } });
  const text = await (await answer(t, json, { media })).text();
  assert.equal(text, 'a:\n  "y": "n"\nb:\n- "yes"\n- "null"\n- "1"\n- "2024-01-01T00:00:00Z"\n- __proto__\n');
});
