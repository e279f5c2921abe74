import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import { type EncodedBody, type ReadValue, readValue } from '../http/read-value.ts';
import { type HeavyLimits, usualLimits } from '../overload/limits.ts';
import { Overloaded } from '../overload/overloaded.ts';
import { ApiError } from '../status.ts';
import { HeavyWork } from './heavy-work.ts';

const noType = { apiVersion: 'v1', kind: 'ConfigMap' };

/** Threads of a test may get little of a machine under load. */
const patient = { taskMs: 600_000, longestWaitMs: 600_000 };

function heavyWork(t: TestContext, limits: Partial<HeavyLimits> = {}, now = () => 0): HeavyWork {
  const work = new HeavyWork({ ...usualLimits.heavy, ...patient, ...limits }, now);
  t.after(() => work.close());
  return work;
}

const yaml = (text: string): EncodedBody => ({ bytes: Buffer.from(text), mediaType: 'application/yaml' });
const json = (text: string): EncodedBody => ({ bytes: Buffer.from(text), mediaType: 'application/json' });
const listOf = (count: number): string => Array.from({ length: count }, () => '- a').join('\n');

/** A reading without its functions. */
function plain(read: ReadValue): object {
  return 'error' in read
    ? { error: read.error, type: read.type }
    : { value: read.value, duplicates: read.duplicates(), overflow: read.overflow() };
}

async function refusalOf(work: () => unknown): Promise<ApiError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  assert.fail('nothing was refused');
}

test('small bodies are read at once, large ones and YAML of some length on another thread', async (t) => {
  const work = heavyWork(t).of('a');
  const readings = [
    { body: json(`{"a":"${'x'.repeat(60_000)}"}`), isAtOnce: true },
    { body: json(`{"a":"${'x'.repeat(70_000)}"}`), isAtOnce: false },
    { body: yaml(listOf(100)), isAtOnce: true },
    { body: yaml(listOf(2000)), isAtOnce: false },
    // What kubectl applies is JSON that is called YAML.
    { body: yaml(`{"a":"${'x'.repeat(60_000)}"}`), isAtOnce: true },
    { body: yaml(`{a: "${'x'.repeat(60_000)}"}`), isAtOnce: false },
  ];
  for (const { body, isAtOnce } of readings) {
    const reading = work.read(body, noType);
    assert.equal(reading instanceof Promise, !isAtOnce, `${body.mediaType} of ${body.bytes.length} bytes`);
    assert.deepEqual(plain(await reading), plain(readValue(body, noType)));
  }
});

test('another thread reads whatever it is given as the main thread would', async (t) => {
  const work = heavyWork(t, { savedValues: Number.MAX_SAFE_INTEGER }).of('a');
  const padding = 'x'.repeat(70_000);
  const part = fc.oneof(
    fc.json(),
    fc.constantFrom(
      '{"a":1,"a":2}',
      '{"n":1e999}',
      '{"__proto__":{"a":1}}',
      '{',
      '9007199254740993',
      'a: &x [1]\nb: *x',
      'a: *y',
      'on: yes',
      '.inf',
    ),
  );
  const types = fc.constantFrom('application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf');
  await fc.assert(
    fc.asyncProperty(part, types, async (text, mediaType) => {
      const isList = text.startsWith('{') || text.startsWith('[');
      const whole = isList ? `[${text},"${padding}"]` : `${text}\n# ${padding}`;
      const body = { bytes: Buffer.from(whole), mediaType };
      const reading = work.read(body, noType);
      assert.ok(reading instanceof Promise);
      assert.deepEqual(plain(await reading), plain(readValue(body, noType)));
    }),
    { numRuns: 60 },
  );
});

test('a body of too many values is refused, whatever it weighs', async (t) => {
  const work = heavyWork(t, { mostValues: 10_000 }).of('a');
  const error = await refusalOf(() => work.read(json(`[${'[],'.repeat(40_000)}[]]`), noType));
  assert.equal(error.code, 413);
  assert.match(error.message, /more than 10000 values/);
});

test('a thread that takes too long over a body is ended, and the request refused', async (t) => {
  // A thread needs longer than a millisecond only to start.
  const work = heavyWork(t, { taskMs: 1 }).of('a');
  const error = await refusalOf(() => work.read(yaml(listOf(2000)), noType));
  assert.equal(error.code, 413);
  assert.match(error.message, /more work than one request may/);
});

test('a thread that runs out of memory takes only its own request with it', async (t) => {
  const work = heavyWork(t, { threadMebibytes: 24, savedValues: Number.MAX_SAFE_INTEGER, threads: 1 }).of('a');
  const error = await refusalOf(() => work.read(yaml(`- a\n${listOf(600_000)}`), noType));
  assert.equal(error.code, 413);
  assert.deepEqual(plain(await work.read(yaml(listOf(2000)), noType)), plain(readValue(yaml(listOf(2000)), noType)));
});

test('past its share of heavy work a client is told when to come again, and others are not', async (t) => {
  let now = 0;
  const heavy = heavyWork(t, { savedValues: 3000, valuesPerSecond: 100 }, () => now);
  const body = yaml(listOf(4000));
  await heavy.of('greedy').read(body, noType);
  const error = await refusalOf(() => heavy.of('greedy').read(body, noType));
  assert.ok(error instanceof Overloaded);
  assert.equal(error.code, 429);
  const wait = Number(error.headers['Retry-After']);
  assert.ok(wait > 0);
  await heavy.of('modest').read(body, noType);
  // What takes no time is not counted.
  assert.ok(!(heavy.of('greedy').read(json('{}'), noType) instanceof Promise));
  now += wait * 1000 + 1;
  await heavy.of('greedy').read(body, noType);
});

test('changes of a large stored object count as heavy, those of a small one do not', async (t) => {
  const heavy = heavyWork(t, { savedValues: 1000, valuesPerSecond: 1 });
  for (let i = 0; i < 10_000; i++) heavy.of('a').takeOn('x'.repeat(1000));
  heavy.of('a').takeOn('x'.repeat(200_000));
  assert.equal((await refusalOf(() => heavy.of('a').takeOn('x'.repeat(200_000)))).code, 429);
});

test('many bodies of one client do not keep a thread from another client', async (t) => {
  const heavy = heavyWork(t, { savedValues: Number.MAX_SAFE_INTEGER, threads: 1, waitingPerClient: 6 });
  const done: string[] = [];
  const read = async (client: string): Promise<void> => {
    await heavy.of(client).read(yaml(listOf(20_000)), noType);
    done.push(client);
  };
  const greedy = Array.from({ length: 7 }, () => read('greedy'));
  assert.equal((await refusalOf(() => read('greedy'))).code, 429);
  await Promise.all([...greedy, read('modest')]);
  assert.ok(done.indexOf('modest') <= 2, `the order was ${done.join(', ')}`);
});

test('heavy steps of several requests take turns of the event loop one by one', async (t) => {
  const heavy = heavyWork(t);
  const works = Array.from({ length: 3 }, (_, i) => heavy.of(`c${i}`));
  const light = heavy.of('light');
  assert.equal(light.pause(), undefined);
  for (const work of works) work.takeOn('x'.repeat(100_000));
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(works.map((work) => work.pause()?.then(() => turn)));
  isOver = true;
  assert.equal(new Set(turns).size, works.length, `the steps were in turns ${turns.join(', ')}`);
});
