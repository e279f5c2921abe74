import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ServiceFeatures } from '../../personalities/personality.ts';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

const login = basic(fakeLogin);

async function start(context: TestContext, service: Partial<ServiceFeatures> = {}) {
  const fake = createFakeMachine({ service });
  const tree = createFakeRoutes();
  const { urls } = await serve(context, [fake.machine], { routes: tree.routes });
  const url = `${urls[0]}/redfish/v1/Systems/a`;
  const read = async () => String((await ask(url, { headers: login })).headers.etag);
  const patch = async (headers: Record<string, string>, to = 'second') =>
    (await ask(url, { method: 'PATCH', headers: { ...login, ...headers }, body: JSON.stringify({ Label: to }) }))
      .status;
  return { ...tree, url, read, patch, base: `${urls[0]}/redfish/v1` };
}

test('an ETag lives as long as its resource stays the same, although its clock goes on', async (t) => {
  const { read, label, url } = await start(t);
  const first = await read();
  assert.match(first, /^"[0-9A-F]{16}"$/);
  assert.equal(await read(), first);
  assert.equal((await ask(url, { headers: login })).json['@odata.etag'], first);
  label.text = 'other';
  assert.notEqual(await read(), first);
});

test('If-None-Match gets 304 without a body until the resource changes', async (t) => {
  const { read, url, label } = await start(t);
  const headers = { ...login, 'if-none-match': await read() };
  const same = await ask(url, { headers });
  assert.deepEqual([same.status, same.text], [304, '']);
  label.text = 'other';
  assert.equal((await ask(url, { headers })).status, 200);
});

test('If-Match lets a change through once, and an old ETag gets 412', async (t) => {
  const { read, patch, label } = await start(t);
  const etag = await read();
  assert.equal(await patch({ 'if-match': etag }), 200);
  assert.equal(label.text, 'second');
  assert.equal(await patch({ 'if-match': etag }, 'third'), 412);
  assert.equal(label.text, 'second');
  assert.equal(await patch({ 'if-match': '*' }, 'third'), 200);
  assert.equal(await patch({}, 'fourth'), 200);
});

test('Lenovo wants If-Match: 428 without it', async (t) => {
  const { read, patch } = await start(t, { isIfMatchRequired: true });
  assert.equal(await patch({}), 428);
  assert.equal(await patch({ 'if-match': await read() }), 200);
});

test('weak ETags are taken back in both forms, or in the strong one only', async (t) => {
  const lenient = await start(t, { hasWeakEtags: true });
  assert.match(await lenient.read(), /^W\/"/);
  assert.equal(await lenient.patch({ 'if-match': await lenient.read() }), 200);
  const strict = await start(t, { hasWeakEtags: true, doesRefuseWeakIfMatch: true });
  const weak = await strict.read();
  assert.equal(await strict.patch({ 'if-match': weak }), 412);
  assert.equal(await strict.patch({ 'if-match': weak.slice(2) }), 200);
});

test('Dell refuses actions that come with If-Match', async (t) => {
  for (const [doActionsRefuseIfMatch, status] of [
    [true, 412],
    [false, 202],
  ] as const) {
    const { url, read } = await start(t, { doActionsRefuseIfMatch });
    const headers = { ...login, 'if-match': await read() };
    const answer = await ask(`${url}/Actions/ComputerSystem.Reset`, { method: 'POST', headers, body: '{}' });
    assert.equal(answer.status, status);
  }
});

test('HPE refuses registries in the identity encoding, and nothing else', async (t) => {
  const { base, url } = await start(t, { doesRefuseIdentityEncoding: true, hasGzip: true });
  const headers = { ...login, 'accept-encoding': 'identity' };
  assert.equal((await ask(`${base}/Registries/Bios`, { headers })).status, 406);
  assert.equal((await ask(url, { headers })).status, 200);
  assert.equal((await ask(`${base}/Registries/Bios`, { headers: login })).status, 200);
});

test('large bodies are compressed when asked for, under an ETag that no If-Match takes', async (t) => {
  const { base } = await start(t, { hasGzip: true });
  const plain = await ask(`${base}/Registries/Bios`, { headers: login });
  const packed = await ask(`${base}/Registries/Bios`, { headers: { ...login, 'accept-encoding': 'gzip, deflate' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(packed.bytes).toString(), plain.text);
  assert.equal(packed.headers.etag, String(plain.headers.etag).replace(/"$/, '-gzip"'));
  const declined = await ask(`${base}/Registries/Bios`, { headers: { ...login, 'accept-encoding': 'gzip;q=0' } });
  assert.equal(declined.headers['content-encoding'], undefined);
});
