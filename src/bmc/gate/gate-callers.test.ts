import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { SmallBmc } from '../http/testing/small-bmc.ts';
import { openTestGate } from './testing/test-gate.ts';

const path = '/redfish/v1/Systems/1';
const sessions = '/redfish/v1/SessionService/Sessions';
const resetPath = `${path}/Actions/ComputerSystem.Reset`;

/** Two accounts, whose tokens say whose they are. */
function giveAccounts(bmc: SmallBmc): void {
  let opened = 0;
  bmc.on(`POST ${sessions}`, ({ body }) => {
    const { UserName, Password } = JSON.parse(body) as { UserName: string; Password: string };
    if (Password !== `${UserName}-password`) return 401;
    opened += 1;
    const session = `${sessions}/${opened}`;
    bmc.sessions.set(session, `${UserName}-${opened}`);
    return { status: 201, headers: { location: session, 'x-auth-token': `${UserName}-${opened}` } };
  });
}

const as = (username: string, password = `${username}-password`) => ({
  credentials: async () => ({ username, password }),
});

test('a caller with refused credentials never acts in the session of another (security.md: attacker-with-bmc)', async (t) => {
  const { bmc, gates, endpoint } = await openTestGate(t);
  giveAccounts(bmc);
  const admin = gates.open({ ...endpoint, ...as('admin') });
  await admin.request({ method: 'GET', path });
  const other = gates.open({ ...endpoint, ...as('reader', 'wrong') });
  await admin.request({ method: 'GET', path });
  const post = other.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
  await assert.rejects(post, (error) => isBmcError(error, 'credentials'));
  assert.ok(!bmc.lines.includes(`POST ${resetPath}`));
  await admin.request({ method: 'GET', path });
});

for (const maxInFlight of [1, 3]) {
  test(`callers with different credentials each act as themselves, ${maxInFlight} at once`, async (t) => {
    const { bmc, gates, endpoint } = await openTestGate(t, { settings: { maxInFlight } });
    giveAccounts(bmc);
    const names = ['admin', 'reader', 'admin'];
    const lanes = names.map((name) => ({ name, lane: gates.open({ ...endpoint, ...as(name) }) }));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        lanes.map(({ name, lane }) => lane.request({ method: 'GET', path: `/redfish/v1/Systems/${name}` })),
      );
    }
    const seen = bmc.seen.filter(({ method }) => method === 'GET');
    assert.ok(seen.length >= 9);
    for (const request of seen) {
      assert.equal(String(request.headers['x-auth-token']).split('-')[0], request.path.split('/').at(-1));
    }
    await gates.close();
    assert.equal(bmc.sessions.size, 0);
  });
}

test('a session is ended before another one is opened for other credentials', async (t) => {
  const { bmc, gates, endpoint } = await openTestGate(t);
  giveAccounts(bmc);
  const [admin, reader] = ['admin', 'reader'].map((name) => gates.open({ ...endpoint, ...as(name) }));
  for (let round = 0; round < 4; round += 1) {
    await admin?.request({ method: 'GET', path });
    await reader?.request({ method: 'GET', path });
    assert.equal(bmc.sessions.size, 1);
  }
});

test('Basic credentials that are answered 403 stop the gate as 401 does', async (t) => {
  const { bmc, lane } = await openTestGate(t, { isBasicOnly: true });
  bmc.on('GET /redfish/v1/Systems', () => 403);
  for (let i = 0; i < 6; i += 1) {
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  }
  assert.equal(bmc.seen.filter(({ headers }) => headers.authorization !== undefined).length, 1);
  assert.equal(lane.state.mode, 'stopped');
});

test('Basic credentials that are answered 403 later are tried on one request before others carry them', async (t) => {
  const { bmc, lane } = await openTestGate(t, { isBasicOnly: true });
  await lane.request({ method: 'GET', path });
  for (const line of [`GET ${path}`, 'GET /redfish/v1/Systems']) bmc.on(line, () => 403);
  const before = bmc.seen.length;
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'refused'));
  for (let i = 0; i < 6; i += 1) {
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  }
  const carried = bmc.seen.slice(before).filter(({ headers }) => headers.authorization !== undefined);
  assert.equal(carried.length, 2);
});

test('Basic credentials are not taken for good by an answer that says nothing about them', async (t) => {
  const { bmc, lane } = await openTestGate(t, { isBasicOnly: true });
  for (const status of [404, 503]) {
    bmc.on('GET /redfish/v1/Systems', () => status);
    await assert.rejects(lane.request({ method: 'GET', path, maxTries: 1 }), (error) => isBmcError(error, 'busy'));
    assert.equal(lane.state.hasSession, false);
  }
  bmc.on('GET /redfish/v1/Systems', () => ({ status: 308, headers: { location: '/redfish/v1/Systems/' } }));
  await lane.request({ method: 'GET', path });
});

test('a BMC that answers 404 while it starts is waited for, and is not sent the password by other ways', async (t) => {
  for (const isRootThere of [false, true]) {
    const { bmc, lane } = await openTestGate(t);
    bmc.on(`POST ${sessions}`, () => 404);
    const root = { Links: { Sessions: { '@odata.id': sessions } } };
    bmc.on('GET /redfish/v1/', () => (isRootThere ? { body: root } : 404));
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'busy'));
    assert.ok(bmc.seen.every(({ headers }) => headers.authorization === undefined));
    bmc.on(`POST ${sessions}`, () => {
      bmc.sessions.set(`${sessions}/1`, 'token');
      return { status: 201, headers: { location: `${sessions}/1`, 'x-auth-token': 'token' } };
    });
    await lane.request({ method: 'GET', path });
    assert.equal(lane.sessionUri, `${sessions}/1`);
  }
});
