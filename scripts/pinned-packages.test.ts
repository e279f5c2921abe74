import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('every Python package that is installed is named with its version and hashes, and they are demanded', () => {
  for (const file of globSync('test/real/*/*.lock', { cwd: root })) {
    const entries = readFileSync(join(root, file), 'utf8').replaceAll('\\\n', '').trim().split('\n');
    for (const entry of entries) assert.match(entry, /^[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$/, file);
  }
  for (const file of ['Dockerfile', ...globSync('test/real/*/*.sh', { cwd: root })]) {
    const text = readFileSync(join(root, file), 'utf8').replaceAll('\\\n', ' ');
    for (const [line] of text.matchAll(/pip["']? (install|download)[^\n&;]*/g))
      assert.match(line, /--require-hashes/, file);
  }
});
