import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { openTestGate } from './testing/test-gate.ts';

const systems = '/redfish/v1/Systems';

test('a request logs in once, and the next one uses the same session', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  await lane.request({ method: 'GET', path: systems });
  await lane.request({ method: 'GET', path: systems });
  assert.deepEqual(bmc.lines, ['POST /redfish/v1/SessionService/Sessions', `GET ${systems}`, `GET ${systems}`]);
  assert.equal(bmc.connected, 1);
  assert.equal(lane.sessionUri, '/redfish/v1/SessionService/Sessions/1');
  assert.equal(bmc.seen[1]?.headers['x-auth-token'], 'token-1');
});

test('a public request needs no log-in', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  const { body } = await lane.request({ method: 'GET', path: '/redfish/v1/', isPublic: true });
  assert.deepEqual(body, { Name: 'root' });
  assert.deepEqual(bmc.lines, ['GET /redfish/v1/']);
});

test('an expired session is renewed once and the request repeated', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  await lane.request({ method: 'GET', path: systems });
  bmc.sessions.clear();
  const reply = await lane.request({ method: 'GET', path: systems });
  assert.equal(reply.status, 200);
  assert.equal(lane.sessionUri, '/redfish/v1/SessionService/Sessions/2');
});

const logIns = (bmc: { readonly lines: readonly string[] }): number =>
  bmc.lines.filter((line) => line === 'POST /redfish/v1/SessionService/Sessions').length;

test('a BMC that loses even fresh sessions now and then is logged in to for as long as that helps', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  let losses = 0;
  bmc.on(`GET ${systems}`, () => {
    losses -= 1;
    return losses >= 0 ? 401 : { status: 200, body: {} };
  });
  for (let round = 0; round < 5; round += 1) {
    losses = 2;
    await assert.rejects(lane.request({ method: 'GET', path: systems }), (error) => isBmcError(error, 'refused'));
    losses = 1;
    assert.equal((await lane.request({ method: 'GET', path: systems })).status, 200);
  }
});

test('for a path that stays closed there is no log-in each time it is asked', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  const closed = '/redfish/v1/Managers/1/Closed';
  bmc.on(`GET ${closed}`, () => 401);
  for (let round = 0; round < 5; round += 1) {
    await assert.rejects(lane.request({ method: 'GET', path: closed }), (error) => isBmcError(error, 'refused'));
    await lane.request({ method: 'GET', path: systems });
  }
  assert.equal(logIns(bmc), 3);
});

test('closing logs out', async (t) => {
  const { lane, bmc, gates } = await openTestGate(t);
  await lane.request({ method: 'GET', path: systems });
  await gates.close();
  assert.equal(bmc.sessions.size, 0);
  await assert.rejects(lane.request({ method: 'GET', path: systems }), (error) => isBmcError(error, 'closed'));
});

test('closing tries again to log out of a BMC that is busy or cuts it off', async (t) => {
  const { lane, bmc, gates } = await openTestGate(t);
  await lane.request({ method: 'GET', path: systems });
  const session = '/redfish/v1/SessionService/Sessions/1';
  let tries = 0;
  bmc.on(`DELETE ${session}`, (_, response) => {
    tries += 1;
    if (tries === 1) return 503;
    if (tries === 2) {
      response.destroy();
      return 'handled';
    }
    bmc.sessions.delete(session);
    return 204;
  });
  await gates.close();
  assert.deepEqual([tries, bmc.sessions.size], [3, 0]);
});

test('an idle gate logs out by itself and logs in again when it is asked', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path: systems });
  const deleted = new Promise<void>((resolve) =>
    bmc.on('DELETE /redfish/v1/SessionService/Sessions/1', () => {
      resolve();
      return 204;
    }),
  );
  clock.advance(30_001);
  await deleted;
  await lane.request({ method: 'GET', path: systems });
  assert.equal(lane.sessionUri, '/redfish/v1/SessionService/Sessions/2');
});

test('bad credentials are tried once, and not again before they change (security.md: bmc-refused-password)', async (t) => {
  const { lane, bmc, credentials } = await openTestGate(t, { password: 'wrong' });
  for (let i = 0; i < 3; i += 1) {
    await assert.rejects(lane.request({ method: 'GET', path: systems }), (error) => isBmcError(error, 'credentials'));
  }
  assert.equal(bmc.seen.length, 1);
  assert.equal(lane.state.mode, 'stopped');
  credentials.password = 'secret';
  await lane.request({ method: 'GET', path: systems });
  assert.equal(lane.state.mode, 'open');
});

test('a BMC without sessions gets Basic authentication, checked with one request', async (t) => {
  const { lane, bmc } = await openTestGate(t, { isBasicOnly: true });
  await lane.request({ method: 'GET', path: '/redfish/v1/Chassis' });
  await lane.request({ method: 'GET', path: '/redfish/v1/Chassis' });
  assert.deepEqual(bmc.lines, [
    'POST /redfish/v1/SessionService/Sessions',
    'GET /redfish/v1/',
    `GET ${systems}`,
    'GET /redfish/v1/Chassis',
    'GET /redfish/v1/Chassis',
  ]);
});
