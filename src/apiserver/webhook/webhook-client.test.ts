import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createCertificateAuthority, issueServerCertificate } from '../../kube/index.ts';
import { WebhookCallError, WebhookClient } from './webhook-client.ts';
import { serverFault, transportFault } from './webhook-fault.ts';

type Reply = { code?: number; text: string } | 'hang' | 'hang-up';

describe('a webhook call', () => {
  const client = new WebhookClient();
  let server: Server;
  let reply: Reply = { text: '{}' };
  const asked: { url: string; body: string }[] = [];
  let url = '';
  let caBundle = '';
  let strangerBundle = '';

  before(async () => {
    const now = new Date();
    const authority = await createCertificateAuthority({ commonName: 'hooks', now });
    const pair = await issueServerCertificate(authority, { now, ips: ['127.0.0.1'] });
    const stranger = await createCertificateAuthority({ commonName: 'stranger', now });
    caBundle = Buffer.from(authority.certificatePem).toString('base64');
    strangerBundle = Buffer.from(stranger.certificatePem).toString('base64');
    server = createServer({ cert: pair.certificatePem, key: pair.privateKeyPem }, (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        asked.push({ url: request.url ?? '', body });
        if (reply === 'hang-up') request.socket.destroy();
        else if (reply !== 'hang')
          response.writeHead(reply.code ?? 200, { 'content-type': 'application/json' }).end(reply.text);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/admit`;
  });

  after(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  async function faultOf(config: { url?: string; caBundle?: string }, seconds = 10): Promise<string> {
    try {
      await client.post({ url, caBundle, ...config }, {}, seconds);
      return 'answered';
    } catch (error) {
      assert.ok(error instanceof WebhookCallError, String(error));
      return error.message;
    }
  }

  test('posts the review and its timeout', async () => {
    reply = { text: '{"kind":"Answer"}' };
    assert.deepEqual(await client.post({ url, caBundle }, { kind: 'Question' }, 7), { kind: 'Answer' });
    assert.deepEqual(asked.at(-1), { url: '/admit?timeout=7s', body: '{"kind":"Question"}' });
  });

  test('trusts only the authority it was given (security.md: tls-webhooks)', async () => {
    const words = `Post "${url}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`;
    assert.equal(await faultOf({ caBundle: strangerBundle }), words);
    assert.equal(await faultOf({ caBundle: '' }), words);
  });

  test('is not made to where nothing may be connected to (security.md: egress-one-policy)', async () => {
    for (const address of ['https://169.254.169.254/admit', 'https://[fe80::1]/admit'])
      assert.match(await faultOf({ url: address }), /none that may be connected to/);
  });

  test('says that nobody listens', async () => {
    assert.equal(
      await faultOf({ url: 'https://127.0.0.1:1/x' }),
      'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  test('says that the other side hung up', async () => {
    reply = 'hang-up';
    assert.equal(await faultOf({}), `Post "${url}?timeout=10s": EOF`);
  });

  test('ends when its time is over', async () => {
    reply = 'hang';
    assert.equal(await faultOf({}, 1), `Post "${url}?timeout=1s": context deadline exceeded`);
  });

  const answers: readonly (readonly [string, string])[] = [
    ['', '0-length response with status code: 200 and content type: application/json'],
    ['what', 'cannot unmarshal string into Go value'],
    ['[]', 'cannot unmarshal array into Go value'],
  ];
  for (const [text, words] of answers) {
    test(`cannot use the answer ${JSON.stringify(text)}`, async () => {
      reply = { text };
      assert.ok((await faultOf({})).includes(words));
    });
  }

  test('says what an error answer says', async () => {
    reply = { code: 500, text: 'oh no' };
    assert.equal(await faultOf({}), 'an error on the server ("oh no") has prevented the request from succeeding');
    reply = { code: 400, text: '{"kind":"Status","status":"Failure","message":"mine"}' };
    assert.equal(await faultOf({}), 'mine');
  });

  test('to a Service says that there is no cluster network, unless somebody knows the way', async () => {
    const service = { namespace: 'n', name: 's', path: '/there' };
    await assert.rejects(
      client.post({ service }, {}, 10),
      /service "n\/s" cannot be reached: .*give the webhook a clientConfig\.url/,
    );
    reply = { text: '{}' };
    const guided = new WebhookClient(() => url);
    await guided.post({ service, caBundle }, {}, 10);
    await guided.close();
    assert.equal(asked.at(-1)?.url, '/there?timeout=10s');
  });
});

describe('the words for', () => {
  test('HTTP codes', () => {
    assert.equal(serverFault(404, 'x'), 'the server could not find the requested resource');
    assert.equal(serverFault(403, 'go away'), 'go away');
    assert.equal(
      serverFault(418, 'x'),
      'the server responded with the status code 418 but did not return more information',
    );
  });

  test('names that nobody knows', () => {
    const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    assert.equal(
      transportFault(error, new URL('https://nowhere.invalid/x')),
      'dial tcp: lookup nowhere.invalid: no such host',
    );
  });
});
