import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { closeUnaskedConnections } from './unasked-connection.ts';

/** All that comes on a connection that begins with a text. */
async function answerTo(t: TestContext, text: string): Promise<string> {
  const options = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 };
  const server = createServer(options, (_, response) => response.end());
  closeUnaskedConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  await once(socket, 'close');
  return answer;
}

test('a connection on which nothing was asked is closed without an answer', async (t) => {
  assert.equal(await answerTo(t, ''), '');
});

test('a request that does not end, and what is none, get an answer', async (t) => {
  assert.match(await answerTo(t, 'GET / HTTP/1.1\r\n'), /^HTTP\/1\.1 408 /);
  assert.match(await answerTo(t, 'hello\r\n\r\n'), /^HTTP\/1\.1 400 /);
});
