import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { until } from '../../../src/engine/bus/contract/until.ts';
import {
  type Bus,
  type BusHint,
  connectNatsBus,
  isBusError,
  type NatsSettings,
} from '../../../src/engine/bus/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { createLogger, createMetrics, type MetricsRegistry } from '../../../src/telemetry/index.ts';
import { freePortRange } from '../free-ports.ts';
import { whyNoRealNats } from './binaries.ts';
import { startChildTaker } from './child-taker.ts';
import { patientTimes, type RealNats, startNats } from './real-nats.ts';

const user = { name: 'rack', password: 'hunter2 / %41' };
const work = (conditionId: string, facility = 'fra'): BusHint => ({
  about: 'work',
  facility,
  kind: 'install',
  conditionId,
});

/** A bus of a fleet, with what it logged and counted. */
interface Opened {
  readonly bus: Bus;
  readonly metrics: MetricsRegistry;
  readonly lines: string[];
}

describe('when things happen to a real NATS', { skip: whyNoRealNats() ?? false }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'real-nats-faults-'));
  const opened: Bus[] = [];
  let port = 0;
  let server: RealNats;
  let observer: NatsConnection;
  let jsm: JetStreamManager;
  let fleets = 0;
  const start = () => startNats({ dataDir, port, user });
  const newFleet = (): Partial<NatsSettings> => ({
    ...patientTimes,
    prefix: `faults-${fleets++}`,
    reconnect: { baseMs: 50, maxMs: 500 },
    heartbeatMs: 500,
  });
  const open = async (settings: Partial<NatsSettings>): Promise<Opened> => {
    const [metrics, lines] = [createMetrics(), [] as string[]];
    const logger = createLogger({ level: 'debug', write: (line) => void lines.push(line) });
    const bus = await connectNatsBus({ url: server.url, clock: systemClock, logger, metrics, settings });
    opened.push(bus);
    return { bus, metrics, lines };
  };
  const take = async (bus: Bus, facility = 'fra') => {
    const ids: string[] = [];
    const order = { facilities: [facility], kinds: ['install'], workerId: 'w' };
    const stop = await bus.takeWork(order, (hint) => void (hint.about === 'work' && ids.push(hint.conditionId)));
    return { ids, stop };
  };
  const observe = async (): Promise<void> => {
    observer = await connect({ servers: `127.0.0.1:${port}`, user: user.name, pass: user.password });
    jsm = await jetstreamManager(observer);
  };
  before(async () => {
    port = await freePortRange(1);
    server = await start();
    await observe();
  });
  after(async () => {
    for (const bus of opened) await bus.close();
    await observer.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('says clearly that credentials are wrong, without repeating them', async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'debug', write: (line) => void lines.push(line) });
    const url = `nats://${user.name}:wrong-hunter3@127.0.0.1:${port}`;
    const opening = connectNatsBus({
      url,
      clock: systemClock,
      logger,
      metrics: createMetrics(),
      settings: patientTimes,
    });
    await assert.rejects(opening, (error: unknown) => {
      assert.ok(isBusError(error, 'refused'), String(error));
      assert.match(error.message, new RegExp(`127.0.0.1:${port} refuses these credentials`));
      assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter/);
      return true;
    });
    assert.doesNotMatch(lines.join(''), /hunter/);
  });

  it('keeps work for a taker that comes later, one hint for each condition however often it is published', async () => {
    const settings = newFleet();
    const { bus } = await open(settings);
    for (let round = 0; round < 5; round++) {
      for (const id of ['a', 'b', 'c']) await bus.publish(work(id));
    }
    const { state } = await jsm.streams.info(`${settings.prefix}-work`);
    assert.equal(state.messages, 3);
    const { ids, stop } = await take((await open(settings)).bus);
    await until('all came', () => ids.length === 3, { seen: () => ids });
    assert.deepEqual([...ids].sort(), ['a', 'b', 'c']);
    const isEmpty = async () => (await jsm.streams.info(`${settings.prefix}-work`)).state.messages === 0;
    await until('nothing waits any more', isEmpty);
    await stop();
  });

  it('sets bounds on what waits', async () => {
    const settings = { ...newFleet(), workMaxHints: 10 };
    const { bus } = await open(settings);
    for (let i = 0; i < 50; i++) await bus.publish(work(`c${i}`));
    const { ids, stop } = await take(bus);
    await until('what is left came', () => ids.includes('c49'));
    assert.deepEqual(
      ids,
      Array.from({ length: 10 }, (_, i) => `c${i + 40}`),
    );
    const { config } = await jsm.streams.info(`${settings.prefix}-work`);
    assert.ok(config.max_age > 0 && config.duplicate_window > 0);
    await stop();
  });

  it('changes the bounds of a stream that is there when the settings have changed', async () => {
    const settings = newFleet();
    await open(settings);
    await open({ ...settings, workMaxHints: 77 });
    const { config } = await jsm.streams.info(`${settings.prefix}-work`);
    assert.equal(config.max_msgs, 77);
  });

  it('goes on after the stream was deleted, for those that publish and those that take', async () => {
    const settings = newFleet();
    const { bus, metrics } = await open(settings);
    const { ids, stop } = await take((await open(settings)).bus);
    await bus.publish(work('before'));
    await until('it came', () => ids.includes('before'));
    await jsm.streams.delete(`${settings.prefix}-work`);
    await bus.publish(work('after'));
    await until('work comes again', () => ids.includes('after'), { seen: () => ids });
    assert.doesNotMatch(await metrics.expose(), /hints_dropped_total\{about="work"/);
    await stop();
  });

  it('makes a deleted stream again where somebody takes, though nobody publishes', async () => {
    const settings = newFleet();
    const { stop } = await take((await open(settings)).bus);
    await jsm.streams.delete(`${settings.prefix}-work`);
    const isThere = async () => (await jsm.streams.names(`${settings.prefix}.work.>`).next()).length > 0;
    await until('it is there again', isThere);
    await stop();
  });

  it('goes on after a consumer was deleted', async () => {
    const settings = newFleet();
    const { bus } = await open(settings);
    const { ids, stop } = await take(bus);
    await jsm.consumers.delete(`${settings.prefix}-work`, 'fra__install');
    await bus.publish(work('after'));
    await until('work comes again', () => ids.includes('after'));
    await stop();
  });

  it('keeps signs of life after their bucket was deleted', async () => {
    const settings = newFleet();
    const { bus } = await open(settings);
    await bus.keepAlive('w1', 60_000);
    assert.deepEqual([...(await bus.alive())], ['w1']);
    await jsm.streams.delete(`KV_${settings.prefix}-alive`);
    await bus.keepAlive('w2', 60_000);
    assert.deepEqual([...(await bus.alive())], ['w2']);
    await jsm.streams.delete(`KV_${settings.prefix}-alive`);
    assert.deepEqual([...(await bus.alive())], []);
  });

  it('takes no notice of messages that are no hints, nor of work that claims another facility', async () => {
    const settings = newFleet();
    const { bus, metrics } = await open(settings);
    const heard: BusHint[] = [];
    await bus.listen((hint) => void heard.push(hint));
    const { ids, stop } = await take(bus);
    const subject = (name: string) => `${settings.prefix}.${name}`;
    observer.publish(subject('hint.online'), 'not json');
    observer.publish(subject('hint.online'), JSON.stringify(work('by the wrong door')));
    observer.publish(subject('work.fra.install.x'), '{}');
    observer.publish(subject('work.fra.install.y'), JSON.stringify(work('from elsewhere', 'ams')));
    await observer.flush();
    await bus.publish({ about: 'online', workerId: 'w' });
    await bus.publish(work('real'));
    await until('the real ones came', () => heard.length > 0 && ids.length > 0);
    assert.deepEqual([heard, ids], [[{ about: 'online', workerId: 'w' }], ['real']]);
    assert.match(await metrics.expose(), /messages_malformed_total 4/);
    await stop();
  });

  it('gives work to another process when one is killed', async () => {
    const settings = newFleet();
    const { bus } = await open(settings);
    const order = { url: server.url, settings, facility: 'fra', kind: 'install' };
    const [one, two] = await Promise.all([startChildTaker(order), startChildTaker(order)]);
    const alive = await bus.alive();
    assert.deepEqual([...alive].sort(), [`${one.pid}`, `${two.pid}`].sort());
    const ids = Array.from({ length: 200 }, (_, i) => `c${i}`);
    await Promise.all(ids.map((id) => bus.publish(work(id))));
    await until('both took all of it', () => one.taken.length + two.taken.length >= 200);
    assert.deepEqual([...one.taken, ...two.taken].sort(), [...ids].sort());
    assert.ok(one.taken.length > 20 && two.taken.length > 20, `${one.taken.length} and ${two.taken.length}`);
    await one.kill();
    const more = ids.map((id) => `more-${id}`);
    await Promise.all(more.map((id) => bus.publish(work(id))));
    const hasAll = () => more.every((id) => two.taken.includes(id));
    await until('the other took all of it', hasAll, { seen: () => two.taken.length });
    assert.equal(await two.stop(), 0);
  });

  it('drops within its bound while the server hangs, and sends no hint twice when it tried twice', async () => {
    const settings = { ...newFleet(), requestTimeoutMs: 2000 };
    const { bus, metrics } = await open(settings);
    const { ids, stop } = await take(bus);
    const consumer = () => jsm.consumers.info(`${settings.prefix}-work`, 'fra__install').catch(() => undefined);
    await until('it takes', async () => ((await consumer())?.num_waiting ?? 0) > 0);
    await server.freeze();
    try {
      await bus.publish(work('slow'));
      await bus.keepAlive('w', 60_000);
      await assert.rejects(bus.alive(), (error) => isBusError(error, 'away'));
    } finally {
      server.thaw();
    }
    const text = await metrics.expose();
    assert.match(text, /hints_dropped_total\{about="work",why="timeout"\} 1/);
    assert.match(text, /hints_dropped_total\{about="alive",why="timeout"\} 1/);
    // Both tries lie in the server's hands now, in this order with what comes after them.
    await bus.publish(work('next'));
    await until('both came', () => ids.includes('next'));
    assert.deepEqual(ids, ['slow', 'next']);
    // Two tries of the first and one of the second made two messages.
    assert.equal((await jsm.streams.info(`${settings.prefix}-work`)).state.last_seq, 2);
    await stop();
  });

  it('goes on after the server was away, without anybody doing anything', async () => {
    const settings = newFleet();
    const [publisher, worker] = [await open(settings), await open(settings)];
    const heard: BusHint[] = [];
    await worker.bus.listen((hint) => void heard.push(hint));
    const early = await take(worker.bus);
    await publisher.bus.publish(work('before'));
    await until('it came', () => early.ids.includes('before'));
    await observer.close();
    await server.kill();
    await until('both know', () => !publisher.bus.isConnected && !worker.bus.isConnected);
    await publisher.bus.publish(work('lost'));
    await publisher.bus.publish({ about: 'online', workerId: 'lost' });
    const late = await take(worker.bus, 'ams');
    assert.match(await publisher.metrics.expose(), /hints_dropped_total\{about="work",why="disconnected"\} 1/);
    server = await start();
    await observe();
    await until('both are back', () => publisher.bus.isConnected && worker.bus.isConnected);
    await until('work comes again', async () => {
      await publisher.bus.publish(work('after'));
      await publisher.bus.publish(work('after', 'ams'));
      await publisher.bus.publish({ about: 'online', workerId: 'after' });
      return early.ids.includes('after') && late.ids.includes('after') && heard.length > 0;
    });
    assert.ok(!early.ids.includes('lost'));
    assert.deepEqual(heard[0], { about: 'online', workerId: 'after' });
    assert.doesNotMatch([...publisher.lines, ...worker.lines].join(''), /hunter/);
  });

  it('connects by itself to a server that starts after it, and that lost all it had', async () => {
    await observer.close();
    await server.stop();
    const settings = newFleet();
    const { bus } = await open(settings);
    assert.equal(bus.isConnected, false);
    const { ids } = await take(bus);
    rmSync(join(dataDir, 'jetstream'), { recursive: true, force: true });
    server = await start();
    await observe();
    await until('it is connected', () => bus.isConnected);
    await until('work comes', async () => {
      await bus.publish(work('first'));
      return ids.length > 0;
    });
    await bus.keepAlive('w', 60_000);
    assert.deepEqual([...(await bus.alive())], ['w']);
  });
});
