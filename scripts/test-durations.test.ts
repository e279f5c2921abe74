import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDurations } from './test-durations.ts';

test('what files took is known to the next run, and what cannot be read is as if it were not there', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-durations-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'cache', 'durations.json');
  const first = openDurations(path);
  assert.equal(first.of('a.test.ts'), 0);
  first.note('a.test.ts', 12.34);
  first.save();
  const [second, third] = [openDurations(path), openDurations(path)];
  second.note('b.test.ts', 3);
  second.note('../tmp/made.test.ts', 5);
  second.save();
  third.note('a.test.ts', 1);
  third.save();
  const last = openDurations(path);
  assert.deepEqual([last.of('a.test.ts'), last.of('b.test.ts'), last.of('../tmp/made.test.ts')], [1, 3, 0]);
  writeFileSync(path, '{"a.test.ts": "long", "b');
  assert.equal(openDurations(path).of('a.test.ts'), 0);
  writeFileSync(path, '{"a.test.ts": "long", "b.test.ts": 4}');
  assert.deepEqual([openDurations(path).of('a.test.ts'), openDurations(path).of('b.test.ts')], [0, 4]);
});
