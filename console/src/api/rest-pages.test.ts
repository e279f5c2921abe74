import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyRecord, firstRecords } from './rest-pages.ts';

/** A service with so many records; tells what it was asked. */
function serviceWith(count: number) {
  const asked: string[] = [];
  const all = Array.from({ length: count }, (_, number) => number);
  const ask = async <T>({ path }: { readonly path: string }): Promise<T> => {
    asked.push(path);
    const query = new URL(path, 'http://a').searchParams;
    const limit = Number(query.get('limit'));
    const from = query.has('page') ? (Number(query.get('page')) - 1) * limit : Number(query.get('after') ?? 0);
    const records = all.slice(from, from + limit);
    const next = from + limit < count ? String(from + limit) : null;
    return { records, next, total_pages: Math.ceil(count / limit) } as T;
  };
  return { ask, asked };
}

test('every record of a numbered list is read, however many there are', async () => {
  for (const [count, questions] of [
    [0, 1],
    [1000, 1],
    [2500, 3],
  ] as const) {
    const { ask, asked } = serviceWith(count);
    assert.equal((await everyRecord('/servers', { vendor: 'hpe' }, ask)).length, count);
    assert.equal(asked.length, questions);
    assert.match(asked[0] ?? '', /vendor=hpe/);
  }
});

test('a list that goes on is read to its end, or as far as is allowed, which is said', async () => {
  const read = async (count: number) => {
    const { records, isMore } = await firstRecords('/conditions', { mostParts: 2 }, serviceWith(count).ask);
    return [records.length, new Set(records).size, isMore];
  };
  assert.deepEqual(await read(0), [0, 0, false]);
  assert.deepEqual(await read(1500), [1500, 1500, false]);
  assert.deepEqual(await read(2000), [2000, 2000, false]);
  assert.deepEqual(await read(2001), [2000, 2000, true]);
});
