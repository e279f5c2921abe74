import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { isStoreError } from './contract/fixture.ts';
import { readStatement } from './statement-text.ts';

const cases: readonly [string, string, number][] = [
  ['SELECT ? + ?', 'SELECT $1 + $2', 2],
  [`SELECT '?', ?`, `SELECT '?', $1`, 1],
  [`SELECT 'it''s ?', ?`, `SELECT 'it''s ?', $1`, 1],
  [`SELECT E'\\'?', ?`, `SELECT E'\\'?', $1`, 1],
  [`SELECT name'?', ?`, `SELECT name'?', $1`, 1],
  [`SELECT "a?b", ?`, `SELECT "a?b", $1`, 1],
  ['SELECT 1 -- ?\n, ?', 'SELECT 1 -- ?\n, $1', 1],
  ['SELECT /* ? */ ?', 'SELECT /* ? */ $1', 1],
  ['SELECT $$ ? $$, $a$ ? $$ ? $a$, ?', 'SELECT $$ ? $$, $a$ ? $$ ? $a$, $1', 1],
  ['SELECT ?; -- done; really?', 'SELECT $1; -- done; really?', 1],
];

for (const [sql, numbered, placeholders] of cases)
  test(`placeholders are numbered in: ${JSON.stringify(sql)}`, () => {
    const text = readStatement(sql);
    assert.equal(text.numbered, numbered);
    assert.equal(text.placeholders, placeholders);
  });

test('more than one statement is refused, a semicolon in a string or at the end is not', () => {
  for (const sql of ['SELECT 1; SELECT 2', 'SELECT 1;; 2', `SELECT 1; 'a'`])
    assert.throws(() => readStatement(sql), isStoreError('badStatement'), sql);
  for (const sql of [`SELECT ';'`, 'SELECT 1 ; \n', 'SELECT 1 -- ; SELECT 2']) readStatement(sql);
});

test('what changes rows and what only reads is told apart', () => {
  const kinds = (sql: string) => {
    const { isChange, isQuery } = readStatement(sql);
    return [isChange, isQuery];
  };
  assert.deepEqual(kinds('  insert into a values (1)'), [true, false]);
  assert.deepEqual(kinds('WITH x AS (SELECT 1) DELETE FROM a'), [true, false]);
  assert.deepEqual(kinds('SELECT 1'), [false, true]);
  assert.deepEqual(kinds('CREATE TABLE a (b TEXT)'), [false, false]);
});

test('whatever is in strings, names and comments, the placeholders between them are all that is numbered', () => {
  const inert = fc.oneof(
    fc.string().map((text) => `'${text.replaceAll(`'`, `''`)}'`),
    fc.string().map((text) => `"${text.replaceAll('"', '""')}"`),
    fc.string().map((text) => `/*${text.replaceAll('*/', '')} */`),
    fc.string().map((text) => `--${text.replaceAll(/[\n\r]/g, '')}\n`),
  );
  fc.assert(
    fc.property(fc.array(inert), (parts) => {
      const sql = `SELECT ${parts.map((part) => `${part} ?`).join(', ')}`;
      let n = 0;
      assert.equal(readStatement(sql).numbered, `SELECT ${parts.map((part) => `${part} $${++n}`).join(', ')}`);
    }),
  );
});
