import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { quietHost, startSmallBmc } from '../http/testing/small-bmc.ts';
import { openTestGate } from './testing/test-gate.ts';

const path = '/redfish/v1/Systems/1';
const logIn = 'POST /redfish/v1/SessionService/Sessions';

test('while the BMC is away every request fails at once, and after it is back the next one works', async (t) => {
  const { lane, bmc } = await openTestGate(t, { host: quietHost });
  await lane.request({ method: 'GET', path });
  const over = lane.expectOutage();
  await bmc.close();
  for (let i = 0; i < 3; i += 1) {
    const before = lane.state.requests;
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'unreachable'));
    assert.ok(lane.state.requests - before <= 2, 'the gate does not wait for it itself');
  }
  const back = await startSmallBmc({ host: quietHost, port: bmc.port });
  t.after(() => back.close());
  assert.equal((await lane.request({ method: 'GET', path })).status, 200);
  // Its old session is not known any more: the root was asked before the new log-in.
  assert.deepEqual(back.lines, [`GET ${path}`, 'GET /redfish/v1/', logIn, `GET ${path}`]);
  over();
});

test('503 and 401 during an outage are busy', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  const over = lane.expectOutage();
  bmc.on(`GET ${path}`, () => 503);
  await assert.rejects(
    lane.request({ method: 'GET', path }),
    (error) => isBmcError(error, 'busy') && error.status === 503,
  );
  for (const method of ['GET', 'POST']) bmc.on(`${method} *`, () => 401);
  bmc.on('GET /redfish/v1/', () => 401);
  bmc.on(`GET ${path}`, () => 401);
  await assert.rejects(
    lane.request({ method: 'GET', path }),
    (error) => isBmcError(error, 'busy') && error.status === 401,
  );
  // A root that wants a log-in is no BMC to log in to.
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 1);
  over();
});

test('log-ins that are refused during an outage are few, and do not stop the gate afterwards', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  const over = lane.expectOutage();
  bmc.sessions.clear();
  bmc.password = 'not yet';
  for (let i = 0; i < 40; i += 1) {
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'busy'));
    clock.advance(15_000);
  }
  // Ten minutes: one at once, one after half a minute, and then a rest.
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 3);
  assert.equal(lane.state.mode, 'paused');
  bmc.password = 'secret';
  clock.advance(600_000);
  over();
  assert.equal((await lane.request({ method: 'GET', path })).status, 200);
  assert.equal(lane.state.mode, 'open');
});

test('a session that is refused right after it was opened is not opened again and again', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(`GET ${path}`, () => 401);
  for (let i = 0; i < 5; i += 1) {
    await assert.rejects(
      lane.request({ method: 'GET', path }),
      (error) => isBmcError(error, 'refused') && error.status === 401,
    );
  }
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 3);
});

test('an outage ends when its last holder says so, and saying it twice counts once', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  const [one, two] = [lane.expectOutage(), lane.expectOutage()];
  one();
  one();
  bmc.on('GET /redfish/v1/', () => 401);
  const root = () => lane.request({ method: 'GET', path: '/redfish/v1/', isPublic: true });
  await assert.rejects(root(), (error) => isBmcError(error, 'busy'));
  two();
  bmc.on('GET /redfish/v1/', ({ headers }) =>
    headers['x-auth-token'] === undefined ? 401 : { body: { Name: 'root' } },
  );
  // Outside of an outage a root that wants a log-in gets one.
  assert.deepEqual((await root()).body, { Name: 'root' });
});
