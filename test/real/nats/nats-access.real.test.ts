import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import { until } from '../../../src/engine/bus/contract/until.ts';
import { type BusHint, connectNatsBus, isBusError, type NatsBusOptions } from '../../../src/engine/bus/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { createMetrics, silentLogger } from '../../../src/telemetry/index.ts';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { freePortRange } from '../free-ports.ts';
import { whyNoRealNats } from './binaries.ts';
import { patientTimes, type RealNatsOptions, startNats } from './real-nats.ts';

describe('getting to a real NATS', { skip: whyNoRealNats() ?? false }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'real-nats-access-'));
  after(() => rmSync(dataDir, { recursive: true, force: true }));
  const put = (name: string, text: string): string => {
    writeFileSync(join(dataDir, name), text, { mode: 0o600 });
    return join(dataDir, name);
  };
  const start = async (name: string, options: Omit<RealNatsOptions, 'dataDir' | 'port'>) =>
    startNats({ dataDir: join(dataDir, name), port: await freePortRange(1), ...options });
  const open = (options: Pick<NatsBusOptions, 'url' | 'tls' | 'credentials'>) =>
    connectNatsBus({
      clock: systemClock,
      logger: silentLogger,
      metrics: createMetrics(),
      settings: patientTimes,
      ...options,
    });

  it('trusts a server by its CA, shows a client certificate, and refuses a server of another CA (security.md: tls-peers)', async () => {
    const [authority, stranger] = [await createCertificateAuthority('nats'), await createCertificateAuthority('other')];
    const serving = await authority.issueServer('nats-server');
    const client = await authority.issueClient({ commonName: 'rackwright' });
    const ca = put('ca.crt', authority.certPem);
    const tls = { cert: put('tls.crt', serving.certPem), key: put('tls.key', serving.keyPem), ca };
    const server = await start('tls', { tls });
    try {
      const pair = { cert: client.certPem, key: client.keyPem };
      const bus = await open({ url: server.url, tls: { ca: authority.certPem, ...pair } });
      const heard: BusHint[] = [];
      await bus.listen((hint) => void heard.push(hint));
      await bus.publish({ about: 'online', workerId: 'w' });
      await until('it came', () => heard.length === 1);
      await bus.close();
      const isUntrusted = (error: unknown) => isBusError(error, 'untrusted');
      await assert.rejects(open({ url: server.url, tls: { ca: stranger.certPem, ...pair } }), isUntrusted);
      await assert.rejects(open({ url: server.url }), isUntrusted);
    } finally {
      await server.stop();
    }
  });

  it('lets in whoever has the password, from the URL or apart from it', async () => {
    const user = { name: 'rack', password: 'p@ss/w:rd %' };
    const server = await start('password', { user });
    try {
      const credentials = { kind: 'password', user: user.name, password: user.password } as const;
      const buses = [await open({ url: server.url }), await open({ url: `127.0.0.1:${server.port}`, credentials })];
      for (const bus of buses) {
        assert.equal(bus.isConnected, true);
        await bus.close();
      }
    } finally {
      await server.stop();
    }
  });

  it('lets in whoever has the seed, and nobody with another', async () => {
    const [mine, other] = [nkeys.createUser(), nkeys.createUser()];
    const server = await start('nkey', { nkey: mine.getPublicKey() });
    const openWith = (pair: typeof mine) =>
      open({ url: server.url, credentials: { kind: 'nkey', seed: Buffer.from(pair.getSeed()).toString() } });
    try {
      const bus = await openWith(mine);
      assert.equal(bus.isConnected, true);
      await bus.close();
      await assert.rejects(openWith(other), (error) => isBusError(error, 'refused'));
    } finally {
      await server.stop();
    }
  });

  it('carries status hints even where JetStream is off, and counts the work it could not give', async () => {
    const server = await start('core', { isWithoutJetStream: true });
    const metrics = createMetrics();
    try {
      const bus = await connectNatsBus({
        url: server.url,
        clock: systemClock,
        logger: silentLogger,
        metrics,
        settings: patientTimes,
      });
      const heard: BusHint[] = [];
      await bus.listen((hint) => void heard.push(hint));
      const stop = await bus.takeWork({ facilities: ['f'], kinds: ['k'], workerId: 'w' }, () => {});
      await bus.publish({ about: 'work', facility: 'f', kind: 'k', conditionId: 'c' });
      await bus.keepAlive('w', 1000);
      await assert.rejects(bus.alive(), (error) => isBusError(error, 'away'));
      await bus.publish({ about: 'online', workerId: 'w' });
      await until('the hint came', () => heard.length === 1);
      const text = await metrics.expose();
      assert.match(text, /hints_dropped_total\{about="work",why="refused"\} 1/);
      assert.match(text, /hints_dropped_total\{about="alive",why="refused"\} 1/);
      await stop();
      await bus.close();
    } finally {
      await server.stop();
    }
  });
});
