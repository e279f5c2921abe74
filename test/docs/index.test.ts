import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

test('the index of the documentation leads to every page', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const pages = globSync('docs/*.md', { cwd: root }).map((page) => basename(page));
  const missing = pages.filter((page) => page !== 'README.md' && !index.includes(`](${page})`));
  assert.deepEqual(
    missing,
    [],
    'run npm run generate, or give each of these a place in docs/README.md where readers look for it',
  );
});

test('the README leads to the documentation', () => {
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /\]\(docs\/README\.md\)/);
});

test('the README names every command, and none that there is not', () => {
  const reference = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8');
  const commands = [...reference.matchAll(/^## rackwright (\S+)$/gm)].map(([, name]) => name);
  const row = /^\| `rackwright` command: ([^;]+);/m.exec(readFileSync(join(root, 'README.md'), 'utf8'));
  assert.deepEqual(row?.[1]?.split(', ').toSorted(), commands.toSorted());
});
