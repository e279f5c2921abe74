import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shellWords } from '../../examples/console-page.ts';
import { commandsOf, readBlocks } from './page-blocks.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = globSync('docs/measuring-*.md', { cwd: root }).sort();
const lines = pages
  .flatMap((page) => readBlocks(page, readFileSync(join(root, page), 'utf8')))
  .flatMap(commandsOf)
  // What another operator is started with, only its owner knows.
  .filter((line) => !line.includes('--operator-command'));

for (const line of lines) {
  test(`${line} holds its bars`, async () => {
    const [npm, run, script, dashes, ...words] = shellWords(line);
    assert.deepEqual([npm, run, script, dashes], ['npm', 'run', 'bench', '--']);
    const bench = spawn(process.execPath, [join(root, 'bench', 'main.ts'), ...words], { cwd: root, stdio: 'inherit' });
    const [code] = await once(bench, 'close');
    assert.equal(code, 0);
  });
}
