import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import { createMetrics } from '../../telemetry/index.ts';
import { createClient } from '../client/client.ts';
import { systemClock } from '../clock.ts';
import { createFakeClock } from '../fake-clock.ts';
import type { AnyKubeObject } from '../object.ts';
import { answerJson, answerStatus, FakeApi, type FakeHandler, type FakeWatch, widgets } from '../testing/fake-api.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';

type Widget = AnyKubeObject & { spec?: unknown };

interface Setup {
  readonly api: FakeApi;
  readonly informer: Informer<Widget>;
  readonly metrics: ReturnType<typeof createMetrics>;
}

async function setUp(t: TestContext, options: Partial<InformerOptions<Widget>> = {}): Promise<Setup> {
  const api = await FakeApi.start();
  const client = await createClient({ server: api.url });
  const metrics = createMetrics();
  const informer = createInformer<Widget>({
    client,
    resource: widgets,
    clock: systemClock,
    random: Math.random,
    metrics,
    backoff: { baseMs: 1, maxMs: 4 },
    ...options,
  });
  t.after(async () => {
    await informer.stop();
    await client.close();
    await api.stop();
  });
  return { api, informer, metrics };
}

function held(informer: Informer<Widget>): Map<string, unknown> {
  return new Map(informer.list().map((object) => [object.metadata?.name ?? '', object.spec]));
}

function isSame(informer: Informer<Widget>, api: FakeApi): boolean {
  const [mine, theirs] = [held(informer), api.state()];
  const entries = [...theirs].every(([name, spec]) => JSON.stringify(mine.get(name)) === JSON.stringify(spec));
  return mine.size === theirs.size && entries;
}

/** Resolves when the informer holds exactly what the server has; the test's own time limit is the only limit. */
function converged({ informer, api }: Setup): Promise<void> {
  return until(informer, () => informer.hasSynced() && isSame(informer, api));
}

async function until(informer: Informer<Widget>, condition: () => boolean): Promise<void> {
  await informer.whenSynced();
  if (condition()) return;
  await new Promise<void>((resolve) => {
    const leave = informer.onChange(() => {
      if (!condition()) return;
      queueMicrotask(() => leave());
      resolve();
    });
  });
}

async function counted(metrics: Setup['metrics'], name: string): Promise<number> {
  const line = new RegExp(`^rackwright_informer_${name}\\{[^}]*\\} (\\d+)`, 'm').exec(await metrics.expose());
  return Number(line?.[1] ?? 0);
}

