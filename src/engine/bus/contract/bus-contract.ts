import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Bus, BusHint } from '../bus.ts';
import { isBusError } from '../errors.ts';
import type { BusTarget } from './bus-target.ts';
import { until } from './until.ts';

type WorkHint = Extract<BusHint, { about: 'work' }>;

/** Names that mean something in a subject, a file name, a header or a database. */
export const hostileNames = [
  '',
  '*',
  '>',
  '.',
  '..',
  'a.b',
  'a.*',
  'a.>',
  '$JS.API.STREAM.DELETE.x',
  'a b',
  'tab\there',
  'line\r\nPUB x 0\r\n',
  '_',
  '__',
  'a__b',
  'a_2Eb',
  '/',
  '../../etc',
  '\\',
  'Ünïcödé 🚀',
  '\u0000',
  '__proto__',
  "'; DROP TABLE conditions; --",
  'x'.repeat(300),
  `${'x'.repeat(299)}y`,
] as const;

/** What every bus must do. `open` makes a fresh one that shares nothing with the one before. */
export function busContract(name: string, open: () => Promise<BusTarget>): void {
  describe(`a bus: ${name}`, () => {
    let target: BusTarget;
    before(async () => {
      target = await open();
    });
    after(() => target.close());
    const parts = () => target;
    tellsEverybody(parts);
    givesWorkToOne(parts);
    keepsPlacesApart(parts);
    survivesListeners(parts);
    knowsWhoIsAlive(parts);
    ends(open);
  });
}

const work = (id: string, place: Partial<WorkHint> = {}): WorkHint => ({
  about: 'work',
  facility: 'fra',
  kind: 'firmwareInstall',
  conditionId: id,
  ...place,
});

