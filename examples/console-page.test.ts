import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalise } from './console-page.ts';

test('tables look alike however old their objects are', () => {
  for (const age of ['0s', '119s', '2m', '2m15s', '10m', '3h5m', '8h', '2d3h']) {
    const printed = `NAME      READY   ${'AGE'.padEnd(age.length)}   VERSION\nworkers   1       ${age}\n`;
    assert.equal(normalise(printed, new Map()), 'NAME      READY   AGE   VERSION\nworkers   1       5s\n', age);
  }
});
