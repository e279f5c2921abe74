import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  buildImage,
  createSteppedClock,
  type DataCentreOptions,
  type FaultRule,
  type RunningBmc,
  type SteppedClock,
  startDataCentre,
} from './index.ts';
import { ask, basic, type WireRequest } from './redfish/front/testing/wire.ts';

const sessions = '/redfish/v1/SessionService/Sessions';

/** One Dell BMC over plain HTTP whose time a test moves. */
async function start(context: TestContext, options: Partial<DataCentreOptions> = {}) {
  const clock = createSteppedClock();
  const dataCentre = await startDataCentre({
    seed: 1,
    servers: 1,
    personalities: ['dell-idrac9'],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    clock,
    ...options,
  });
  context.after(async () => {
    await dataCentre.close();
    clock.close();
  });
  const [bmc] = dataCentre.bmcs;
  assert.ok(bmc);
  return { dataCentre, bmc, clock, ...clientOf(bmc) };
}

function clientOf(bmc: RunningBmc) {
  const send = (path: string, order: WireRequest = {}) =>
    ask(`${bmc.url}${path}`, { ...order, headers: { ...basic(bmc), ...order.headers } });
  const logIn = (password = bmc.password) =>
    ask(`${bmc.url}${sessions}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ UserName: bmc.username, Password: password }),
    });
  const withToken = (token: string) => ask(`${bmc.url}${bmc.systemPath}`, { headers: { 'x-auth-token': token } });
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { send, logIn, withToken, post };
}

const isReset = (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET';

test('sessions run out, and closing one makes room', async (t) => {
  const { bmc, logIn, send } = await start(t);
  const slots = bmc.machine.personality.limits.sessions;
  const opened = [];
  for (let count = 0; count < slots; count++) opened.push(await logIn());
  assert.ok(opened.every(({ status }) => status === 201));
  const refused = await logIn();
  assert.equal(refused.status, 503);
  assert.equal(refused.headers['x-auth-token'], undefined);
  const [first] = opened;
  assert.equal((await send(String(first?.headers.location), { method: 'DELETE' })).status < 300, true);
  assert.equal((await logIn()).status, 201);
});

test('a session that nobody uses expires; use keeps it', async (t) => {
  const { bmc, logIn, withToken, clock } = await start(t);
  const token = String((await logIn()).headers['x-auth-token']);
  const { sessionTimeoutMs } = bmc.machine.personality.limits;
  for (let round = 0; round < 3; round++) {
    await clock.advance(sessionTimeoutMs - 1);
    assert.equal((await withToken(token)).status, 200);
  }
  await clock.advance(sessionTimeoutMs + 1);
  assert.equal((await withToken(token)).status, 401);
});

test('bad log-ins lock the account for a while, for Basic too, while sessions go on', async (t) => {
  const { bmc, logIn, send, withToken, clock } = await start(t);
  const token = String((await logIn()).headers['x-auth-token']);
  const { lockoutThreshold, lockoutMs } = bmc.machine.personality.limits;
  for (let tries = 0; tries < lockoutThreshold; tries++) assert.equal((await logIn('wrong')).status, 401);
  assert.equal((await logIn()).status, 401);
  assert.equal((await send(bmc.systemPath)).status, 401);
  assert.equal((await withToken(token)).status, 200);
  await clock.advance(lockoutMs);
  assert.equal((await logIn()).status, 201);
});

test('faults of log-ins: expired and exhausted sessions, and an account that is locked', async (t) => {
  const { dataCentre, bmc, logIn, withToken, send } = await start(t);
  const strike = (rule: FaultRule) => dataCentre.setFaults([rule]);
  const token = String((await logIn()).headers['x-auth-token']);
  strike({ kind: 'session-expired', method: 'GET', path: '*/Systems/*', times: 1 });
  assert.equal((await ask(`${bmc.url}/redfish/v1/Chassis`, { headers: { 'x-auth-token': token } })).status, 200);
  assert.deepEqual([(await withToken(token)).status, (await withToken(token)).status], [401, 401]);
  strike({ kind: 'sessions-exhausted', times: 1 });
  assert.deepEqual([(await logIn()).status, (await logIn()).status], [503, 201]);
  strike({ kind: 'locked-out', times: 1 });
  assert.equal((await logIn()).status, 401);
  assert.equal((await send(bmc.systemPath)).status, 401, 'it stays locked after the fault');
});

test('a restarting BMC cuts what is open, refuses what is new, and comes back without its sessions', async (t) => {
  const { bmc, logIn, post, send, withToken, clock } = await start(t);
  const token = String((await logIn()).headers['x-auth-token']);
  const stream = request(`${bmc.url}/redfish/v1/EventService/SSE`, { headers: basic(bmc) });
  stream.on('error', () => undefined);
  stream.end();
  const [events] = await once(stream, 'response');
  const cut = once(events, 'error');
  events.resume();
  const manager = bmc.machine.personality.ids.manager;
  const reset = `/redfish/v1/Managers/${manager}/Actions/Manager.Reset`;
  const told = await post(reset, { ResetType: 'GracefulRestart' });
  assert.ok(told.status < 300, 'who asked for it is told');
  await cut;
  await assert.rejects(send(bmc.systemPath), isReset);
  await clock.settle();
  assert.equal((await send(bmc.systemPath)).status, 200);
  assert.equal((await withToken(token)).status, 401);
});

test('unauthorized-while-updating strikes while the BMC itself is flashed', async (t) => {
  const { bmc, send, clock, dataCentre } = await start(t);
  dataCentre.setFaults([{ kind: 'unauthorized-while-updating' }]);
  assert.equal((await send(bmc.systemPath)).status, 200);
  assert.equal((await push(bmc, send, 'bmc')).status, 202);
  while (!bmc.machine.manager.isUpdating) await clock.advance(1000);
  assert.equal((await send(bmc.systemPath)).status, 401);
  await clock.settle();
  assert.equal((await send(bmc.systemPath)).status, 200);
});

/** Sends an image for a component in the multipart form. */
function push(
  bmc: RunningBmc,
  send: (path: string, order: WireRequest) => ReturnType<typeof ask>,
  component: string,
  isCut = false,
) {
  const { machine } = bmc;
  const slot = machine.firmware.find((each) => each.component === component);
  const image = buildImage({
    vendor: machine.personality.manufacturer,
    models: [machine.hardware.model],
    softwareId: slot?.softwareId ?? '',
    component,
    version: '9.9.9',
    payloadBytes: 100_000,
  });
  const boundary = 'firmware';
  const bytes = isCut ? image.bytes().subarray(0, 50_000) : image.bytes();
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="UpdateParameters"\r\nContent-Type: application/json\r\n\r\n{"Targets":[]}\r\n`,
    ),
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="UpdateFile"; filename="fw.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.length),
  };
  return send(machine.personality.update.multipartPushUri ?? '', { method: 'POST', headers, body });
}

