import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRestartMemory } from './restart-memory.ts';

test('the shortest of the last eight restarts of a kind is known', () => {
  const memory = createRestartMemory();
  assert.equal(memory.shortest('a'), undefined);
  for (const awayMs of [5000, 3000, 9000]) memory.note('a', awayMs);
  memory.note('b', 100);
  assert.equal(memory.shortest('a'), 3000);
  for (let at = 0; at < 7; at += 1) memory.note('a', 4000 + at);
  assert.equal(memory.shortest('a'), 4000);
});

test('kinds that were not seen for long are forgotten, so that memory is bounded', () => {
  const memory = createRestartMemory();
  for (let at = 0; at < 1000; at += 1) memory.note(`k${at}`, at);
  memory.note('k0', 7);
  memory.note('new', 1);
  assert.equal(memory.shortest('k0'), 0);
  assert.equal(memory.shortest('k1'), undefined);
  assert.equal(memory.shortest('new'), 1);
});
