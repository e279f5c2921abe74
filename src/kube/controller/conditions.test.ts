import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, writeConditions } from './conditions.ts';

const now = Date.UTC(2030, 0, 1);
const draft = (type: string) => ({ type, status: 'True', reason: 'So', message: 'it is' }) as const;
const write = (types: readonly string[], owned: readonly string[], before: Condition[]): Condition[] =>
  writeConditions(types.map(draft), { before, generation: 1, now }, owned);
const typesOf = (conditions: readonly Condition[]): string[] => conditions.map(({ type }) => type);

test('two writers of one list change nothing of what both have written, and each takes away only its own', () => {
  const first = write(['Ready'], ['Ready'], []);
  const both = write(['Duplicate'], ['Duplicate'], first);
  assert.deepEqual(typesOf(both), ['Duplicate', 'Ready']);
  assert.deepEqual(write(['Ready'], ['Ready'], both), both);
  assert.deepEqual(write(['Duplicate'], ['Duplicate'], both), both);
  assert.deepEqual(typesOf(write([], ['Duplicate'], both)), ['Ready']);
});

test('new ones come as they are drafted, before those that are there', () => {
  assert.deepEqual(typesOf(write(['A', 'B'], ['A', 'B'], write(['C'], ['C'], []))), ['A', 'B', 'C']);
});
