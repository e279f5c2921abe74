import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../telemetry/index.ts';
import { isBmcError } from '../errors.ts';
import type { SmallHandler } from '../http/testing/small-bmc.ts';
import { endSession } from './end-session.ts';
import { defaultGateSettings } from './settings.ts';
import { openTestGate } from './testing/test-gate.ts';
import { until } from './testing/until.ts';

const path = '/redfish/v1/Systems/1';
const sessions = '/redfish/v1/SessionService/Sessions';
const logIn = `POST ${sessions}`;

const says =
  (status: number, id: string, text: string): SmallHandler =>
  () => ({ status, body: { error: { '@Message.ExtendedInfo': [{ MessageId: id, Message: text }] } } });

test('callers that come together share one log-in', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t, { settings: { maxInFlight: 4 } });
  const lanes = [lane, gates.open(endpoint), gates.open({ ...endpoint, origin: `${endpoint.origin}/` })];
  await Promise.all(lanes.map((each) => each.request({ method: 'GET', path })));
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 1);
  assert.equal(gates.states.length, 1);
});

test('one request is in flight at a time, from however many callers', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t);
  let running = 0;
  let most = 0;
  bmc.on(`GET ${path}`, async () => {
    running += 1;
    most = Math.max(most, running);
    await until(() => true);
    running -= 1;
    return { body: {} };
  });
  const lanes = [lane, gates.open(endpoint), gates.open(endpoint)];
  await Promise.all(lanes.flatMap((each) => [1, 2, 3].map(() => each.request({ method: 'GET', path }))));
  assert.equal(most, 1);
  assert.equal(bmc.connected, 1);
});

test('sessions are opened where the root says', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(logIn, () => 404);
  bmc.on('GET /redfish/v1/', () => ({ body: { Links: { Sessions: { '@odata.id': '/redfish/v1/Other/Sessions/' } } } }));
  bmc.on('POST /redfish/v1/Other/Sessions', () => {
    bmc.sessions.set('/redfish/v1/Other/Sessions/9', 'token-9');
    return {
      status: 201,
      headers: { 'x-auth-token': 'token-9', location: `http://nat.example/redfish/v1/Other/Sessions/9` },
    };
  });
  await lane.request({ method: 'GET', path });
  assert.equal(lane.sessionUri, '/redfish/v1/Other/Sessions/9');
  assert.equal(bmc.seen.at(-1)?.headers['x-auth-token'], 'token-9');
});

test('a service without sessions that asks for Basic before it looks at the path gets it', async (t) => {
  const { lane, bmc } = await openTestGate(t, { isBasicOnly: true });
  const asks: SmallHandler = () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="Baremetal API"' } });
  bmc.on(logIn, asks);
  await lane.request({ method: 'GET', path });
  assert.deepEqual(bmc.lines, [logIn, 'GET /redfish/v1/', 'GET /redfish/v1/Systems', `GET ${path}`]);
  await lane.request({ method: 'GET', path });
  assert.equal(bmc.seen.length, 5, 'what was found out is kept');
});

test('a service with sessions that asks for Basic means that the credentials are wrong', async (t) => {
  const asks: SmallHandler = () => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="RedfishService"' } });
  for (const root of [
    { Links: { Sessions: { '@odata.id': sessions } } },
    { SessionService: { '@odata.id': '/redfish/v1/SessionService' } },
  ]) {
    const { lane, bmc } = await openTestGate(t);
    bmc.on(logIn, asks);
    bmc.on('GET /redfish/v1/', () => ({ body: root }));
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
    assert.deepEqual(bmc.lines, [logIn, 'GET /redfish/v1/']);
  }
});

test('an account that is locked is recognised and left alone', async (t) => {
  for (const handler of [
    says(401, 'Base.1.8.ResourceAtUriUnauthorized', 'The account admin is locked.'),
    says(403, 'Oem.1.0.AccountLockedOut', ''),
    () => 423,
  ]) {
    const { lane, bmc } = await openTestGate(t);
    bmc.on(logIn, handler as SmallHandler);
    for (let i = 0; i < 3; i += 1) {
      await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'lockedOut'));
    }
    assert.equal(bmc.seen.length, 1);
    assert.match(lane.state.reason, /locked/);
  }
});