test('an image that is pushed is installed, one that is cut short is not', async (t) => {
  const { bmc, send, clock } = await start(t);
  const versionOf = () => bmc.machine.firmware.find(({ component }) => component === 'bmc')?.version;
  const before = versionOf();
  await push(bmc, send, 'bmc', true);
  await clock.settle();
  assert.equal(versionOf(), before);
  const answer = await push(bmc, send, 'bmc');
  assert.equal(answer.status, 202);
  assert.match(String(answer.headers.location), /^\/redfish\/v1\//);
  await clock.settle();
  assert.equal(versionOf(), '9.9.9');
});

test('an upload in chunks is refused by Dell', async (t) => {
  const { bmc, send } = await start(t);
  const uri = bmc.machine.personality.update.multipartPushUri ?? '';
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'transfer-encoding': 'chunked' };
  assert.equal((await send(uri, { method: 'POST', headers, body: '--x--\r\n' })).status, 411);
});

test('events reach a subscriber that subscribed over the wire', async (t) => {
  const { bmc, post } = await start(t);
  const got: string[] = [];
  const server = createServer((incoming, response) => {
    incoming.setEncoding('utf8').on('data', (text: string) => got.push(text));
    incoming.on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const subscription = { Destination: `http://127.0.0.1:${port}/`, Protocol: 'Redfish', Context: 'mine' };
  assert.equal((await post('/redfish/v1/EventService/Subscriptions', subscription)).status, 201);
  bmc.machine.events.publish({ messageId: 'Test.1.0.Told', message: 'told', severity: 'OK', origin: '/redfish/v1' });
  await once(server, 'request');
  while (got.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const event = JSON.parse(got.join(''));
  assert.deepEqual([event.Context, event.Events[0].MessageId], ['mine', 'Test.1.0.Told']);
});

/** What a client does in one run, with waits in simulated time. */
async function visit(bmc: RunningBmc, clock: SteppedClock): Promise<void> {
  const { send, post, logIn } = clientOf(bmc);
  await clock.run(bmc.name, async (own) => {
    for (let round = 0; round < 3; round++) {
      await logIn().catch(() => undefined);
      await post(`${bmc.systemPath}/Actions/ComputerSystem.Reset`, { ResetType: 'ForceRestart' }).catch(
        () => undefined,
      );
      await send(bmc.systemPath).catch(() => undefined);
      await new Promise<void>((resolve) => own.after(60_000, resolve, 'sleep'));
    }
  });
}

test('two runs with one seed give the same logs, faults and all; another seed gives others', async (t) => {
  const run = async (seed: number): Promise<string[]> => {
    const faults: FaultRule[] = [
      { kind: 'connection-reset', rate: 0.3 },
      { kind: 'busy', rate: 0.2 },
      { kind: 'slow-answer', rate: 0.2, durationMs: 20_000 },
    ];
    const { dataCentre, clock } = await start(t, { seed, servers: 4, faults, doesLogReads: true });
    await Promise.all(dataCentre.bmcs.map((bmc) => visit(bmc, clock)));
    return dataCentre.bmcs.map(({ machine }) => machine.log.text());
  };
  const [first, second, other] = [await run(5), await run(5), await run(6)];
  assert.match(first.join('\n'), /connection-reset/);
  assert.deepEqual(second, first);
  assert.notDeepEqual(other, first);
});