describe('an informer', { timeout: 60_000 }, () => {
  test('lists page by page, then follows the watch from the version of the listing', async (t) => {
    const setup = await setUp(t, { pageSize: 2 });
    for (let i = 0; i < 5; i++) setup.api.put(`w${i}`, { i });
    setup.informer.start();
    await converged(setup);
    const lists = setup.api.requests.filter((r) => r.query.get('watch') === null);
    assert.equal(lists.length, 3);
    const watch = await setup.api.nextWatch();
    assert.equal(watch.since, setup.api.version);
    assert.equal(watch.request.query.get('allowWatchBookmarks'), 'true');
    assert.ok(Number(watch.request.query.get('timeoutSeconds')) >= 240);
    setup.api.put('w1', { changed: true });
    setup.api.remove('w2');
    setup.api.put('new');
    await converged(setup);
    assert.equal(await counted(setup.metrics, 'relists_total'), 1);
  });

  test('gives handlers previous and current, replays to a late one, and survives one that throws', async (t) => {
    const setup = await setUp(t);
    const seen: string[] = [];
    setup.informer.onChange(() => {
      throw new Error('broken handler');
    });
    setup.informer.onChange((key, { previous, current }) => {
      seen.push(`${key} ${JSON.stringify(previous?.spec)} ${JSON.stringify(current?.spec)}`);
    });
    setup.api.put('a', 1);
    setup.informer.start();
    await converged(setup);
    await setup.api.nextWatch();
    setup.api.put('a', 2);
    await converged(setup);
    setup.api.remove('a');
    await converged(setup);
    assert.deepEqual(seen, ['default/a undefined 1', 'default/a 1 2', 'default/a 2 undefined']);
    assert.ok((await counted(setup.metrics, 'handler_errors_total')) >= 3);
    setup.api.put('b', 3);
    await converged(setup);
    const late: string[] = [];
    setup.informer.onChange((key, { current }) => late.push(`${key} ${current?.spec}`));
    assert.deepEqual(late, ['default/b 3']);
  });

  test('finds objects by index, and keeps the index true through changes and deletions', async (t) => {
    const setup = await setUp(t, { indexers: { colour: (w) => [String((w.spec as { colour?: string })?.colour)] } });
    setup.api.put('a', { colour: 'red' });
    setup.api.put('b', { colour: 'red' });
    setup.informer.start();
    await converged(setup);
    await setup.api.nextWatch();
    const names = (colour: string) => setup.informer.byIndex('colour', colour).map((w) => w.metadata?.name);
    assert.deepEqual(names('red'), ['a', 'b']);
    setup.api.put('a', { colour: 'blue' });
    setup.api.remove('b');
    await converged(setup);
    assert.deepEqual([names('red'), names('blue')], [[], ['a']]);
    assert.throws(() => setup.informer.byIndex('shape', 'x'), /no index "shape"/);
  });

  test('drops managedFields, and gives items of a listing their kind', async (t) => {
    const setup = await setUp(t);
    setup.api.put('a');
    setup.informer.start();
    await converged(setup);
    const object = setup.informer.get('default/a');
    assert.equal(object?.metadata?.managedFields, undefined);
    assert.equal(object?.kind, 'Widget');
    assert.equal(object?.apiVersion, 'example.com/v1');
  });

  test('shows every object again when a resync is asked for', async (t) => {
    const clock = createFakeClock();
    const setup = await setUp(t, { clock, resyncMs: 30_000 });
    setup.api.put('a', 1);
    setup.informer.start();
    await converged(setup);
    const again: string[] = [];
    setup.informer.onChange((key, { previous, current }) => {
      if (previous === current) again.push(key);
    });
    for (let i = 0; i < 3; i++) clock.advance(30_000);
    assert.deepEqual(again, ['default/a', 'default/a', 'default/a']);
  });

  test('is given up on by whoever waits for its first listing, and stops at once', async (t) => {
    const setup = await setUp(t);
    setup.api.handler = () => true;
    setup.informer.start();
    await assert.rejects(setup.informer.whenSynced(AbortSignal.abort()), /has not synced/);
    const waiting = setup.informer.whenSynced();
    await setup.informer.stop();
    await assert.rejects(waiting, /stopped before it had synced/);
  });
});

function fail(code: number, reason: string): FakeHandler {
  return (request) => {
    answerStatus(request, code, reason);
    return true;
  };
}

function html(code: number, text: string): FakeHandler {
  return ({ response }) => {
    response.writeHead(code).end(text);
    return true;
  };
}

const hangUp: FakeHandler = ({ socket }) => {
  socket.destroy();
  return true;
};

const versionless: FakeHandler = (request) => {
  answerJson(request, 200, { kind: 'WidgetList', items: [] });
  return true;
};