const series = (label: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${label}-${i}`);

const idsOf = (hints: readonly BusHint[]): string[] =>
  hints.map((hint) => ('conditionId' in hint ? hint.conditionId : hint.workerId));

async function take(bus: Bus, order: { facilities: string[]; kinds: string[] }) {
  const hints: BusHint[] = [];
  const stop = await bus.takeWork({ ...order, workerId: 'contract' }, (hint) => void hints.push(hint));
  return { hints, stop };
}

async function hear(bus: Bus) {
  const hints: BusHint[] = [];
  const stop = await bus.listen((hint) => void hints.push(hint));
  return { hints, stop };
}

const sorted = (ids: Iterable<string>): string[] => [...new Set(ids)].sort();

function tellsEverybody(target: () => BusTarget): void {
  it('tells every listener, in every process, all that is not work, as it was published', async () => {
    const [one, two] = [await target().open(), await target().open()];
    const heard = [await hear(one), await hear(one), await hear(two)];
    const hints: BusHint[] = [
      { about: 'condition', conditionId: 'c1', target: 'server/1' },
      { about: 'online', workerId: 'w1' },
      { about: 'cancel', conditionId: 'c2' },
    ];
    for (const hint of hints) await one.publish(hint);
    for (const { hints: seen } of heard) {
      await until('all three came', () => seen.length >= 3, { seen: () => JSON.stringify(seen) });
      assert.deepEqual(seen, hints);
    }
    for (const { stop } of heard) await stop();
  });

  it('calls nobody before publish has been left', async () => {
    const bus = await target().open();
    const { hints, stop } = await hear(bus);
    const published = bus.publish({ about: 'online', workerId: 'late' });
    assert.deepEqual(hints, []);
    await published;
    await until('it came', () => hints.length === 1);
    await stop();
  });

  it('tells listeners nothing of work, and takers nothing else', async () => {
    const bus = await target().open();
    const heard = await hear(bus);
    const taken = await take(bus, { facilities: ['fra'], kinds: ['only-work'] });
    await bus.publish(work('w-1', { kind: 'only-work' }));
    await bus.publish({ about: 'online', workerId: 'only-hints' });
    await until('both came', () => heard.hints.length > 0 && taken.hints.length > 0);
    assert.deepEqual(heard.hints, [{ about: 'online', workerId: 'only-hints' }]);
    assert.deepEqual(taken.hints, [work('w-1', { kind: 'only-work' })]);
    await heard.stop();
    await taken.stop();
  });

  it('stops telling whoever stopped listening', async () => {
    const bus = await target().open();
    const [gone, stays] = [await hear(bus), await hear(bus)];
    await gone.stop();
    await gone.stop();
    await bus.publish({ about: 'online', workerId: 'w9' });
    await until('it came', () => stays.hints.length === 1);
    assert.deepEqual(gone.hints, []);
    await stays.stop();
  });

  it('loses none of thousands of hints', async () => {
    const [one, two] = [await target().open(), await target().open()];
    const { hints, stop } = await hear(two);
    const ids = series('many', 5000);
    await Promise.all(ids.map((conditionId) => one.publish({ about: 'condition', conditionId, target: 't' })));
    await until('all came', () => hints.length >= ids.length, { seen: () => hints.length });
    assert.deepEqual(idsOf(hints), ids);
    await stop();
  });
}

function givesWorkToOne(target: () => BusTarget): void {
  it('loses none of thousands of pieces of work, gives each to one taker, and spreads them', async () => {
    const [one, two] = [await target().open(), await target().open()];
    const place = { facilities: ['fra'], kinds: ['spread'] };
    const takers = [await take(one, place), await take(one, place), await take(two, place)];
    const ids = series('spread', 5000);
    await Promise.all(ids.map((id) => two.publish(work(id, { kind: 'spread' }))));
    const all = () => takers.flatMap(({ hints }) => idsOf(hints));
    await until('all were taken', () => new Set(all()).size === ids.length, { seen: () => all().length });
    assert.deepEqual(sorted(all()), [...ids].sort());
    // At least once is the promise; on a bus that nothing happens to it is once.
    assert.equal(all().length, ids.length);
    for (const { hints } of takers) assert.ok(hints.length > 500, `a taker got only ${hints.length} of 5000`);
    for (const { stop } of takers) await stop();
  });

  it('gives all the work to those that are left when a taker stops', async () => {
    const bus = await target().open();
    const place = { facilities: ['fra'], kinds: ['leaving'] };
    const [gone, stays] = [await take(bus, place), await take(bus, place)];
    await gone.stop();
    const before = gone.hints.length;
    const ids = series('left', 100);
    await Promise.all(ids.map((id) => bus.publish(work(id, { kind: 'leaving' }))));
    await until('all were taken', () => new Set(idsOf(stays.hints)).size === 100, { seen: () => stays.hints.length });
    assert.equal(gone.hints.length, before);
    await stays.stop();
  });

  it('brings the same piece of work again when it is published again after it was taken', async () => {
    const bus = await target().open();
    const { hints, stop } = await take(bus, { facilities: ['fra'], kinds: ['again'] });
    for (let round = 1; round <= 3; round++) {
      await bus.publish(work('same', { kind: 'again' }));
      await until('it came again', () => hints.length === round, { seen: () => hints.length });
    }
    await stop();
  });
}

function keepsPlacesApart(target: () => BusTarget): void {
  it('never takes work out of its facility or to a worker of another kind', async () => {
    const [one, two] = [await target().open(), await target().open()];
    const kinds = ['apart-a', 'apart-b'];
    const fra = await take(one, { facilities: ['fra'], kinds });
    const ams = await take(two, { facilities: ['ams', 'ams'], kinds: ['apart-a'] });
    const ids = series('apart', 200);
    const facilities = ['fra', 'ams', 'lhr'];
    const hints = ids.map((id, i) =>
      work(id, { facility: facilities[i % 3] ?? '', kind: kinds[Math.floor(i / 3) % 2] ?? '' }),
    );
    await Promise.all(hints.map((hint) => one.publish(hint)));
    const wanted = (facility: string, of: string[]) =>
      sorted(idsOf(hints.filter((hint) => hint.facility === facility && of.includes(hint.kind))));
    await until('both got theirs', () => {
      const isAll = (mine: BusHint[], all: string[]) => new Set(idsOf(mine)).size >= all.length;
      return isAll(fra.hints, wanted('fra', kinds)) && isAll(ams.hints, wanted('ams', ['apart-a']));
    });
    assert.deepEqual(sorted(idsOf(fra.hints)), wanted('fra', kinds));
    assert.deepEqual(sorted(idsOf(ams.hints)), wanted('ams', ['apart-a']));
    await fra.stop();
    await ams.stop();
  });

  it('takes any text for a name and mixes none up', async () => {
    const bus = await target().open();
    const takers = await Promise.all(
      hostileNames.map(async (name) => ({ name, ...(await take(bus, { facilities: [name], kinds: [name] })) })),
    );
    for (const name of hostileNames) {
      await bus.publish(work(`id of ${name}`, { facility: name, kind: name }));
    }
    for (const { name, hints, stop } of takers) {
      await until(`${JSON.stringify(name)} got its work`, () => hints.length > 0);
      assert.deepEqual(hints, [work(`id of ${name}`, { facility: name, kind: name })]);
      await stop();
    }
  });

  it('carries hints about anything with any name', async () => {
    const bus = await target().open();
    const { hints, stop } = await hear(bus);
    for (const name of hostileNames) await bus.publish({ about: 'condition', conditionId: name, target: name });
    await until('all came', () => hints.length >= hostileNames.length, { seen: () => hints.length });
    assert.deepEqual(idsOf(hints), [...hostileNames]);
    await stop();
  });
}

function survivesListeners(target: () => BusTarget): void {
  it('goes on when listeners and takers throw, now or later', async () => {
    const bus = await target().open();
    const stops = [
      await bus.listen(() => {
        throw new Error('a listener that throws');
      }),
      await bus.listen(async () => {
        throw new Error('a listener that throws later');
      }),
    ];
    let tries = 0;
    const order = { facilities: ['fra'], kinds: ['throwing'], workerId: 'w' };
    stops.push(
      await bus.takeWork(order, () => {
        tries++;
        throw new Error('a taker that throws');
      }),
    );
    const { hints, stop } = await hear(bus);
    for (const id of series('throw', 10)) {
      await bus.publish({ about: 'cancel', conditionId: id });
      await bus.publish(work(id, { kind: 'throwing' }));
    }
    await until('all came', () => hints.length === 10 && tries >= 10, { seen: () => `${hints.length}, ${tries}` });
    assert.deepEqual(idsOf(hints), series('throw', 10));
    for (const each of [...stops, stop]) await each();
  });

  it('lets a listener publish', async () => {
    const bus = await target().open();
    const heard = await hear(bus);
    const stop = await bus.listen((hint) => {
      if (hint.about === 'online') void bus.publish({ about: 'cancel', conditionId: `for ${hint.workerId}` });
    });
    await bus.publish({ about: 'online', workerId: 'w7' });
    await until('both came', () => heard.hints.length === 2);
    assert.deepEqual(heard.hints[1], { about: 'cancel', conditionId: 'for w7' });
    await stop();
    await heard.stop();
  });
}

function knowsWhoIsAlive(target: () => BusTarget): void {
  it('knows in every process who is alive, under any name, and forgets who gives no sign for long enough', async () => {
    const [one, two] = [await target().open(), await target().open()];
    const ids = ['w1', 'w2', ...hostileNames];
    await Promise.all(ids.map((id) => one.keepAlive(id, id === 'w2' ? 60_000 : 10_000)));
    assert.deepEqual(sorted(await two.alive()), sorted(ids));
    target().passTime(1000);
    await two.keepAlive('w1', 60_000);
    target().passTime(9500);
    // Each look is a consumer that a server keeps for a while, and it has room for so many.
    await until('the others were forgotten', async () => (await two.alive()).size <= 2, { everyMs: 250 });
    assert.deepEqual(sorted(await two.alive()), ['w1', 'w2']);
    assert.deepEqual(sorted(await one.alive()), ['w1', 'w2']);
  });
}

function ends(open: () => Promise<BusTarget>): void {
  it('closes, more than once, after which it is silent and says what came too late', async () => {
    const target = await open();
    const bus = await target.open();
    assert.equal(bus.isConnected, true);
    const heard = await hear(bus);
    const taken = await take(bus, { facilities: ['fra'], kinds: ['closing'] });
    await bus.close();
    await bus.close();
    assert.equal(bus.isConnected, false);
    await bus.publish({ about: 'online', workerId: 'too late' });
    await bus.publish(work('too late', { kind: 'closing' }));
    await bus.keepAlive('too late', 1000);
    const isClosed = (error: unknown) => isBusError(error, 'closed');
    await assert.rejects(
      bus.listen(() => {}),
      isClosed,
    );
    await assert.rejects(
      bus.takeWork({ facilities: ['fra'], kinds: ['x'], workerId: 'w' }, () => {}),
      isClosed,
    );
    await heard.stop();
    await taken.stop();
    await target.close();
    assert.deepEqual([heard.hints, taken.hints], [[], []]);
  });
}
