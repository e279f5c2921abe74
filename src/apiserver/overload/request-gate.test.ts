import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openAdmission } from '../admission/admission.ts';
import { type TemporaryServer, temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';
import { asKubeObject } from '../object.ts';
import type { GivenLimits } from './limits.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });

interface Gated extends TemporaryServer {
  /** Who wrote, in the order in which writes began. */
  readonly begun: string[];
  /** Lets writes go on from now on. */
  open(): void;
  metric(pattern: RegExp): Promise<number>;
}

/** A server whose users come by header, and whose writes of widgets, and of what is called held, wait until they are told to go on. */
async function gatedServer(t: TestContext, limits: GivenLimits): Promise<Gated> {
  const begun: string[] = [];
  const opened = Promise.withResolvers<void>();
  t.after(() => opened.resolve());
  const admission: typeof openAdmission = {
    ...openAdmission,
    isIdle: () => false,
    mutate: async (write) => {
      if (write.object?.kind === 'Widget' || write.object?.metadata.name === 'held') {
        begun.push(write.user.username);
        await opened.promise;
      }
      return write.object;
    },
  };
  const server = await temporaryServer(t, {
    core: { admission },
    limits,
    userOf: (request) => userNamed(request.headers['x-user']),
  });
  const metric = async (pattern: RegExp): Promise<number> =>
    Number(pattern.exec(await server.metrics.registry.metrics())?.[1] ?? 0);
  return { ...server, begun, open: () => opened.resolve(), metric };
}

function userNamed(header: string | string[] | undefined): { username: string; groups: string[] } {
  const username = String(header ?? 'root');
  return { username, groups: username === 'root' ? ['system:masters'] : ['system:authenticated'] };
}

const as = (user: string): Record<string, string> => ({ 'x-user': user });
const queuedWrites = /apiserver_current_inqueue_requests\{request_kind="mutating"\} (\d+)/;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

function create(server: Gated, user: string, name: string) {
  return server.request('POST', widgetsAt(), widgetOf(name), as(user));
}

test('hundreds of writes of one user do not keep another from its turn', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 2, seatsPerClient: 2 } });
  const greedy = Array.from({ length: 200 }, (_, n) => create(server, 'greedy', `g${n}`));
  await until(async () => (await server.metric(queuedWrites)) === 198);
  const modest = create(server, 'modest', 'm');
  await until(async () => (await server.metric(queuedWrites)) === 199);
  server.open();
  assert.equal((await modest).code, 201);
  assert.ok(server.begun.indexOf('modest') <= 5, `it came after ${server.begun.indexOf('modest')} others`);
  for (const reply of await Promise.all(greedy)) assert.equal(reply.code, 201);
  assert.equal(await server.metric(queuedWrites), 0);
});

test('past its queue a user is told when to come again, in the words that clients understand', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1, waitingPerClient: 1 } });
  const [first, second] = [create(server, 'a', 'w1'), create(server, 'a', 'w2')];
  await until(async () => (await server.metric(queuedWrites)) === 1);
  const refused = await create(server, 'a', 'w3');
  assert.equal(refused.code, 429);
  assert.equal(refused.headers.get('retry-after'), '1');
  const { kind, status, reason, details, code } = refused.object;
  assert.deepEqual(
    { kind, status, reason, details, code },
    {
      kind: 'Status',
      status: 'Failure',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    },
  );
  const waiting = create(server, 'b', 'w4'); // somebody else has a queue of its own
  await until(async () => (await server.metric(queuedWrites)) === 2);
  server.open();
  for (const reply of await Promise.all([first, second, waiting])) assert.equal(reply.code, 201);
  assert.equal((await server.request('GET', widgetsAt('w3'))).code, 404);
  assert.equal(await server.metric(/rejected_total\{reason="queue-full"\} (\d+)/), 1);
  // What was never looked at is not a verdict.
  assert.deepEqual([...new Set(server.audited.map((entry) => entry.code))], [201]);
});

test('who waits too long is sent away, and nothing is written', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1, longestWaitMs: 20 } });
  const first = create(server, 'a', 'w1');
  await until(() => server.begun.length === 1);
  assert.equal((await create(server, 'b', 'w2')).code, 429);
  server.open();
  assert.equal((await first).code, 201);
  assert.equal((await server.request('GET', widgetsAt('w2'))).code, 404);
});

test('administrators and electors do not wait, unless an elector has a crowd of leases', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1, waitingPerClient: 1 }, leasesPerClient: 1 });
  const busy = [create(server, 'a', 'w1'), create(server, 'a', 'w2')];
  await until(async () => (await server.metric(queuedWrites)) === 1);
  assert.equal((await server.request('POST', leases, lease('x'), as('a'))).code, 201);
  assert.equal((await server.request('GET', `${leases}/x`, undefined, as('a'))).code, 200);
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  assert.equal((await server.request('POST', '/api/v1/namespaces/default/configmaps', configMap)).code, 201);
  const held = server.request('POST', leases, lease('held'), as('a'));
  await until(() => server.begun.length === 2);
  assert.equal((await server.request('POST', leases, lease('y'), as('a'))).code, 429);
  server.open();
  await Promise.all([...busy, held]);
});

