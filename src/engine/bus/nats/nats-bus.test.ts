import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '../../../kube/index.ts';
import { createLogger, createMetrics } from '../../../telemetry/index.ts';
import { until } from '../contract/until.ts';
import { isBusError } from '../errors.ts';
import { connectNatsBus, type NatsBusOptions } from './nats-bus.ts';

const secret = 'hunter2';

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Connections, and servers of other tests, have 127.0.0.1: elsewhere a port that nobody listens on stays so. */
async function deserted(): Promise<string> {
  const server = createServer();
  const port = await listen(server, '127.0.0.2');
  server.close();
  await once(server, 'close');
  return `127.0.0.2:${port}`;
}

/** Something that speaks as much NATS as it takes to get as far as the login. */
async function fakeServer(info: object, onLine: (line: string, answer: (text: string) => void) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'x', version: '2.15.2', max_payload: 1e6, proto: 1, ...info })}\r\n`,
    );
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\r\n')) onLine(line, (text) => socket.write(text));
    });
  });
  const close = (): void => {
    // The NATS client leaves the socket of an attempt open that timed out before its log-in.
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { close, port: await listen(server) };
}

function open(options: Partial<NatsBusOptions> & Pick<NatsBusOptions, 'url'>) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const logger = createLogger({ level: 'debug', write: (line) => void lines.push(line) });
  const settings = {
    reconnect: { baseMs: 20, maxMs: 50 },
    firstConnectMs: 60_000,
    dialTimeoutMs: 60_000,
    requestTimeoutMs: 400,
    ...options.settings,
  };
  const opening = connectNatsBus({ clock: systemClock, logger, metrics, ...options, settings });
  return { opening, lines, metrics };
}

describe('a NATS bus without NATS', () => {
  it('opens, says that it is not connected, drops at once and counts, and closes', async () => {
    const { opening, lines, metrics } = open({ url: `nats://user:${secret}@${await deserted()}` });
    const bus = await opening;
    assert.equal(bus.isConnected, false);
    const stop = await bus.listen(() => {});
    const stopWork = await bus.takeWork({ facilities: ['f'], kinds: ['k'], workerId: 'w' }, () => {});
    await bus.publish({ about: 'work', facility: 'f', kind: 'k', conditionId: 'c' });
    await bus.publish({ about: 'online', workerId: 'w' });
    await bus.keepAlive('w', 1000);
    await assert.rejects(bus.alive(), (error) => isBusError(error, 'away'));
    const attempts = async () =>
      Number(/connect_failures_total\{why="unreachable"\} (\d+)/.exec(await metrics.expose())?.[1] ?? 0);
    await until('it tried more than once', async () => (await attempts()) > 2);
    await stop();
    await stopWork();
    await bus.close();
    const text = await metrics.expose();
    for (const about of ['work', 'online', 'alive']) {
      assert.match(text, new RegExp(`hints_dropped_total\\{about="${about}",why="disconnected"\\} 1`));
    }
    assert.ok(lines.some((line) => line.includes('cannot be reached')));
    assert.doesNotMatch(lines.join(''), new RegExp(secret));
  });

  it('does not wait longer than its bound for a server that does not speak', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => void sockets.add(socket));
    const url = `nats://127.0.0.1:${await listen(server)}`;
    const { opening } = open({ url, settings: { firstConnectMs: 50, dialTimeoutMs: 300 } });
    const bus = await opening;
    assert.equal(bus.isConnected, false);
    await bus.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('a NATS bus that is refused', () => {
  const refuse = (line: string, answer: (text: string) => void): void => {
    if (line.startsWith('CONNECT')) answer(`-ERR 'Authorization Violation'\r\n`);
  };

  it('says so at once when the first login fails, without the password', async () => {
    const { close, port } = await fakeServer({ auth_required: true, headers: true }, refuse);
    const { opening, lines } = open({ url: `nats://user:${secret}@127.0.0.1:${port}` });
    await assert.rejects(opening, (error: unknown) => {
      assert.ok(isBusError(error, 'refused'), String(error));
      assert.match(error.message, /refuses these credentials/);
      assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), new RegExp(secret));
      return true;
    });
    assert.doesNotMatch(lines.join(''), new RegExp(secret));
    close();
  });

  it('says so when a seed or a creds file is broken, without showing it', async () => {
    const url = `nats://${await deserted()}`;
    const broken = [
      { kind: 'nkey', seed: `SU${secret}` },
      { kind: 'creds', creds: `-----BEGIN NATS USER JWT-----\n${secret}\n` },
    ] as const;
    for (const credentials of broken) {
      const { opening, lines } = open({ url, credentials });
      await assert.rejects(opening, (error: unknown) => {
        assert.ok(isBusError(error, 'refused'), String(error));
        assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), new RegExp(secret));
        return true;
      });
      assert.doesNotMatch(lines.join(''), new RegExp(secret));
    }
  });

  it('asks for the credentials anew for every connection', async () => {
    const logins: string[] = [];
    const { close, port } = await fakeServer({ auth_required: true, headers: true }, (line, answer) => {
      if (!line.startsWith('CONNECT')) return;
      logins.push(JSON.parse(line.slice(8)).pass);
      // What drops the line rather than refusing the login is tried again.
      answer(`-ERR 'Maximum Connections Exceeded'\r\n`);
    });
    let round = 0;
    const credentials = () => ({ kind: 'password', user: 'u', password: `p${round++}` }) as const;
    const { opening } = open({
      url: `nats://127.0.0.1:${port}`,
      credentials,
      settings: { firstConnectMs: 20, dialTimeoutMs: 100 },
    });
    const bus = await opening;
    await until('it logged in twice', () => logins.length >= 2);
    await bus.close();
    close();
    // A connection that took too long has asked for some that nobody heard.
    assert.equal(new Set(logins).size, logins.length, logins.join());
  });

  it('never sends a password in the clear where TLS was asked for', async () => {
    const heard: string[] = [];
    const { close, port } = await fakeServer({ headers: true }, (line) => void heard.push(line));
    const { opening } = open({ url: `tls://user:${secret}@127.0.0.1:${port}` });
    await assert.rejects(opening, (error) => isBusError(error, 'untrusted'));
    assert.deepEqual(heard, []);
    close();
  });
});
