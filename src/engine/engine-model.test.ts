import { test } from 'node:test';
import { fc } from '#fast-check';
import { steps, walk } from './testing/walk.ts';

test('whatever workers, callers, clocks and sweeps do, the promises hold and everything comes to an end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, (taken) => walk(taken)),
    { numRuns: 40 },
  );
});