test('watches keep no seat, and a user may have only so many', async (t) => {
  const server = await gatedServer(t, { reads: { seats: 1, seatsPerClient: 1 }, watch: { watchesPerClient: 3 } });
  const path = `${widgetsAt()}?watch=1`;
  const watches: IncomingMessage[] = [];
  for (let n = 0; n < 3; n++) watches.push(await openGet(server, path, 'a'));
  assert.deepEqual(
    watches.map((watch) => watch.statusCode),
    [200, 200, 200],
  );
  const refused = await openGet(server, path, 'a');
  assert.equal(refused.statusCode, 429);
  refused.resume();
  assert.equal((await server.request('GET', widgetsAt(), undefined, as('a'))).code, 200);
  const others = await openGet(server, path, 'b');
  assert.equal(others.statusCode, 200);
  watches[0]?.destroy();
  await until(async () => {
    const again = await openGet(server, path, 'a');
    again.destroy();
    return again.statusCode === 200;
  });
  for (const watch of [...watches, others]) watch.destroy();
});

test('who sends a body slowly keeps nobody from writing', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1, seatsPerClient: 1, waitingPerClient: 0 } });
  server.open();
  const slow: Socket[] = [];
  for (let n = 0; n < 20; n++) slow.push(await rawRequest(server, ['POST', widgetsAt()], { user: 'a', length: 500 }));
  assert.equal((await create(server, 'a', 'w')).code, 201);
  for (const socket of slow) socket.destroy();
});

test('bodies that wait may take only so much memory', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1 }, bodyBytes: 10_000 });
  const large = (name: string) =>
    server.request('POST', widgetsAt(), widgetOf(name, { text: 'x'.repeat(6000) }), as('a'));
  const first = large('w1');
  await until(() => server.begun.length === 1);
  assert.equal((await large('w2')).code, 429);
  server.open();
  assert.equal((await first).code, 201);
  assert.equal((await large('w3')).code, 201); // the memory has been given back
});

test('who went away while it waited is not served', async (t) => {
  const server = await gatedServer(t, { writes: { seats: 1, seatsPerClient: 1 } });
  const first = create(server, 'a', 'w1');
  await until(() => server.begun.length === 1);
  const body = JSON.stringify(widgetOf('w2'));
  const leaving = await rawRequest(server, ['POST', widgetsAt()], { user: 'a', length: body.length, body });
  await until(async () => (await server.metric(queuedWrites)) === 1);
  leaving.destroy();
  await until(async () => (await server.metric(queuedWrites)) === 0);
  server.open();
  assert.equal((await first).code, 201);
  assert.deepEqual(server.begun, ['a']);
});

test('an answer that is not taken keeps its seat, and its client loses the connection in the end', async (t) => {
  const server = await gatedServer(t, { reads: { seats: 2, seatsPerClient: 1 }, answerMs: 3000 });
  server.open();
  // Past HTTP, since large answers are what is short of time here.
  for (let n = 0; n < 24; n++) {
    const key = { bucket: 'example.com/widgets', namespace: 'default', name: `w${n}` };
    const spec = n === 0 ? {} : { text: 'x'.repeat(900_000) };
    const object = asKubeObject(widgetOf(key.name, spec, { namespace: 'default', uid: `u${n}` }));
    await server.store.write({ kind: 'create', key, object });
  }
  const stuck = await rawRequest(server, ['GET', widgetsAt()], { user: 'a' });
  const inFlight = /apiserver_current_inflight_requests\{request_kind="readOnly"\} (\d+)/;
  await until(async () => (await server.metric(inFlight)) === 1);
  assert.equal((await server.request('GET', widgetsAt('w0'), undefined, as('b'))).code, 200);
  assert.equal((await server.request('GET', widgetsAt('w0'), undefined, as('a'))).code, 200); // after the other was cut off
  stuck.resume();
  await once(stuck, 'close');
  assert.equal(await server.metric(inFlight), 0);
});

/** Sends a head, and as much of the body as is given, on a connection that reads nothing. */
async function rawRequest(
  { url }: Gated,
  [method, path]: readonly [method: string, path: string],
  sent: { user: string; length?: number; body?: string },
): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const length =
    sent.length === undefined ? '' : `Content-Length: ${sent.length}\r\nContent-Type: application/json\r\n`;
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nX-User: ${sent.user}\r\n${length}\r\n${sent.body ?? ''}`);
  return socket;
}

function openGet({ url }: Gated, path: string, user: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url + path, { agent: false, headers: as(user) }, (response) =>
      resolve(response.on('error', () => undefined)),
    )
      .on('error', reject)
      .end();
  });
}
