/** Numbers such as `1, 6-10` in the one way to write them: sorted, joined and without spaces; as it is where it is no such list. */
export function plainNumbers(
  text: string | number,
  { without }: { readonly without?: number | undefined } = {},
): string {
  const parts = String(text)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const spans = parts.map((part) => /^(\d+)(?:-(\d+))?$/.exec(part)).map(spanOf);
  if (spans.some((span) => span === undefined)) return parts.join(', ');
  return joined(spans.flatMap((span) => (span === undefined ? [] : cut(span, without))))
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
    .join(', ');
}

type Span = readonly [first: number, last: number];

function spanOf(found: RegExpExecArray | null): Span | undefined {
  if (found === null) return undefined;
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
  return first <= last ? [first, last] : undefined;
}

function cut([first, last]: Span, without: number | undefined): readonly Span[] {
  if (without === undefined || without < first || without > last) return [[first, last]];
  const sides: readonly Span[] = [
    [first, without - 1],
    [without + 1, last],
  ];
  return sides.filter(([from, to]) => from <= to);
}

function joined(spans: readonly Span[]): readonly Span[] {
  const found: [number, number][] = [];
  for (const [first, last] of spans.toSorted(([a], [b]) => a - b)) {
    const before = found.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else found.push([first, last]);
  }
  return found;
}
