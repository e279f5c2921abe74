import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { runbookIndex } from './runbooks.ts';

const root = join(import.meta.dirname, '..');
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'rackwright-runbooks-'));
  cpSync(join(root, 'docs', 'runbooks'), join(copy, 'docs', 'runbooks'), { recursive: true });
  symlinkSync(join(root, 'src'), join(copy, 'src'));
});
afterEach(() => rmSync(copy, { recursive: true }));

function change(page: string, edit: (text: string) => string): void {
  const file = join(copy, 'docs', 'runbooks', page);
  const before = readFileSync(file, 'utf8');
  const after = edit(before);
  assert.notEqual(after, before);
  writeFileSync(file, after);
}

test('a code of a table without a runbook is named', () => {
  change('bmcs.md', (text) => text.replace(/^\| `unreachable` .*\n/m, ''));
  assert.throws(() => runbookIndex(copy), /bmcs\.md has no entry for unreachable/);
});

test('a reason that the code gives without a runbook is named', () => {
  change('work.md', (text) => text.replace(/^\| `OtherUpdate` .*\n/m, ''));
  assert.throws(() => runbookIndex(copy), /work\.md has no entry for OtherUpdate/);
});

test('a runbook for what nothing tells is named', () => {
  change('network.md', (text) => `${text}| \`NeverHeardOf\` | | | | |\n`);
  assert.throws(() => runbookIndex(copy), /network\.md: nothing tells NeverHeardOf/);
});

test('a table that no page has is named', () => {
  change('bmcs.md', (text) => text.replace('table=bmcErrors', 'table=ironicErrors'));
  assert.throws(() => runbookIndex(copy), /no page has the codes of bmcErrors/);
});

test('every entry says what it means, what was done, what to look at and what to do', () => {
  const index = runbookIndex(copy);
  const pages = [...index.matchAll(/^- \[.*\]\((.*\.md)\)/gm)].map(([, page = '']) => page);
  assert.ok(pages.length > 10);
  for (const page of pages) {
    const rows = readFileSync(join(copy, 'docs', 'runbooks', page), 'utf8').match(/^\| `.*$/gm) ?? [];
    const short = rows.filter((row) => {
      const cells = row.split('|').slice(1, -1);
      return cells.length !== 5 || cells.some((cell) => cell.trim() === '');
    });
    assert.deepEqual(short, [], page);
  }
});
