import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { createRandom, drawHex } from './random.ts';

const draw = (random: () => number, count: number): number[] => Array.from({ length: count }, random);

test('one seed and the same names give the same numbers, other names give others', () => {
  fc.assert(
    fc.property(fc.integer(), fc.string(), fc.string(), (seed, name, other) => {
      const numbers = draw(createRandom(seed, name), 8);
      assert.deepEqual(draw(createRandom(seed, name), 8), numbers);
      if (other !== name) assert.notDeepEqual(draw(createRandom(seed, other), 8), numbers);
      assert.notDeepEqual(draw(createRandom(seed + 1, name), 8), numbers);
      assert.notDeepEqual(draw(createRandom(seed, name, ''), 8), numbers);
      assert.ok(numbers.every((each) => each >= 0 && each < 1));
    }),
  );
});

test('numbers are spread evenly, within a stream and over the first numbers of many streams', () => {
  const stream = draw(createRandom(1, 'even'), 20_000);
  const firsts = Array.from({ length: 20_000 }, (_, index) => createRandom(1, `r01-s${index}`)());
  for (const numbers of [stream, firsts]) {
    const buckets = new Array<number>(20).fill(0);
    for (const each of numbers) buckets[Math.floor(each * 20)] = (buckets[Math.floor(each * 20)] ?? 0) + 1;
    // 1,000 are expected in each; six standard deviations are about 190.
    for (const count of buckets) assert.ok(Math.abs(count - 1000) < 190, `${buckets}`);
  }
});

test('hexadecimal digits have the length that was asked for', () => {
  assert.match(drawHex(createRandom(3, 'token'), 33), /^[0-9a-f]{33}$/);
});