test('refusals of log-ins are recognised in the shapes that vendors give them', async (t) => {
  for (const handler of [says(400, 'iLO.2.14.UnauthorizedLoginAttempt', ''), () => 401, () => 403]) {
    const { lane, bmc } = await openTestGate(t);
    bmc.on(logIn, handler as SmallHandler);
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
    await assert.rejects(lane.request({ method: 'POST', path, body: {} }), (error) => isBmcError(error, 'credentials'));
    assert.equal(bmc.seen.length, 1);
  }
});

test('a BMC without a free session is waited for, and then named as such', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on(logIn, says(503, 'Base.1.8.SessionLimitExceeded', 'The session establishment failed.'));
  await assert.rejects(lane.request({ method: 'POST', path, body: {} }), (error) =>
    isBmcError(error, 'sessionsExhausted'),
  );
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 4);
  assert.ok(!bmc.lines.includes(`POST ${path}`));
});

test('the password is in no error, no log line and no state, even when the BMC quotes it', async (t) => {
  const lines: unknown[] = [];
  const note = (...line: unknown[]): void => void lines.push(line);
  const logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const { lane, bmc } = await openTestGate(t, { password: 'hunter2', logger });
  bmc.on(logIn, says(418, 'x', "No user 'admin' with 'hunter2'."));
  const errors: unknown[] = [];
  await lane.request({ method: 'GET', path }).catch((error: unknown) => errors.push(error));
  bmc.on(logIn, says(401, 'x', "No user 'admin' with 'hunter2'."));
  await lane.request({ method: 'GET', path }).catch((error: unknown) => errors.push(error));
  assert.equal(errors.length, 2);
  const shown = errors.map((error) => [error, String(error), (error as Error).stack]);
  assert.ok(!JSON.stringify([shown, lines, lane.state]).includes('hunter2'));
  assert.equal(lines.length, 1);
});

test('a password that the BMC quotes where the message is cut, or in a message id, is not told', async (t) => {
  const password = 'Xk9-long-password-of-forty-characters-abc';
  for (const before of [560, 570, 580, 590, 598]) {
    const { lane, bmc } = await openTestGate(t, { password });
    bmc.on(logIn, says(400, `Base.1.0.Odd ${password}`, `${'y '.repeat(before / 2)}${password}`));
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => {
      assert.ok(isBmcError(error, 'refused'));
      assert.doesNotMatch(JSON.stringify([error, error.message]), /Xk9/);
      return true;
    });
  }
});

test('credentials that are refused stay refused across callers and methods until the long rest is over', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t, { password: 'wrong' });
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  clock.advance(defaultGateSettings.refusedCoolDownMs - 1_000);
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  assert.equal(bmc.seen.length, 1);
  clock.advance(1_001);
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  assert.equal(bmc.seen.length, 2);
});

test('two callers of which one is wrong do not lock the account by taking turns', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t);
  const wrong = { ...endpoint, credentials: async () => ({ username: 'other', password: 'wrong' }) };
  for (let i = 0; i < 5; i += 1) {
    await gates
      .open(wrong)
      .request({ method: 'GET', path })
      .catch((error) => assert.ok(isBmcError(error, 'credentials')));
    await gates.open(endpoint).request({ method: 'GET', path });
    await lane.logOut();
  }
  const tries = bmc.seen.filter(({ method, body }) => method === 'POST' && body.includes('other'));
  assert.equal(tries.length, 1);
});

test('changed credentials end the old session', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  bmc.password = 'new';
  const other = gates.open({ ...endpoint, credentials: async () => ({ username: 'admin', password: 'new' }) });
  await other.request({ method: 'GET', path });
  assert.deepEqual([...bmc.sessions.keys()], [`${sessions}/2`]);
  assert.equal(lane.sessionUri, `${sessions}/2`);
});

