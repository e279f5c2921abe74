import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');

/** The paragraphs, list items and table rows below the first heading, without the headers of tables. */
function blocksOf(text: string): readonly string[] {
  const parts = text.slice(text.indexOf('\n## ')).split(/\n{2,}/);
  return parts.flatMap((part) => {
    if (part.trimStart().startsWith('#')) return [];
    const rows = part.trim().split('\n');
    return part.startsWith('|') ? rows.slice(2) : part.trim().split(/\n(?=- )/);
  });
}

/** The claims that a block names: none where it says so, and undefined where it says nothing. */
function claimsOf(block: string): readonly string[] | undefined {
  const [, claims] = /<!-- (no claim|claim: [\w, -]+) --> ?\|?$/.exec(block) ?? [];
  return claims === 'no claim' ? [] : claims?.replace('claim: ', '').split(', ');
}

const claims = blocksOf(page).flatMap((block) => claimsOf(block) ?? []);

/** Which tests name a claim in their title, as `(security.md: a-claim, another-claim)`. */
function testsByClaim(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const files = globSync('{src,test,simulator,scripts}/**/*.ts', { cwd: root });
  for (const file of files.filter((name) => name !== join('test', 'docs', 'security-claims.test.ts'))) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, ids = ''] of text.matchAll(/(?:test|it|describe)\(\s*['"`].*\(security\.md: ([\w, -]+)\)['"`],/g))
      for (const id of ids.split(', ')) found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}

test('every paragraph, item and row of docs/security.md names its claims, each once', () => {
  const silent = blocksOf(page).filter((block) => claimsOf(block) === undefined);
  assert.deepEqual(silent, [], 'end each of these with <!-- claim: NAME -->, or with <!-- no claim -->');
  assert.deepEqual(claims.toSorted(), [...new Set(claims)].toSorted());
});

test('every claim of docs/security.md is named by a test, and tests name no others', () => {
  const named = testsByClaim();
  assert.deepEqual(
    claims.filter((claim) => !named.has(claim)),
    [],
    'no test has (security.md: NAME) in its title',
  );
  assert.deepEqual(
    [...named].filter(([claim]) => !claims.includes(claim)),
    [],
    'docs/security.md makes no such claim',
  );
});
