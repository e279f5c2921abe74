import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type CommandBlock, commandsOf, readBlocks } from './page-blocks.ts';

const root = join(import.meta.dirname, '..', '..');

/** Every page with commands. The README comes first: it is read on a rack that nobody has touched. */
export const pages: readonly string[] = ['README.md', ...globSync('docs/{*.md,runbooks/*.md}', { cwd: root }).sort()];

/** What a page says. */
export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The blocks of commands of all pages. */
export function allBlocks(): CommandBlock[] {
  return pages.flatMap((page) => readBlocks(page, textOf(page)).map(withBenchMark));
}

/**
 * The blocks that say that a suite runs them; the suite calls this with its own `import.meta.filename`, and runs what it
 * gets. So a block that is given to a suite is run by it, or fails it.
 */
export function blocksFor(suite: string): CommandBlock[] {
  const name = relative(root, suite);
  const given = allBlocks().filter(({ mark }) => mark?.by === name);
  if (given.length === 0) throw new Error(`no block of a page says by=${name}`);
  return given;
}

/** Every bench of a page about measuring is run by the same suites, so these need no comment. */
function withBenchMark(block: CommandBlock): CommandBlock {
  const isBench = commandsOf(block).every((line) => line.startsWith('npm run bench -- '));
  const isMeasured = block.where.startsWith('docs/measuring-') && isBench;
  return isMeasured ? { ...block, mark: { by: 'test/real/docs/benches.real.test.ts', needs: 'time' } } : block;
}
