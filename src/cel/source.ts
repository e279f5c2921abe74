/** A mistake at a place in an expression; the offset counts code points, -1 is nowhere in particular. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

const maxIssues = 100;
const maxSnippet = 16_384;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Prints mistakes one after the other, each with the line it is on and a marker under the place. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const lines = source.split('\n');
  const shown = issues
    .slice(0, maxIssues)
    .map((issue) => ({ issue, place: placeOf(lines, issue.offset) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ issue, place }) => formatIssue(issue.message, place, lines));
  if (issues.length > maxIssues) shown.push(`${issues.length - maxIssues} more errors were truncated`);
  return shown.join('\n');
}

function placeOf(lines: readonly string[], offset: number): Place {
  if (offset < 0) return { line: -1, column: -1 };
  let left = offset;
  for (const [index, line] of lines.entries()) {
    const length = [...line].length;
    if (left <= length) return { line: index + 1, column: left };
    left -= length + 1;
  }
  return { line: lines.length, column: 0 };
}

function formatIssue(message: string, { line, column }: Place, lines: readonly string[]): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const snippet = lines[line - 1]?.replaceAll('\t', ' ');
  if (snippet === undefined || Buffer.byteLength(snippet) > maxSnippet) return head;
  const characters = [...snippet];
  const dots = characters.slice(0, column).map((c) => (isWide(c) ? '．' : '.'));
  const marker = isWide(characters[column] ?? '') ? '＾' : '^';
  return `${head}\n | ${snippet}\n | ${dots.join('')}${marker}`;
}

// Two columns for everything that is more than one byte, so that the marker stays below its character.
function isWide(character: string): boolean {
  return character !== '' && (character.codePointAt(0) as number) > 0x7f;
}