test('the same credentials from another source keep the session', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  await gates
    .open({ ...endpoint, credentials: async () => ({ username: 'admin', password: 'secret' }) })
    .request({ method: 'GET', path });
  assert.equal(bmc.lines.filter((line) => line === logIn).length, 1);
});

test('a session that could not be ended is ended later', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  let isBusy = true;
  bmc.on(`DELETE ${sessions}/1`, ({ path: session }) => (isBusy ? 503 : bmc.sessions.delete(session) ? 204 : 404));
  await lane.logOut();
  assert.equal(lane.sessionUri, undefined);
  assert.equal(bmc.sessions.size, 1);
  isBusy = false;
  clock.advance(30_000);
  await until(() => bmc.sessions.size === 0);
});

test('a session whose token expired is ended with the next one', async (t) => {
  const { lane, bmc, gates } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  // The token is gone, the slot is not.
  bmc.sessions.set(`${sessions}/1`, 'changed');
  await lane.request({ method: 'GET', path });
  assert.equal(bmc.sessions.size, 2);
  await gates.close();
  assert.equal(bmc.sessions.size, 0);
});

test('an old session that the BMC is slow to end does not keep the one in use open', async (t) => {
  const { lane, bmc, gates, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  bmc.sessions.set(`${sessions}/1`, 'changed');
  await lane.request({ method: 'GET', path });
  bmc.on(`DELETE ${sessions}/1`, () => 'handled');
  const closing = gates.close();
  await until(() => bmc.lines.includes(`DELETE ${sessions}/1`));
  clock.advance(5_000);
  await until(() => !bmc.sessions.has(`${sessions}/2`));
  clock.advance(5_000);
  await closing;
});

test('closing does not wait for ever for a BMC that does not answer', async (t) => {
  const { lane, bmc, gates, clock } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  bmc.on(`DELETE ${sessions}/1`, () => 'handled');
  const closing = gates.close();
  await until(() => bmc.lines.includes(`DELETE ${sessions}/1`));
  clock.advance(5_000);
  await closing;
});

test('closing lets what runs come to its end, and refuses what waits', async (t) => {
  const { lane, bmc, gates } = await openTestGate(t);
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  bmc.on(`GET ${path}`, async () => {
    await given;
    return { body: { Name: 'done' } };
  });
  const running = lane.request({ method: 'GET', path });
  const waiting = lane.request({ method: 'GET', path });
  await until(() => bmc.lines.includes(`GET ${path}`));
  const closing = gates.close();
  await assert.rejects(waiting, (error) => isBmcError(error, 'closed'));
  give();
  assert.deepEqual((await running).body, { Name: 'done' });
  await closing;
  assert.equal(bmc.sessions.size, 0);
});

test('a new lease holder ends the session of the old one', async (t) => {
  const old = await openTestGate(t);
  await old.lane.request({ method: 'GET', path });
  const sessionUri = old.lane.sessionUri ?? assert.fail();
  const { gates } = await openTestGate(t);
  const { endpoint } = old;
  await endSession(gates, { endpoint, sessionUri });
  assert.deepEqual([...old.bmc.sessions.keys()], [`${sessions}/2`]);
  // Again, and with a session that is the holder's own.
  await endSession(gates, { endpoint, sessionUri });
  await endSession(gates, { endpoint, sessionUri: `${sessions}/2` });
  assert.equal(old.bmc.sessions.size, 0);
  await assert.rejects(endSession(gates, { endpoint, sessionUri: '/redfish/v1/Systems/1' }), (error) =>
    isBmcError(error, 'badAddress'),
  );
});

test('Basic authentication that is refused later stops at once', async (t) => {
  const { lane, bmc, credentials } = await openTestGate(t, { isBasicOnly: true, authentication: 'basic' });
  await lane.request({ method: 'GET', path });
  assert.deepEqual(bmc.lines, ['GET /redfish/v1/Systems', `GET ${path}`]);
  bmc.password = 'changed';
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'credentials'));
  assert.equal(bmc.seen.length, 3);
  credentials.password = 'changed';
  await lane.request({ method: 'GET', path });
  assert.equal(lane.state.mode, 'open');
});

