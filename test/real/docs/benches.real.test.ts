/**
 * Every bench of the pages about measuring, typed as its page has it. The last command of each page runs with so little to
 * measure that it is over in seconds: all of it is typed, and what is added after it makes it smaller. Those before it
 * only say what they would measure (`--plan`), which takes the same options. Whether the bars hold is for `npm run chaos`,
 * which runs all of them as they are, but for the one that needs another project's operator; here a bench has to take every
 * option and to bring its figures.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { shellWords } from '../../../examples/console-page.ts';
import { commandsOf } from '../../docs/page-blocks.ts';
import { blocksFor } from '../../docs/pages.ts';
import { type Plan, typePages } from '../../docs/type-pages.ts';
import { asTypedHere, type Desk, typeForCode, typeLines } from '../../docs/typed-commands.ts';
import { whyNoRealKube } from '../kube/binaries.ts';

const skip = whyNoRealKube();
const root = join(import.meta.dirname, '..', '..', '..');

/** What is added to the command of each bench that is run. The last of two options of one name counts. */
const smaller: Readonly<Record<string, string>> = {
  apiserver: '--rounds 1 --seconds 0.1 --clients 2 --watchers 2 --objects 50 --sizes 10,20 --part memory',
  bmc: '--sizes 2,4 --at-once 2 --compared 0 --rounds 1',
  console: '--hosts 10 --rounds 1 --changes 20',
  discovery: '--sizes 2 --rounds 1 --seconds 1 --warm-up 1',
  fleet: '--sizes 4,6 --warm-up 2 --rounds 1',
  hostile: '--requests 60 --at-once 8',
  hosts: '--sizes 2 --rounds 1 --warm-up 1 --only embedded --operator-sizes 2',
  install: '--servers 6 --parallel 6 --flash 1 --sizes 6,12 --compared 6',
  'live-update': '--hosts 2 --parallel 2 --post 1',
  ports: '--sizes 2 --switches 2 --rounds 1',
};

/** The commands that are run. */
const blocks = blocksFor(import.meta.filename);
const lastOnes = new Set(blocks.map((block) => commandsOf(block).at(-1)));

describe('benches of the pages, with little to measure', {
  concurrency: 2,
  ...(skip === undefined ? {} : { skip }),
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-benches-'));
  const desk: Desk = { folder };
  before(async () => {
    for (const name of readdirSync(root).filter((each) => !each.startsWith('.')))
      symlinkSync(join(root, name), join(folder, name));
    await typeLines(desk, 'cat deploy/crds/*.yaml > crds.yaml');
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const plans = Object.entries(smaller).map(([name, more]): [string, Plan] => [
    `npm run bench -- ${name}`,
    {
      type: async (lines) => {
        const typed = `${here(lines)} ${lastOnes.has(lines) ? more : '--plan'}`;
        const { printed } = await typeForCode(desk, typed);
        const figures = figuresIn(printed);
        assert.equal(figures?.bench, name, `${typed}\n${printed}`);
        assert.deepEqual(missingOf(typed, figures.options), [], 'options that the bench was not told');
      },
    },
  ]);
  typePages(blocks, Object.fromEntries(plans));

  /** Another operator is needed for one of them: ours, by itself. */
  function here(lines: string): string {
    if (!lines.includes('some-operator')) return lines;
    const command = `${process.execPath} ${join(root, 'bench', 'hosts', 'controllers-process.ts')}`;
    return asTypedHere(lines, { 'some-operator --its-flags': command });
  }
});

interface Figures {
  readonly bench: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The line of JSON that every bench ends with. */
function figuresIn(printed: string): Figures | undefined {
  const line = printed.split('\n').findLast((each) => each.startsWith('{"bench":'));
  return line === undefined ? undefined : (JSON.parse(line) as Figures);
}

/** Options of a command line that are not among those that a bench says it was told. */
function missingOf(line: string, told: Figures['options']): string[] {
  const words = shellWords(line);
  const flags = words.slice(words.indexOf('--') + 1).filter((word) => word.startsWith('--'));
  return flags.filter((flag) => {
    const at = words.lastIndexOf(flag);
    const next = words[at + 1];
    const value = next === undefined || next.startsWith('--') ? 'true' : next;
    const name = flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return flag !== '--plan' && String(told[name]) !== value;
  });
}