/** What a server may do to a watch; afterwards the cache must still be right. */
const faults: Record<string, (watch: FakeWatch, api: FakeApi) => void> = {
  'ends the stream': (watch) => watch.end(),
  'breaks the connection': (watch) => watch.destroy(),
  'half-closes the connection': (watch) => watch.request.socket.end(),
  'sends a line that is not JSON': (watch) => watch.raw('{"type":"ADDED","object":{]}\n'),
  'sends an event of an unknown type': (watch) => watch.send('SURPRISE', {}),
  'sends an event without an object': (watch) => watch.raw('{"type":"ADDED"}\n'),
  'sends null': (watch) => watch.raw('null\n'),
  'drops the connection inside an object': (watch) => {
    watch.raw('{"type":"ADDED","object":{"metadata":{"name":"half');
    watch.destroy();
  },
  'ends the stream inside an object': (watch) => {
    watch.raw('{"type":"ADDED","object":{"metadata":{"name":"half');
    watch.end();
  },
  'says 410 in an event': (watch) =>
    watch.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }),
  'says 500 in an event': (watch) => watch.send('ERROR', { kind: 'Status', code: 500, reason: 'InternalError' }),
  'answers the next requests with 500': (watch, api) => {
    for (let i = 0; i < 5; i++) api.once.push(fail(500, 'InternalError'));
    watch.end();
  },
  'answers the next requests with HTML of a proxy': (watch, api) => {
    api.once.push(html(502, '<html>bad gateway</html>'));
    api.once.push(html(200, '<html>welcome</html>'));
    watch.end();
  },
  'refuses connections for a while': (watch, api) => {
    for (let i = 0; i < 6; i++) api.once.push(hangUp);
    watch.destroy();
  },
  'has forgotten the version to resume from': (watch, api) => {
    watch.destroy();
    api.put('while-away');
    api.compact();
  },
  'sends an object without a name': (watch) => watch.send('ADDED', { metadata: { resourceVersion: '99999' } }),
  'answers a listing without a version': (watch, api) => {
    api.once.push(fail(410, 'Gone'));
    api.once.push(versionless);
    watch.end();
  },
};

describe('an informer converges when the server', { timeout: 60_000 }, () => {
  for (const [name, fault] of Object.entries(faults)) {
    test(name, async (t) => {
      const setup = await setUp(t, { pageSize: 3 });
      for (let i = 0; i < 7; i++) setup.api.put(`w${i}`, { i });
      setup.informer.start();
      await converged(setup);
      const watch = await setup.api.nextWatch();
      // Changes that this watch never delivers: only a good restart can show them.
      watch.isSilent = true;
      setup.api.remove('w3');
      setup.api.put('w4', { changed: true });
      setup.api.put('late', {});
      fault(watch, setup.api);
      await converged(setup);
      // And it still follows.
      setup.api.put('after', {});
      await converged(setup);
    });
  }

  test('repeats events and sends them late', async (t) => {
    const setup = await setUp(t);
    const first = setup.api.put('a', 1);
    setup.informer.start();
    await converged(setup);
    const watch = await setup.api.nextWatch();
    const seen: unknown[] = [];
    setup.informer.onChange((_key, { current }) => seen.push(current?.spec));
    const second = setup.api.put('a', 2);
    watch.send('MODIFIED', second);
    watch.send('MODIFIED', first);
    watch.send('ADDED', first);
    watch.send('DELETED', first);
    setup.api.put('end');
    await converged(setup);
    assert.deepEqual(seen, [1, 2, {}]);
  });

  test('repeats and reorders bookmarks: the watch resumes from the newest version seen', async (t) => {
    const setup = await setUp(t);
    setup.api.put('a', 1);
    setup.informer.start();
    await converged(setup);
    const watch = await setup.api.nextWatch();
    setup.api.put('a', 2);
    await converged(setup);
    const newest = setup.api.version;
    watch.bookmark();
    watch.bookmark('11');
    watch.bookmark();
    watch.bookmark('5');
    watch.end();
    assert.equal((await setup.api.nextWatch()).since, newest);
    assert.equal(await counted(setup.metrics, 'relists_total'), 1);
  });

  test('expires a continue token half-way: everything is asked for at once', async (t) => {
    const setup = await setUp(t, { pageSize: 2 });
    for (let i = 0; i < 6; i++) setup.api.put(`w${i}`, i);
    setup.api.once.push(() => false);
    setup.api.once.push(fail(410, 'Expired'));
    setup.informer.start();
    await converged(setup);
    const lists = setup.api.requests.filter((r) => r.query.get('watch') === null);
    assert.equal(lists.at(-1)?.query.get('limit'), '0');
  });
});

