import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isOrcError } from '../errors.ts';
import type { Notice } from './notice.ts';
import { createWebhook, type WebhookOptions } from './webhook.ts';

const notice: Notice = { seq: 7, at: 0, type: 'WorkerLost', controller: 'w1', message: 'w1 went silent', doing: [] };

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret`;
}

function webhook(t: TestContext, options: WebhookOptions) {
  const made = createWebhook(options);
  t.after(() => made.close());
  return made;
}

for (const [name, options] of [
  ['what is no URL', { url: 'hooks.example' }],
  ['another protocol', { url: 'ftp://hooks.example/s3cret' }],
  ['credentials in the address', { url: 'https://user:s3cret@hooks.example/' }],
  ['a token over plain HTTP', { url: 'http://hooks.example/s3cret', token: 't' }],
  ['the metadata service of a cloud', { url: 'http://169.254.169.254/s3cret' }],
  ['a link-local address', { url: 'https://[fe80::1]/s3cret' }],
  ['a link-local address in other clothes', { url: 'https://[::ffff:169.254.169.254]/s3cret' }],
] as const) {
  test(`a webhook is refused for ${name}, and its address is not shown (security.md: egress-one-policy)`, () => {
    assert.throws(
      () => createWebhook(options),
      (error) => isOrcError(error, 'badWebhook') && !/s3cret|hooks/.test(error.message),
    );
  });
}

test('the signature is of the body as it was sent, and each notice has its number', async (t) => {
  const heard = Promise.withResolvers<{ text: string; headers: NodeJS.Dict<string | string[]> }>();
  const url = await listen(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    heard.resolve({ text: Buffer.concat(chunks).toString(), headers: request.headers });
    response.end();
  });
  assert.equal((await webhook(t, { url, token: 't0ken', secret: 'key' }).send(notice)).outcome, 'delivered');
  const { text, headers } = await heard.promise;
  const expected = createHmac('sha256', 'key').update(text).digest('hex');
  assert.equal(headers['x-rackwright-signature'], `sha256=${expected}`);
  assert.equal(headers['x-rackwright-notice'], '7');
  assert.equal(headers.authorization, 'Bearer t0ken');
});

test('a redirect is not followed: nobody else gets the token', async (t) => {
  let others = 0;
  const other = await listen(t, (_, response) => {
    others += 1;
    response.end();
  });
  const url = await listen(t, (_, response) => response.writeHead(307, { location: other }).end());
  const outcome = await webhook(t, { url, token: 't0ken' }).send(notice);
  assert.deepEqual(outcome, { outcome: 'failed', detail: 'status 307', canRetry: false });
  assert.equal(others, 0);
});

test('whoever does not come to an end is waited for no longer than is allowed, and failures do not show the address', async (t) => {
  const dripping = await listen(t, (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  });
  // Its head has said that it took the notice. On a machine that stands still for a moment the head may be too late.
  let outcomeOfDrip = '';
  for (let timeoutMs = 200; outcomeOfDrip !== 'delivered' && timeoutMs < 60_000; timeoutMs *= 5) {
    outcomeOfDrip = (await webhook(t, { url: dripping, timeoutMs }).send(notice)).outcome;
  }
  assert.equal(outcomeOfDrip, 'delivered');
  const silent = await listen(t, () => undefined);
  const outcome = await webhook(t, { url: silent, timeoutMs: 200 }).send(notice);
  assert.deepEqual(outcome, { outcome: 'failed', detail: 'timeout', canRetry: true });
  const gone = await webhook(t, { url: 'http://127.0.0.1:1/s3cret' }).send(notice);
  assert.ok(gone.outcome === 'failed' && gone.canRetry && !gone.detail.includes('s3cret'), JSON.stringify(gone));
});

test('whoever asks to be left alone for a while is', async (t) => {
  const url = await listen(t, (_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
  const outcome = await webhook(t, { url }).send(notice);
  assert.deepEqual(outcome, { outcome: 'failed', detail: 'status 429', canRetry: true, retryAfterMs: 120_000 });
});
