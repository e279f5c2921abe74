import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDirectory } from './make-directory.ts';

test('a directory is made with those above it, and one that is there stays', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'rackwright-directory-'));
  t.after(() => rmSync(root, { recursive: true }));
  const deep = join(root, 'a', 'b', 'c');
  makeDirectory(deep, { mode: 0o700 });
  makeDirectory(deep);
  for (const path of [deep, join(root, 'a')]) assert.equal(statSync(path).mode & 0o777, 0o700);
  writeFileSync(join(root, 'file'), '');
  assert.throws(() => makeDirectory(join(root, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeDirectory(join(root, 'file', 'below')), { code: 'ENOTDIR' });
});

test('where no directory can be made it is said, and not tried for ever', {
  skip: process.platform !== 'linux',
}, () => {
  for (const path of ['/proc/rackwright', '/proc/rackwright/deep', '/proc/self/rackwright'])
    assert.throws(() => makeDirectory(path), { code: 'ENOENT' });
});
