import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../src/kube/index.ts';
import type { Machine } from '../machine/machine.ts';
import { createFakeMachine } from '../redfish/front/testing/fake-machine.ts';
import { ask } from '../redfish/front/testing/wire.ts';
import { bmcAddress, urlOf } from './addresses.ts';
import { createCertificates } from './certificates.ts';
import type { ListenError } from './errors.ts';
import { Listeners } from './listeners.ts';
import { openFleet } from './open-fleet.ts';

function fleetOf(count: number): Machine[] {
  return Array.from({ length: count }, (_, index) => ({ ...createFakeMachine().machine, name: `m${index}` }));
}

function createListeners(context: TestContext): Listeners {
  const listeners = new Listeners({
    certificates: undefined,
    answer: async (machine, _, response) => void response.end(machine.name),
  });
  context.after(() => listeners.close());
  return listeners;
}

async function occupy(context: TestContext, address: string): Promise<number> {
  const server: Server = createServer().listen(0, address);
  await once(server, 'listening');
  context.after(() => server.close());
  const bound = server.address();
  return typeof bound === 'object' ? (bound?.port ?? 0) : 0;
}

test('addresses count up without those that end in 0 or 255, and stay in 127/8', () => {
  assert.deepEqual([0, 1, 253, 254, 5000].map(bmcAddress), [
    '127.0.1.1',
    '127.0.1.2',
    '127.0.1.254',
    '127.0.2.1',
    '127.0.20.175',
  ]);
  const all = Array.from({ length: 60_000 }, (_, index) => bmcAddress(index));
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.every((address) => /^127\.\d+\.\d+\.(?!0$|255$)\d+$/.test(address)));
});

test('more BMCs than fit in one batch each answer at their own address, all on one port', async (t) => {
  const machines = fleetOf(300);
  const endpoints = await openFleet(createListeners(t), machines, { addressing: 'address' });
  assert.equal(new Set(endpoints.map(({ port }) => port)).size, 1);
  for (const index of [0, 127, 128, 299]) {
    const endpoint = endpoints[index];
    assert.equal(endpoint?.address, bmcAddress(index));
    if (endpoint !== undefined) assert.equal((await ask(urlOf(endpoint, 'http'))).text, `m${index}`);
  }
});

test('by port, BMCs share an address: free ports, or from the given one on', async (t) => {
  const free = await openFleet(createListeners(t), fleetOf(3), { addressing: 'port' });
  assert.deepEqual(
    free.map(({ address }) => address),
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
  );
  assert.equal(new Set(free.map(({ port }) => port)).size, 3);
  const v6 = await openFleet(createListeners(t), fleetOf(2), { host: '::1' });
  const second = v6[1];
  assert.match(urlOf(second ?? { address: '', port: 0 }, 'http'), /^http:\/\/\[::1\]:\d+$/);
  if (second !== undefined) assert.equal((await ask(urlOf(second, 'http'))).text, 'm1');
});

/** A port that is taken, after one that is free. */
async function occupySecond(context: TestContext): Promise<number> {
  for (;;) {
    const port = await occupy(context, '127.0.0.1');
    const probe = createServer().listen(port - 1, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

test('a taken port is named, and nothing stays open', async (t) => {
  const port = await occupySecond(t);
  const listeners = createListeners(t);
  const first = port - 1;
  await assert.rejects(openFleet(listeners, fleetOf(3), { addressing: 'port', port: first }), (error: ListenError) => {
    assert.equal(error.code, 'EADDRINUSE');
    assert.match(
      error.message,
      new RegExp(`127\\.0\\.0\\.1 port (${first}|${port}|${port + 1}) is taken: choose another`),
    );
    return true;
  });
  const probe = connect(first, '127.0.0.1');
  const [error] = await once(probe, 'error');
  assert.equal(error.code, 'ECONNREFUSED');
});

test('a port that is free at one address and taken at another is taken', async (t) => {
  const port = await occupy(t, bmcAddress(1));
  await assert.rejects(openFleet(createListeners(t), fleetOf(2), { addressing: 'address', port }), {
    code: 'EADDRINUSE',
  });
});

test('what is not on this machine, or does not fit, is refused with a reason', async (t) => {
  const open = (order: Parameters<typeof openFleet>[2]) => openFleet(createListeners(t), fleetOf(2), order);
  await assert.rejects(open({ host: '0.0.0.0' }), { code: 'NotLoopback' });
  await assert.rejects(open({ host: 'example.com', addressing: 'port' }), { code: 'NotLoopback' });
  await assert.rejects(open({ addressing: 'port', port: 65_535 }), { code: 'PortsExhausted' });
});

test('closing ends connections that are kept alive', async (t) => {
  const listeners = createListeners(t);
  const [endpoint] = await openFleet(listeners, fleetOf(1), { addressing: 'port' });
  assert.ok(endpoint);
  const agent = new Agent({ keepAlive: true });
  await ask(urlOf(endpoint, 'http'), { agent });
  const idle = connect(endpoint.port, endpoint.address);
  await once(idle, 'connect');
  const ended = once(idle, 'close');
  idle.resume();
  await listeners.close();
  await ended;
  await assert.rejects(ask(urlOf(endpoint, 'http'), { agent }));
});

test('a client that sends something other than HTTP gets 400', async (t) => {
  const [endpoint] = await openFleet(createListeners(t), fleetOf(1), { addressing: 'port' });
  const socket = connect(endpoint?.port ?? 0, '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 400 /);
});

test('each BMC shows a certificate of its own, and another one when it changes', async () => {
  const certificates = await createCertificates(systemClock);
  const [one, other] = fleetOf(2);
  assert.ok(one && other);
  const first = await certificates.fingerprintOf(one, '127.0.0.1');
  assert.match(first, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.equal(await certificates.fingerprintOf(one, '127.0.0.1'), first);
  assert.notEqual(await certificates.fingerprintOf(other, '127.0.0.1'), first);
  Object.assign(one.manager, { certificateGeneration: 2 });
  assert.notEqual(await certificates.fingerprintOf(one, '127.0.0.1'), first);
});

test('a context that was dropped comes back with the same certificate', async () => {
  const certificates = await createCertificates(systemClock, { mostContexts: 1 });
  const [one, other] = fleetOf(2);
  assert.ok(one && other);
  const context = await certificates.contextOf(one, '127.0.0.1');
  const fingerprint = await certificates.fingerprintOf(one, '127.0.0.1');
  assert.equal(await certificates.contextOf(one, '127.0.0.1'), context);
  await certificates.contextOf(other, '127.0.0.1');
  assert.notEqual(await certificates.contextOf(one, '127.0.0.1'), context);
  assert.equal(await certificates.fingerprintOf(one, '127.0.0.1'), fingerprint);
});

test('a client that leaves in the middle of a handshake disturbs nobody', async (t) => {
  const certificates = await createCertificates(systemClock);
  const listeners = new Listeners({ certificates, answer: async (_, __, response) => void response.end('here') });
  t.after(() => listeners.close());
  const [endpoint] = await openFleet(listeners, fleetOf(1), { addressing: 'port' });
  assert.ok(endpoint);
  const distrustful = connectTls({ host: endpoint.address, port: endpoint.port });
  const [error] = await once(distrustful, 'error');
  assert.match(error.code, /SIGNATURE|CERT|SELF_SIGNED|LEAF/);
  const silent = connect(endpoint.port, endpoint.address);
  silent.end('GET / HTTP/1.1\r\n\r\n');
  silent.resume();
  await once(silent, 'close');
  assert.equal((await ask(urlOf(endpoint, 'https'), { ca: certificates.caPem })).text, 'here');
});
