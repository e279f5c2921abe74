import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock } from '../../../kube/index.ts';
import { noMetrics, silentLogger } from '../../../telemetry/index.ts';
import { createBusMetrics } from '../bus-metrics.ts';
import { BusError } from '../errors.ts';
import type { Link } from './dial.ts';
import { keepLink } from './link-keeper.ts';
import { completeSettings } from './nats-settings.ts';

/** A connection that ends when told to. */
function fakeLink(): { readonly link: Link; end(error?: Error): void } {
  const closed = Promise.withResolvers<Error | undefined>();
  const nc = {
    closed: () => closed.promise,
    close: async () => closed.resolve(undefined),
    drain: async () => closed.resolve(undefined),
    getServer: () => 'fake:4222',
    status: async function* () {},
  };
  // Only what keeping a connection needs of it.
  return { link: { nc } as unknown as Link, end: (error) => closed.resolve(error) };
}

function start(script: (() => Link | Error)[]) {
  const clock = createFakeClock();
  const dialled: number[] = [];
  const linked: Link[] = [];
  const keeper = keepLink({
    async dial() {
      dialled.push(clock.monotonic());
      const next = script.shift()?.() ?? new BusError('unreachable', { where: 'fake', detail: 'nobody' });
      if (next instanceof Error) throw next;
      return next;
    },
    onLink: async (link) => void linked.push(link),
    clock,
    random: () => 1,
    logger: silentLogger,
    metrics: createBusMetrics(noMetrics),
    settings: completeSettings({ reconnect: { baseMs: 100, maxMs: 1000 } }),
  });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  return { clock, dialled, linked, keeper, settle };
}

describe('keeping a connection', () => {
  it('tries for ever, with growing pauses up to the longest', async () => {
    const { clock, dialled, keeper, settle } = start([]);
    assert.equal((await keeper.first)?.code, 'unreachable');
    for (let round = 0; round < 20; round++) {
      await settle();
      clock.advanceToNext();
    }
    await settle();
    const pauses = dialled.slice(1).map((at, i) => at - (dialled[i] ?? 0));
    assert.deepEqual(pauses.slice(0, 6), [100, 200, 400, 800, 1000, 1000]);
    assert.equal(pauses.length, 20);
    await keeper.close();
    assert.equal(clock.pending, 0);
  });

  it('connects again soon after a connection that lasted, and pauses longer after ones that did not', async () => {
    const links = [fakeLink(), fakeLink(), fakeLink()];
    const { clock, dialled, linked, keeper, settle } = start(
      links.map(
        ({ link }) =>
          () =>
            link,
      ),
    );
    assert.equal(await keeper.first, undefined);
    assert.equal(keeper.link, links[0]?.link);
    clock.advance(5000);
    links[0]?.end(new Error('cut'));
    await settle();
    assert.equal(keeper.link, undefined);
    clock.advanceToNext();
    await settle();
    links[1]?.end();
    await settle();
    clock.advanceToNext();
    await settle();
    assert.deepEqual(dialled, [0, 5100, 5300]);
    assert.deepEqual(
      linked,
      links.map(({ link }) => link),
    );
    await keeper.close();
  });

  it('closes a connection that came up while it was being closed', async () => {
    const { link } = fakeLink();
    const { keeper, linked, settle } = start([() => link]);
    await keeper.close();
    await settle();
    await link.nc.closed();
    assert.deepEqual(linked, []);
    assert.equal(keeper.link, undefined);
  });
});
