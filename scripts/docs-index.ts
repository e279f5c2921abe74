import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const mark = '<!-- What follows is generated';

/** The text of docs/README.md: as it is written, and below the mark every page that it does not lead to. */
export function docsIndex(root: string): string {
  const text = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/README.md has no line that begins with "${mark}"`);
  const end = text.indexOf('\n', at) + 1;
  const written = text.slice(0, end);
  const others = globSync('docs/*.md', { cwd: root })
    .map((page) => basename(page))
    .filter((page) => page !== 'README.md' && !written.includes(`](${page})`))
    .sort();
  if (others.length === 0) return written;
  const titleOf = (page: string) => /^# (.*)$/m.exec(readFileSync(join(root, 'docs', page), 'utf8'))?.[1] ?? page;
  return `${written}\n## More pages\n\n${others.map((page) => `- [${titleOf(page)}](${page})`).join('\n')}\n`;
}
