import { readFileSync } from 'node:fs';

/** A metric: what is documented of it, or what a process exposes. */
export interface MetricRow {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

const page = new URL('../../docs/observability.md', import.meta.url);

/** The rows of the tables below a heading of the page about metrics. */
export function documentedMetrics(heading: string): readonly MetricRow[] {
  const text = readFileSync(page, 'utf8');
  const begin = text.indexOf(`\n### ${heading}\n`);
  if (begin < 0) throw new Error(`docs/observability.md has no heading "${heading}"`);
  const [section = ''] = text.slice(begin + 5).split(/\n#{2,3} /, 1);
  return [...section.matchAll(/^\| `(\w+)` \| (\w+) \|(.*?)\| (.*?) \| .* \|$/gm)].map(
    ([, name = '', type = '', labels = '', help = '']) => ({
      ...{ name, type, help },
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
    }),
  );
}

/** What a page of metrics exposes; what every process of Node has is left out. */
export function exposedMetrics(text: string): readonly MetricRow[] {
  const help = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name = '', about = '']) => [name, about]));
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    .map(([, name = '', type = '']) => ({ name, type, labels: labelsOf(text, name), help: help.get(name) ?? '' }))
    .filter(({ name }) => !/^(process|nodejs)_/.test(name));
}

function labelsOf(text: string, name: string): readonly string[] {
  const labels = new Set<string>();
  for (const [, list = ''] of text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'))) {
    for (const [, label = ''] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) if (label !== 'le') labels.add(label);
  }
  return [...labels];
}

/** What is wrong with a table, given what is exposed: a line for each metric that one of them does not have. */
export function differences(documented: readonly MetricRow[], exposed: readonly MetricRow[]): readonly string[] {
  const found = new Map(exposed.map((row) => [row.name, row]));
  const known = new Set(documented.map(({ name }) => name));
  const wrong = documented.flatMap((row) => {
    const real = found.get(row.name);
    if (real === undefined) return [`${row.name} is documented and not exposed`];
    const extra = real.labels.filter((label) => !row.labels.includes(label));
    return [
      ...(real.type === row.type ? [] : [`${row.name} is a ${real.type}, not a ${row.type}`]),
      ...(real.help === row.help ? [] : [`${row.name} says of itself: ${real.help}`]),
      ...extra.map((label) => `${row.name} has a label ${label} that is not documented`),
    ];
  });
  return [
    ...wrong,
    ...exposed
      .filter(({ name }) => !known.has(name))
      .map(({ name, type, labels, help }) => {
        const cells = [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help, 'Rackwright'];
        return `${name} is exposed and not documented: | ${cells.join(' | ')} |`;
      }),
  ];
}
