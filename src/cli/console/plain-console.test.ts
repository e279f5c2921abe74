import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servePlainConsole } from './plain-console.ts';

const front = { handle: () => false, setRest: () => undefined, close: async () => undefined };
const server = { url: 'https://127.0.0.1:9', caPem: '' };

/** Of the address at which it is served. */
async function hostnameFor(host: string): Promise<string> {
  const served = await servePlainConsole(front, server, { host, port: 0, consolePort: undefined });
  await served.close();
  const { protocol, hostname } = new URL(served.url);
  assert.equal(protocol, 'http:');
  return hostname;
}

test('the console in clear text is on loopback, whatever the API listens on', async () => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    assert.equal(await hostnameFor(host), '127.0.0.1', host);
  }
});