test('a rotated password of Basic authentication is picked up in the middle', async (t) => {
  const { lane, bmc, credentials } = await openTestGate(t, { isBasicOnly: true, authentication: 'basic' });
  await lane.request({ method: 'GET', path });
  bmc.password = 'changed';
  credentials.password = 'changed';
  assert.equal((await lane.request({ method: 'GET', path })).status, 200);
});

test('credentials that cannot be read are said to be, and nothing is sent', async (t) => {
  const { bmc, gates, endpoint } = await openTestGate(t);
  const lane = gates.open({ ...endpoint, credentials: () => Promise.reject(new Error('no such secret')) });
  await assert.rejects(
    lane.request({ method: 'GET', path }),
    (error) => isBmcError(error, 'blocked') && /no such secret/.test(error.message),
  );
  assert.deepEqual(bmc.seen, []);
});

test('a caller that gives up is let go from the queue, from a pause and from a backoff', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  const abort = new AbortController();
  bmc.on(`GET ${path}`, () => 'handled');
  const running = lane.request({ method: 'GET', path, signal: abort.signal });
  const waiting = lane.request({ method: 'GET', path, signal: abort.signal });
  await until(() => bmc.lines.includes(`GET ${path}`));
  abort.abort();
  await assert.rejects(running, (error) => isBmcError(error, 'cancelled'));
  await assert.rejects(waiting, (error) => isBmcError(error, 'cancelled'));
  await assert.rejects(lane.request({ method: 'GET', path, signal: abort.signal }), (error) =>
    isBmcError(error, 'cancelled'),
  );
});

test('events come on a connection of their own and keep the session alive', async (t) => {
  const { lane, bmc, clock } = await openTestGate(t);
  bmc.on('GET /sse', ({ headers }, response) => {
    assert.equal(headers.accept, 'text/event-stream');
    assert.equal(headers['x-auth-token'], 'token-1');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: one\n\n');
    return 'handled';
  });
  const abort = new AbortController();
  const stream = await lane.openEventStream('/sse', abort.signal);
  const [chunk] = (await stream.take(1).toArray()) as [Buffer];
  assert.equal(String(chunk), 'data: one\n\n');
  const second = await lane.openEventStream('/sse', abort.signal);
  await lane.request({ method: 'GET', path });
  clock.advance(120_000);
  await lane.request({ method: 'GET', path });
  assert.equal(lane.sessionUri, `${sessions}/1`);
  abort.abort();
  await until(() => second.destroyed);
  await assert.rejects(lane.openEventStream('/none', AbortSignal.abort()), (error) => isBmcError(error, 'cancelled'));
});

test('a stream that the BMC does not have is an error like any other', async (t) => {
  const { lane, bmc } = await openTestGate(t);
  bmc.on('GET /sse', () => 404);
  await assert.rejects(lane.openEventStream('/sse', new AbortController().signal), (error) =>
    isBmcError(error, 'notFound'),
  );
});

test('metrics count requests by method and outcome, sessions and stopped gates', async (t) => {
  const metrics = createMetrics();
  const { lane, bmc, credentials } = await openTestGate(t, { metrics, password: 'wrong' });
  await assert.rejects(lane.request({ method: 'GET', path }));
  assert.match(await metrics.expose(), /rackwright_bmc_gates_stopped 1/);
  credentials.password = 'secret';
  await lane.request({ method: 'GET', path });
  bmc.on(`POST ${path}`, () => 400);
  await assert.rejects(lane.request({ method: 'POST', path, body: {} }));
  await lane.logOut();
  const text = await metrics.expose();
  for (const line of [
    'rackwright_bmc_requests_total{method="GET",outcome="credentials"} 1',
    'rackwright_bmc_requests_total{method="GET",outcome="ok"} 1',
    'rackwright_bmc_requests_total{method="POST",outcome="refused"} 1',
    'rackwright_bmc_sessions_opened_total 1',
    'rackwright_bmc_sessions_ended_total 1',
    'rackwright_bmc_log_ins_refused_total 1',
    'rackwright_bmc_gates_stopped 0',
  ]) {
    assert.ok(text.includes(line), `${line} in\n${text}`);
  }
});
