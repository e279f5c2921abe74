import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlValue } from '../database.ts';
import { type ContractTarget, emptyDatabase, isStoreError, itemDatabase, write } from './fixture.ts';

const texts = {
  empty: '',
  quotes: `it's "quoted" \\ back\\\\slashed`,
  placeholders: '? $1 :name @name %s -- /* */ ;',
  'many scripts': 'Zürich Ωmega ไทย 日本語 العربية עברית',
  'beyond the first plane': '🖥️ 👩‍🔧 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u{10FFFF}',
  'combined and precomposed': 'e\u0301 \u00e9',
  'odd spaces': ' \t\r\n\u00a0\u2028\ufeff ',
  'a million bytes of JSON': JSON.stringify({ pad: 'ä漢🖥️'.repeat(96_000), end: 1 }),
};

/** Values come back as they went in, or are refused. */
export function tryValues(target: ContractTarget): void {
  for (const [what, text] of Object.entries(texts))
    test(`text comes back as it went in: ${what}`, async (t) => {
      const database = await itemDatabase(t, target);
      await write(database, 'INSERT INTO item VALUES (?, 1, ?)', `key ${text.slice(0, 50)}`, text);
      const row = await database.read((tx) => tx.first('SELECT id, note FROM item WHERE note = ?', text));
      assert.deepEqual(row, { id: `key ${text.slice(0, 50)}`, note: text });
    });

  test('numbers come back as they went in, up to the largest exact ones', async (t) => {
    const database = await emptyDatabase(t, target);
    await write(database, 'CREATE TABLE number (n BIGINT, f DOUBLE PRECISION)');
    const numbers = [0, -1, 1_763_000_000_123, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    for (const n of numbers) await write(database, 'INSERT INTO number VALUES (?, ?)', n, n / 3);
    await write(database, 'INSERT INTO number VALUES (?, ?)', null, null);
    const rows = await database.read((tx) => tx.all('SELECT n, f FROM number WHERE n IS NOT NULL'));
    assert.deepEqual(
      rows,
      numbers.map((n) => ({ n, f: n / 3 })),
    );
    const sums = await database.read((tx) =>
      tx.first('SELECT count(*) AS n, sum(n) AS total, max(f) AS f FROM number'),
    );
    assert.deepEqual(sums, { n: 6, total: 1_763_000_000_122, f: Number.MAX_SAFE_INTEGER / 3 });
  });

  test('what cannot be stored the same everywhere is refused', async (t) => {
    const database = await itemDatabase(t, target);
    const odd: unknown[] = [
      'nul \0 inside',
      '\ud800',
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 60,
      undefined,
      true,
      1n,
    ];
    for (const value of odd) {
      const set = () => write(database, 'UPDATE item SET note = ?', value as SqlValue);
      await assert.rejects(set, isStoreError('badValue'), String(value));
    }
  });

  test('an integer that a number cannot hold is refused rather than rounded', async (t) => {
    const database = await itemDatabase(t, target);
    await write(database, `INSERT INTO item VALUES ('a', 9007199254740993, NULL)`);
    await assert.rejects(
      database.read((tx) => tx.all('SELECT amount FROM item')),
      isStoreError('badValue'),
    );
  });

  test('a comparison is 1 or 0, and LIKE tells capitals from small letters', async (t) => {
    const database = await emptyDatabase(t, target);
    const sql = `SELECT 1 = 1 AS yes, 1 = 2 AS no, 'Abc' LIKE 'abc' AS alike, 'abc' LIKE 'a%' AS begins`;
    assert.deepEqual(await database.read((tx) => tx.first(sql)), { yes: 1, no: 0, alike: 0, begins: 1 });
  });

  test('placeholders are found, and question marks elsewhere left alone', async (t) => {
    const database = await itemDatabase(t, target);
    const sql = `INSERT INTO item (id, amount, note) VALUES ('what? -- ''?''', ?, 'now?' || ?) -- really?`;
    await write(database, sql, 7, '!');
    const rows = await database.read((tx) => tx.all('SELECT * /* all? */ FROM item WHERE amount = ? LIMIT ?', 7, 5));
    assert.deepEqual(rows, [{ id: `what? -- '?'`, amount: 7, note: 'now?!' }]);
  });

  test('ten thousand rows go in with one transaction and come back in order', async (t) => {
    const database = await itemDatabase(t, target);
    await database.write(async (tx) => {
      for (let n = 0; n < 10_000; n += 100) {
        const rows = Array.from({ length: 100 }, (_, i) => [`i${n + i}`, n + i]);
        const sql = `INSERT INTO item (id, amount) VALUES ${rows.map(() => '(?, ?)').join(', ')}`;
        assert.equal(await tx.run(sql, ...rows.flat()), 100);
      }
    });
    const rows = await database.read((tx) => tx.all('SELECT id, amount FROM item ORDER BY amount'));
    assert.equal(rows.length, 10_000);
    assert.deepEqual(rows[9_999], { id: 'i9999', amount: 9_999 });
    assert.ok(rows.every((row, n) => row.amount === n));
    assert.equal(await write(database, 'DELETE FROM item WHERE amount >= ?', 4_000), 6_000);
  });

  test('the clock stands still within a transaction and goes on between them', async (t) => {
    const database = await emptyDatabase(t, target);
    const first = await database.write(async (tx) => {
      const begun = tx.now;
      await tx.first('SELECT 1 AS one');
      assert.equal(tx.now, begun);
      return begun;
    });
    const second = await database.read(async (tx) => tx.now);
    assert.ok(Number.isSafeInteger(first) && second >= first, `${first} ${second}`);
  });

  test('statements of one transaction may be asked for at once', async (t) => {
    const database = await itemDatabase(t, target);
    const changed = await database.write((tx) =>
      Promise.all([1, 2, 3].map((n) => tx.run('INSERT INTO item VALUES (?, ?, NULL)', `i${n}`, n))),
    );
    assert.deepEqual(changed, [1, 1, 1]);
  });

  test('statements that change no rows report none', async (t) => {
    const database = await itemDatabase(t, target);
    await write(database, `INSERT INTO item VALUES ('a', 1, NULL), ('b', 2, NULL)`);
    assert.equal(await write(database, 'CREATE INDEX item_by_amount ON item (amount)'), 0);
    assert.equal(await write(database, `UPDATE item SET amount = 3 WHERE id = 'z'`), 0);
  });
}
