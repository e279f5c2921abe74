import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ConsoleStep, readConsoleSteps, writeConsoleSteps } from './console-page.ts';
import { type PageFleet, startPageFleet } from './page-fleet.ts';

// UPDATE_EXAMPLES=1 writes what the commands print into the pages, to be read before it is committed.
const isUpdating = process.env.UPDATE_EXAMPLES === '1';
const pages = globSync('[0-9]*/README.md', { cwd: import.meta.dirname })
  .map((page) => dirname(page))
  .sort();
// Where others have made the same, or work on the same servers, these would show something else.
const apart = ['04-who-may-do-what', '05-backup', '06-simulated-fleet'];
// Nobody has registered these, and they stay off until a page switches one on.
const spares = ['--spares', '4'];
const isOfSpares = (page: string): boolean => /^1[123]-/.test(page);
const walks = [pages.filter((page) => !apart.includes(page)), pages.filter((page) => apart.includes(page))];

for (const walk of walks) {
  // A start costs more than all commands of a page, so pages share one. The last comes first: none may lean on an earlier one.
  describe(`read on one fleet: ${walk.join(', ')}`, () => {
    let fleet: PageFleet;

    before(async () => {
      fleet = await startPageFleet(walk.some(isOfSpares) ? spares : []);
    });
    after(() => fleet.close());

    for (const page of walk.toReversed()) {
      test(`examples/${page} prints what its page shows`, async () => {
        const file = join(import.meta.dirname, page, 'README.md');
        const text = readFileSync(file, 'utf8');
        const steps = readConsoleSteps(text);
        assert.ok(steps.length > 0, 'the page shows no command');
        // The page before may have left a host that is prepared again.
        await fleet.untilHostsRest();
        const seen: ConsoleStep[] = [];
        for (const { command } of steps) seen.push({ command, output: await fleet.run(command) });
        if (isUpdating) writeFileSync(file, writeConsoleSteps(text, seen));
        else assert.equal(writeConsoleSteps(text, seen), text);
      });
    }
  });
}

test('there are examples', () => assert.ok(pages.length >= 5));
