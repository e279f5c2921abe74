import assert from 'node:assert/strict';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CliProcess, runCli, startUp, temporaryFolder } from '../test/e2e/cli-fixture.ts';
import { type ConsoleStep, normalise, readConsoleSteps, shellWords, writeConsoleSteps } from './console-page.ts';

// UPDATE_EXAMPLES=1 writes what the commands print into the pages, to be read before it is committed.
const isUpdating = process.env.UPDATE_EXAMPLES === '1';
const pages = globSync('[0-9]*/README.md', { cwd: import.meta.dirname }).sort();

for (const page of pages) {
  describe(`examples/${dirname(page)}`, () => {
    const folder = temporaryFolder();
    const dataDir = join(folder.path, '.rackwright');
    let up: CliProcess;

    before(async () => {
      symlinkSync(import.meta.dirname, join(folder.path, 'examples'));
      up = await startUp(dataDir);
    });
    after(async () => {
      await up.end('SIGTERM');
      folder.remove();
    });

    test('prints what its page shows', async () => {
      const file = join(import.meta.dirname, page);
      const text = readFileSync(file, 'utf8');
      const steps = readConsoleSteps(text);
      assert.ok(steps.length > 0, 'the page shows no command');
      const seen: ConsoleStep[] = [];
      for (const { command } of steps) seen.push({ command, output: await run(command) });
      if (isUpdating) writeFileSync(file, writeConsoleSteps(text, seen));
      else assert.equal(writeConsoleSteps(text, seen), text);
    });

    async function run(command: string): Promise<string> {
      const [npx, rackwright, ...words] = shellWords(command);
      assert.deepEqual([npx, rackwright], ['npx', 'rackwright']);
      const { out, err } = await runCli(words, { cwd: folder.path });
      const printed = normalise(out + err, new Map([[folder.path, '/home/you/rackwright']]));
      return printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`;
    }
  });
}

test('there are examples', () => assert.ok(pages.length >= 5));
