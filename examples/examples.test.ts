import assert from 'node:assert/strict';
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type CliProcess, runCli, startUp, temporaryFolder } from '../test/e2e/cli-fixture.ts';
import { type ConsoleStep, normalise, readConsoleSteps, shellWords, writeConsoleSteps } from './console-page.ts';

// UPDATE_EXAMPLES=1 writes what the commands print into the pages, to be read before it is committed.
const isUpdating = process.env.UPDATE_EXAMPLES === '1';
const pages = globSync('[0-9]*/README.md', { cwd: import.meta.dirname })
  .map((page) => dirname(page))
  .sort();
// Where others have made the same, or work on the same servers, these would show something else.
const apart = ['04-who-may-do-what', '05-backup', '06-simulated-fleet'];
// Nobody has registered these, and they stay off until a page switches one on.
const spares = ['--provisioner', 'agent', '--spares', '4'];
const isOfSpares = (page: string): boolean => /^1[123]-/.test(page);
const walks = [pages.filter((page) => !apart.includes(page)), pages.filter((page) => apart.includes(page))];

for (const walk of walks) {
  // A start costs more than all commands of a page, so pages share one. The last comes first: none may lean on an earlier one.
  describe(`read on one fleet: ${walk.join(', ')}`, () => {
    const folder = temporaryFolder();
    let up: CliProcess;

    before(async () => {
      symlinkSync(import.meta.dirname, join(folder.path, 'examples'));
      up = await startUp(join(folder.path, '.rackwright'), walk.some(isOfSpares) ? spares : []);
      await up.until('Hosts of the rack: ');
      // What was provisioned runs when the server has booted.
      await until(async () => /(deployed image.*){2}/s.test(await run('npx rackwright simulate status')));
      // The settings of a host are read beside what is done to it.
      await until(async () => (await run('npx rackwright get hfs -n simulated')).includes('r01-s07'));
    });
    after(async () => {
      await up.end('SIGTERM');
      folder.remove();
    });

    for (const page of walk.toReversed()) {
      test(`examples/${page} prints what its page shows`, async () => {
        const file = join(import.meta.dirname, page, 'README.md');
        const text = readFileSync(file, 'utf8');
        const steps = readConsoleSteps(text);
        assert.ok(steps.length > 0, 'the page shows no command');
        const seen: ConsoleStep[] = [];
        for (const { command } of steps) seen.push({ command, output: await run(command) });
        if (isUpdating) writeFileSync(file, writeConsoleSteps(text, seen));
        else assert.equal(writeConsoleSteps(text, seen), text);
      });
    }

    async function until(isSo: () => Promise<boolean>): Promise<void> {
      while (!(await isSo())) {
        assert.equal(up.child.exitCode, null, up.printed.err);
        await pause(100);
      }
    }

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
