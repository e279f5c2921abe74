import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CommandBlock, commandsOf } from './page-blocks.ts';
import { asTypedHere, type Differences } from './typed-commands.ts';

/** How a command of a page is typed on this machine. */
export interface Plan {
  /** What differs here from the page; known only once the suite has started what it needs. */
  readonly differences?: () => Differences;
  /** Gets the command as it is typed here, below the `export` lines of its block. */
  readonly type: (lines: string, t: TestContext) => Promise<void>;
}

/**
 * Makes a test of every command of blocks, in their order. Plans go by how their commands begin; a command without one
 * fails, and so does a plan without a command.
 */
export function typePages(blocks: readonly CommandBlock[], plans: Readonly<Record<string, Plan>>): void {
  const lines = blocks.flatMap(linesOf);
  // Of several that fit the one that says most.
  const starts = Object.keys(plans).toSorted((a, b) => b.length - a.length);
  const startOf = (line: string) => starts.find((start) => line.startsWith(start));
  for (const { where, line, exports } of lines) {
    test(`${where}: ${line}`, async (t) => {
      const plan = plans[startOf(line) ?? assert.fail('no plan says how to type this')] as Plan;
      const { differences = () => ({}), type } = plan;
      await type(asTypedHere([...exports, line].join('\n'), differences()), t);
    });
  }
  test('every plan is for a command of a page', () => {
    const used = lines.map(({ line }) => startOf(line));
    assert.deepEqual(
      Object.keys(plans).filter((start) => !used.includes(start)),
      [],
    );
  });
}

function linesOf(block: CommandBlock) {
  const all = commandsOf(block);
  const exports = all.filter((line) => line.startsWith('export '));
  return all.filter((line) => !exports.includes(line)).map((line) => ({ where: block.where, line, exports }));
}
