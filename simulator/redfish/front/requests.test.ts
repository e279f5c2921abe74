import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ServiceFeatures } from '../../personalities/personality.ts';
import type { Route } from '../route.ts';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

const login = basic(fakeLogin);

async function start(
  context: TestContext,
  order: { service?: Partial<ServiceFeatures>; routes?: readonly Route[]; doesLogReads?: boolean } = {},
) {
  const fake = createFakeMachine(order);
  const tree = createFakeRoutes();
  const { urls, bugs } = await serve(context, [fake.machine], {
    routes: tree.routes,
    doesLogReads: order.doesLogReads ?? false,
  });
  return { ...tree, fake, bugs, url: `${urls[0]}/redfish/v1` };
}

test('the root is open, with and without a trailing slash, and all else wants a log-in', async (t) => {
  const { url } = await start(t);
  for (const path of ['', '/', '/$metadata']) assert.equal((await ask(`${url}${path}`)).status, 200, path);
  for (const path of ['/Systems', '/Systems/', '/Nowhere', '/SessionService/Sessions']) {
    const answer = await ask(`${url}${path}`);
    assert.equal(answer.status, 401, path);
    assert.equal(answer.json.error['@Message.ExtendedInfo'][0].MessageId, 'Base.1.8.NoValidSession');
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic/);
  }
  assert.equal((await ask(`${url}/Systems/`, { headers: login })).status, 200);
});

test('answers carry what Redfish wants in headers', async (t) => {
  const { url, fake } = await start(t);
  fake.clock.advance(86_400_000 * 400);
  const { headers } = await ask(`${url}/Systems/a`, { headers: login });
  assert.equal(headers['odata-version'], '4.0');
  assert.equal(headers.allow, 'GET, HEAD, PATCH, DELETE');
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers.date, new Date(fake.clock.now()).toUTCString(), 'the date is by the clock of the BMC');
});

test('what is not there is 404, a method that is not taken 405 with the ones that are', async (t) => {
  const { url } = await start(t);
  const missing = await ask(`${url}/Nowhere`, { headers: login });
  assert.equal(missing.status, 404);
  assert.equal(missing.json.error.code, 'Base.1.8.ResourceMissingAtURI');
  assert.equal((await ask(`${url}/Systems/%zz`, { headers: login })).status, 404);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await ask(`${url}/Systems`, { method, headers: login });
    assert.equal(refused.status, 405, method);
    assert.equal(refused.headers.allow, 'GET, HEAD');
    assert.equal(refused.json.error.code, 'Base.1.8.OperationNotAllowed');
  }
});

test('HEAD answers as GET without a body', async (t) => {
  const { url } = await start(t);
  const got = await ask(`${url}/Systems`, { headers: login });
  const head = await ask(`${url}/Systems`, { method: 'HEAD', headers: login });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
  assert.equal(head.headers['content-length'], got.headers['content-length']);
  assert.equal(head.headers.etag, got.headers.etag);
});

test('texts that are not JSON go out as they are', async (t) => {
  const { url } = await start(t);
  const answer = await ask(`${url}/$metadata`);
  assert.equal(answer.text, '<x/>');
  assert.equal(answer.headers['content-type'], 'application/xml');
});

test("a personality's route wins over a shared one, method by method", async (t) => {
  const own: Route = {
    pattern: '/redfish/v1/Systems/:id',
    get: ({ params, path }) => ({ status: 200, body: { Own: params.id, Path: path } }),
  };
  const { url } = await start(t, { routes: [own] });
  assert.deepEqual((await ask(`${url}/Systems/Bay%3A1`, { headers: login })).json, {
    Own: 'Bay:1',
    Path: '/redfish/v1/Systems/Bay:1',
  });
  assert.equal((await ask(`${url}/Systems/x`, { method: 'DELETE', headers: login })).status, 204);
});

