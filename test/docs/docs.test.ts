/**
 * Every command of README.md and docs/ is run by a test. What a page shows in `sh` and `console` blocks is run here, page
 * after page on one simulated rack; what needs more than that says in a comment before the block which suite runs it.
 * UPDATE_DOCS=1 writes what commands print into the pages, to be read before it is committed.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ConsoleStep, readConsoleSteps, writeConsoleSteps } from '../../examples/console-page.ts';
import { type PageFleet, startPageFleet } from '../../examples/page-fleet.ts';
import { isStaying, problemOf } from './command-line.ts';
import {
  type CommandBlock,
  commandsOf,
  inlineCommands,
  typableInSentences,
  unnamedCommandBlocks,
} from './page-blocks.ts';
import { allBlocks, pages, textOf } from './pages.ts';
import { runShell } from './run-shell.ts';
import { isAsShown } from './shown-output.ts';

const root = join(import.meta.dirname, '..', '..');
const isUpdating = process.env.UPDATE_DOCS === '1';
const blocks = allBlocks();

/** What a block may need that the rack of this suite does not have, and when the suites that have it are run. */
const needs: Readonly<Record<string, string>> = {
  rack: 'a rack of two servers that nobody has touched: its suite starts one',
  ports: 'the ports that are the default: its suite starts the same with others',
  files: 'certificates, keys and addresses of your own: its suite makes some',
  time: 'minutes of a machine that does nothing else: npm run test:real has it shorter, npm run chaos as it is',
  cluster: 'a real kube-apiserver: npm run test:real',
  services: 'PostgreSQL and NATS: npm run test:real',
  ironic: 'a real Ironic: npm run test:real',
};

const whatToDo = `
Each block of commands is one of these:
  - \`\`\`console with "$ npx rackwright ..." and what it prints, or \`\`\`sh with one command a line: it is run on a simulated rack of 8 servers
    and 4 spares, after the blocks before it, and has to end well. UPDATE_DOCS=1 node --test test/docs/docs.test.ts writes what is printed.
  - the same below <!-- run: by=FILE needs=WORD -->, where FILE is a test that types all blocks that name it (blocksFor) and WORD is one of
    ${Object.keys(needs).join(', ')} (test/docs/docs.test.ts says what they mean).`;

describe('what pages tell to type', () => {
  test('commands and options of blocks exist', () => {
    const wrong = blocks.flatMap(({ where, ...block }) =>
      commandsOf(block).flatMap((line) =>
        problemOf(line) === undefined ? [] : [`${where}: ${problemOf(line)}: ${line}`],
      ),
    );
    assert.deepEqual(wrong, []);
  });

  test('commands and options inside sentences exist', () => {
    const wrong = pages.flatMap((page) =>
      inlineCommands(textOf(page)).flatMap((line) =>
        problemOf(line) === undefined ? [] : [`${page}: ${problemOf(line)}: ${line}`],
      ),
    );
    assert.deepEqual(wrong, []);
  });

  test('what could be typed out of a sentence is in a block, too, and so is run', () => {
    const bare = (line: string) => line.replace(/^npx /, '');
    const known = blocks.flatMap(commandsOf).map(bare);
    const unknown = pages.flatMap((page) =>
      typableInSentences(textOf(page))
        .filter((line) => !known.some((command) => command.startsWith(bare(line))))
        .map((line) => `${page}: ${line}`),
    );
    assert.deepEqual(unknown, [], `put these into blocks.${whatToDo}`);
  });

  test('every block of commands says that it is one', () => {
    const unnamed = pages.flatMap((page) => unnamedCommandBlocks(page, textOf(page)));
    assert.deepEqual(unnamed, [], `these blocks show commands, and no test knows of them.${whatToDo}`);
  });

  test('blocks that are run elsewhere name a suite that runs their commands', () => {
    assert.deepEqual(blocks.flatMap(troubleWithMark), [], whatToDo);
  });

  test('nothing that stays is waited for', () => {
    const staying = blocks.filter(({ mark, ...block }) => mark === undefined && commandsOf(block).some(isStaying));
    assert.deepEqual(
      staying.map(({ where }) => where),
      [],
      `these blocks start something that does not end by itself.${whatToDo}`,
    );
  });
});

describe('what pages show is what happens', () => {
  let fleet: PageFleet;
  before(async () => {
    fleet = await startPageFleet(['--spares', '4']);
  });
  after(() => fleet.close());

  for (const page of pages) {
    const own = blocks.filter(({ where, mark }) => where.startsWith(`${page}:`) && mark === undefined);
    if (own.length === 0) continue;
    test(`${page} can be typed as it is`, async () => {
      for (const block of own) await runBlock(fleet, { page, block });
      for (const line of toldLines(textOf(page))) await fleet.untilTold(line);
    });
  }
});

/** What `npm start` tells of hosts, as a page shows it: lines such as `simulated/r01-s07: provisioned`. */
function toldLines(text: string): string[] {
  const told = [...text.matchAll(/^```\n((?:[a-z0-9-]+\/[a-z0-9-]+: .*\n)+)```$/gm)].map(([, lines = '']) => lines);
  return told.flatMap((lines) => lines.trimEnd().split('\n'));
}

async function runBlock(fleet: PageFleet, { page, block }: { page: string; block: CommandBlock }): Promise<void> {
  if (block.language === 'sh') return runScript(fleet, block);
  const steps = readConsoleSteps(`\`\`\`console\n${block.text}\`\`\``);
  const seen: ConsoleStep[] = [];
  for (const { command, output } of steps) {
    const { printed } = await fleet.runForCode(command);
    const isAlike = isAsShown(printed, output);
    if (!isUpdating)
      assert.ok(isAlike, `${block.where}: ${command}\nshown:\n${output}\nprinted:\n${printed}${whatToDo}`);
    seen.push({ command, output: isAlike ? output : printed });
  }
  if (isUpdating) replaceBlock(page, { block, seen });
}

async function runScript(fleet: PageFleet, block: CommandBlock): Promise<void> {
  const lines = commandsOf(block);
  // Plain commands of ours are run inside this process, which is quicker.
  const isPlain = lines.every((line) => /^(npx )?rackwright [^|<>$&;()]*$/.test(line));
  if (!isPlain) return runShell(fleet, block);
  for (const line of lines) {
    const { code, printed } = await fleet.runForCode(line);
    assert.equal(code, 0, `${block.where}: ${line}\n${printed}${whatToDo}`);
  }
}

function replaceBlock(page: string, { block, seen }: { block: CommandBlock; seen: readonly ConsoleStep[] }): void {
  const fenced = `\`\`\`console\n${block.text}\`\`\``;
  writeFileSync(
    join(root, page),
    textOf(page).replace(fenced, () => writeConsoleSteps(fenced, seen)),
  );
}

/** A suite that asks for its blocks gets every one that names it, and runs what it gets. */
function troubleWithMark({ where, mark }: CommandBlock): string[] {
  if (mark === undefined) return [];
  if (needs[mark.needs] === undefined) return [`${where}: nothing is known of needs=${mark.needs}`];
  if (!existsSync(join(root, mark.by))) return [`${where}: there is no ${mark.by}`];
  if (!mark.by.endsWith('.test.ts')) return [`${where}: ${mark.by} is no test`];
  return textOf(mark.by).includes('blocksFor(import.meta.filename)') ? [] : [`${where}: ${mark.by} types no blocks`];
}
