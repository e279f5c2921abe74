import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from './refused.ts';
import { whyEmpty } from './why-empty.ts';

test('a list is empty only where the server said so', () => {
  const forbidden = new RefusedError(403, 'events is forbidden');
  const rows: [readonly unknown[] | undefined, Error | null, string | undefined][] = [
    [['one'], null, undefined],
    [['one'], forbidden, undefined],
    [[], null, 'There are none.'],
    [undefined, null, 'Reading …'],
    [undefined, forbidden, 'You may not see this: events is forbidden'],
    [[], forbidden, 'You may not see this: events is forbidden'],
    [undefined, new RefusedError(500, 'the store is closed'), 'the store is closed'],
    [undefined, new TypeError('fetch failed'), 'The server cannot be reached. Is "rackwright up" running?'],
  ];
  for (const [data, error, said] of rows) assert.equal(whyEmpty({ data, error }, 'There are none.'), said);
});