test('a fixed part of a path goes before an open one, and back when it leads nowhere', async (t) => {
  const say = (word: string) => () => ({ status: 200, body: { Word: word } });
  const routes: Route[] = [
    { pattern: '/redfish/v1/Chassis/:id/Power', get: say('open') },
    { pattern: '/redfish/v1/Chassis/Self', get: say('fixed') },
    { pattern: '/redfish/v1/Chassis/:id', get: say('any') },
  ];
  const { url } = await start(t, { routes });
  const words = await Promise.all(
    ['Self', 'Self/Power', 'Other'].map(
      async (path) => (await ask(`${url}/Chassis/${path}`, { headers: login })).json.Word,
    ),
  );
  assert.deepEqual(words, ['fixed', 'open', 'any']);
});

test('bad JSON, JSON that is no object, and other types of content are refused', async (t) => {
  const { url, posted } = await start(t);
  const send = (body: string, type = 'application/json') =>
    ask(`${url}/Systems/a/Actions/ComputerSystem.Reset`, {
      method: 'POST',
      headers: { ...login, 'content-type': type },
      body,
    });
  for (const body of ['{"a":', '[]', '3', 'null']) {
    const answer = await send(body);
    assert.equal(answer.status, 400, body);
    assert.equal(answer.json.error.code, 'Base.1.8.MalformedJSON');
  }
  assert.equal((await send('<a/>', 'text/xml')).status, 415);
  assert.equal((await send(`{"a":"${'x'.repeat(2 ** 20)}"}`)).status, 413);
  assert.equal(posted.length, 0);
  assert.equal((await send('{"ResetType":"On"}', 'application/json; charset=utf-8')).status, 202);
  assert.deepEqual(posted[0]?.body, { ResetType: 'On' });
});

test('a POST without a body counts as an empty object', async (t) => {
  const { url, posted } = await start(t);
  await ask(`${url}/Systems/a/Actions/ComputerSystem.Reset`, { method: 'POST', headers: login });
  assert.deepEqual(posted[0]?.body, {});
});

test('changes are logged with their result, reads only when asked for', async (t) => {
  const quiet = await start(t);
  await ask(`${quiet.url}/Systems`, { headers: login });
  await ask(`${quiet.url}/Systems/a`, { method: 'DELETE', headers: login });
  await ask(`${quiet.url}/Systems/a`, { method: 'DELETE' });
  assert.deepEqual(quiet.fake.lines, [
    'request DELETE /redfish/v1/Systems/a 204',
    'request DELETE /redfish/v1/Systems/a 401',
  ]);
  const loud = await start(t, { doesLogReads: true });
  await ask(`${loud.url}/Systems`, { headers: login });
  assert.deepEqual(loud.fake.lines, ['request GET /redfish/v1/Systems 200']);
});

test('an answer that cannot be sent is an internal error, too', async (t) => {
  const odd: Route = {
    pattern: '/redfish/v1/Odd',
    get: () => ({ status: 200, headers: { 'X-Odd': 'a\nb' }, body: {} }),
  };
  const { url, bugs } = await start(t, { routes: [odd] });
  assert.equal((await ask(`${url}/Odd`, { headers: login })).status, 500);
  assert.equal(bugs.length, 1);
});

test('a handler that throws is an internal error, and is told', async (t) => {
  const { url, bugs } = await start(t);
  const answer = await ask(`${url}/Broken`, { headers: login });
  assert.equal(answer.status, 500);
  assert.equal(answer.json.error.code, 'Base.1.8.InternalError');
  assert.match(String(bugs[0]), /a bug/);
});

test('who asked is in the log where that is wanted', async (t) => {
  const fake = createFakeMachine({});
  const { urls } = await serve(t, [fake.machine], {
    routes: createFakeRoutes().routes,
    doesLogReads: true,
    doesLogCallers: true,
  });
  await ask(`${urls[0]}/redfish/v1/Systems`, { headers: { ...login, 'user-agent': 'w1.2/firmwareInstall' } });
  await ask(`${urls[0]}/redfish/v1/Systems`, { headers: login });
  assert.deepEqual(fake.lines, [
    'request GET /redfish/v1/Systems 200 by=w1.2/firmwareInstall',
    'request GET /redfish/v1/Systems 200 by=',
  ]);
});
