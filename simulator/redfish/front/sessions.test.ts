import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeMachine, fakeLogin } from './testing/fake-machine.ts';
import { createFakeRoutes } from './testing/fake-routes.ts';
import { ask, basic, serve } from './testing/wire.ts';

test('a session opens with a token that lets in, until it is closed', async (t) => {
  const fake = createFakeMachine({ service: { isBasicAuthAllowed: false } });
  const { urls } = await serve(t, [fake.machine], { routes: createFakeRoutes().routes });
  const opened = await ask(`${urls[0]}/redfish/v1/SessionService/Sessions`, { method: 'POST', body: '{}' });
  assert.equal(opened.status, 201);
  const headers = { 'x-auth-token': String(opened.headers['x-auth-token']) };
  assert.equal((await ask(`${urls[0]}/redfish/v1/Systems`, { headers })).status, 200);
  fake.machine.sessions.close('1');
  assert.equal((await ask(`${urls[0]}/redfish/v1/Systems`, { headers })).status, 401);
});

test('name and password let in only where the BMC takes them', async (t) => {
  const fakes = [true, false].map((isBasicAuthAllowed) => createFakeMachine({ service: { isBasicAuthAllowed } }));
  const { urls } = await serve(
    t,
    fakes.map(({ machine }) => machine),
    { routes: createFakeRoutes().routes },
  );
  const answers = await Promise.all(urls.map((url) => ask(`${url}/redfish/v1/Systems`, { headers: basic(fakeLogin) })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401],
  );
  assert.equal(answers[1]?.headers['www-authenticate'], undefined);
});

test('bad passwords count, and the account ends up locked for good ones too', async (t) => {
  const fake = createFakeMachine();
  const { urls } = await serve(t, [fake.machine], { routes: createFakeRoutes().routes });
  const bad = basic({ ...fakeLogin, password: 'wrong' });
  for (let tries = 0; tries < 3; tries++) await ask(`${urls[0]}/redfish/v1/Systems`, { headers: bad });
  const locked = await ask(`${urls[0]}/redfish/v1/Systems`, { headers: basic(fakeLogin) });
  assert.equal(locked.status, 401);
  assert.equal(locked.json.error.code, 'Base.1.8.ResourceAtUriUnauthorized');
  assert.match(locked.json.error.message, /locked/);
});

test('a header that is no credentials at all does not count as a bad try', async (t) => {
  const fake = createFakeMachine();
  const { urls } = await serve(t, [fake.machine], { routes: createFakeRoutes().routes });
  for (const authorization of ['', 'Basic', 'Basic !!!', `Basic ${btoa('nocolon')}`, 'Bearer x']) {
    assert.equal((await ask(`${urls[0]}/redfish/v1/Systems`, { headers: { authorization } })).status, 401);
  }
  assert.equal((await ask(`${urls[0]}/redfish/v1/Systems`, { headers: basic(fakeLogin) })).status, 200);
});
