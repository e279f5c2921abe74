import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { request } from 'undici';
import { createConsoleFront } from './console-front.ts';

function builtPages(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-console-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Pages</title>');
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'console.log(1)');
  return folder;
}

async function serve(t: TestContext, folder: string) {
  const front = createConsoleFront(folder);
  const server = createServer((asked, answer) => {
    if (!front.handle(asked, answer)) answer.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await request(`${url}${path}`, { headers });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };
  return { front, get };
}

const serveBuilt = (t: TestContext) => serve(t, builtPages(t));

test('every address of a page is one file, and what is no file is not there', async (t) => {
  const { get } = await serveBuilt(t);
  for (const path of ['/console/', '/console/hosts/a/b', '/console/conditions?x=1']) {
    assert.match((await get(path)).text, /Pages/);
  }
  assert.equal((await get('/console/assets/index-abc.js')).text, 'console.log(1)');
  assert.equal((await get('/console/assets/other.js')).status, 404);
  assert.equal((await get('/console')).headers.location, '/console/');
  assert.equal((await get('/apis')).status, 418, 'others answer what is not below /console');
});

test('no path leads out of the folder', async (t) => {
  const { get } = await serveBuilt(t);
  for (const path of [
    '/console/%2e%2e/%2e%2e/etc/passwd',
    '/console/..%2f..%2fetc/passwd',
    '/console/assets/..%5c..%5cx',
  ]) {
    assert.doesNotMatch((await get(path)).text, /root:/);
  }
});

test('pages run under a policy that allows nothing but themselves, and are asked for again only when they changed', async (t) => {
  const { get } = await serveBuilt(t);
  const { headers } = await get('/console/');
  assert.match(String(headers['content-security-policy']), /default-src 'none'; script-src 'self'/);
  assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal((await get('/console/', { 'if-none-match': String(headers.etag) })).status, 304);
  const asset = await get('/console/assets/index-abc.js', { 'accept-encoding': 'gzip' });
  assert.equal(asset.headers['content-encoding'], 'gzip');
  assert.match(String(asset.headers['cache-control']), /immutable/);
});

test('a console that was not built says what to do and builds nothing, and is there once set-up built it', async (t) => {
  const folder = builtPages(t);
  rmSync(join(folder, 'index.html'));
  const { get } = await serve(t, folder);
  for (let times = 0; times < 2; times++) {
    const { status, text } = await get('/console/');
    assert.equal(status, 503);
    assert.match(text, /not built. "npm run setup" in its folder builds it/);
  }
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Pages</title>');
  assert.equal((await get('/console/')).status, 200);
});

test('what is asked of the REST services goes on with the token of whoever asks and with no other', async (t) => {
  const { front, get } = await serveBuilt(t);
  assert.equal((await get('/console/rest/api/v1/servers')).status, 503, 'they are being started');
  front.setRest((asked, answer) => {
    answer.end(JSON.stringify({ url: asked.url, authorization: asked.headers.authorization ?? null }));
  });
  const own = await get('/console/rest/api/v1/servers?limit=1', { authorization: 'Bearer own' });
  assert.deepEqual(JSON.parse(own.text), { url: '/api/v1/servers?limit=1', authorization: 'Bearer own' });
  assert.equal(JSON.parse((await get('/console/rest/api/v1/servers')).text).authorization, null);
});