describe('the watchdog of an informer', { timeout: 60_000 }, () => {
  test('lists again when a stream that had bookmarks goes silent', async (t) => {
    const clock = createFakeClock();
    const setup = await setUp(t, { clock, silenceMs: 60_000, backoff: { baseMs: 0, maxMs: 0 } });
    setup.api.put('a', 1);
    setup.informer.start();
    await converged(setup);
    const watch = await setup.api.nextWatch();
    watch.bookmark();
    setup.api.put('a', 2);
    await converged(setup);
    watch.isSilent = true;
    setup.api.put('a', 3);
    clock.advance(59_999);
    assert.equal(await counted(setup.metrics, 'silent_restarts_total'), 0);
    assert.equal(setup.informer.silentForMs(), 59_999);
    clock.advance(1);
    await Promise.all([converged(setup), driveBackoff(clock, setup)]);
    assert.equal(await counted(setup.metrics, 'silent_restarts_total'), 1);
  });

  test('leaves a quiet stream alone while bookmarks come', async (t) => {
    const clock = createFakeClock();
    const setup = await setUp(t, { clock, silenceMs: 60_000 });
    setup.informer.start();
    await converged(setup);
    const watch = await setup.api.nextWatch();
    for (let i = 0; i < 5; i++) {
      const marker = `m${i}`;
      watch.bookmark();
      setup.api.put(marker);
      await converged(setup);
      clock.advance(59_000);
    }
    assert.equal(setup.api.watches.size, 1);
    assert.equal(await counted(setup.metrics, 'silent_restarts_total'), 0);
  });

  test('gives a server without bookmarks until the end of the watch, then lists again', async (t) => {
    const clock = createFakeClock();
    const setup = await setUp(t, { clock, random: () => 0, watchSeconds: 100, backoff: { baseMs: 0, maxMs: 0 } });
    setup.informer.start();
    await converged(setup);
    const watch = await setup.api.nextWatch();
    watch.isSilent = true;
    setup.api.put('unseen');
    clock.advance(114_000);
    assert.equal(await counted(setup.metrics, 'silent_restarts_total'), 0);
    clock.advance(1_000);
    await Promise.all([converged(setup), driveBackoff(clock, setup)]);
    assert.equal(await counted(setup.metrics, 'silent_restarts_total'), 1);
  });
});

/** Lets the pause between two rounds pass. */
async function driveBackoff(clock: ReturnType<typeof createFakeClock>, setup: Setup): Promise<void> {
  const next = setup.api.nextWatch();
  await clock.untilPending();
  clock.advance(1);
  await next;
}

test('whatever the order of changes and faults, the cache converges', { timeout: 120_000 }, async (t) => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ put: names, spec: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ remove: names }) },
    { weight: 1, arbitrary: fc.record({ fault: fc.constantFrom(...Object.keys(faults)) }) },
    { weight: 1, arbitrary: fc.constant({ silence: true }) },
    { weight: 1, arbitrary: fc.constant({ compact: true }) },
  );
  const setup = await setUp(t, { pageSize: 2 });
  setup.informer.start();
  await setup.informer.whenSynced();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      for (const one of steps) {
        const watch = [...setup.api.watches].at(-1);
        if ('put' in one) setup.api.put(one.put, one.spec);
        else if ('remove' in one) setup.api.remove(one.remove);
        else if ('compact' in one) setup.api.compact();
        else if (watch === undefined) continue;
        else if ('silence' in one) watch.isSilent = true;
        else faults[one.fault]?.(watch, setup.api);
      }
      // A silent stream would need the watchdog; end it here, which the tests above show the watchdog to do.
      for (const watch of setup.api.watches) if (watch.isSilent) watch.destroy();
      setup.api.put('last', run++);
      await converged(setup);
    }),
    { numRuns: 40 },
  );
});
