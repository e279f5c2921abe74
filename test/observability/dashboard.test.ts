import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentedMetrics } from './metrics-table.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const text = readFileSync(new URL('../../dashboards/rackwright.json', import.meta.url), 'utf8');
const dashboard = JSON.parse(text) as { readonly title: string; readonly panels: readonly Panel[] };
const known = ['Of the API server', 'Of everything else', 'Where more is turned on'].flatMap(documentedMetrics);

/** Words of PromQL that look like metrics. */
const words = new Set(
  'sum rate increase by on without max min avg topk histogram_quantile ignoring group_left clamp_min or and unless le time count'.split(
    ' ',
  ),
);

/** The metrics of an expression: words that are no label, no function and nothing in quotes. */
function metricsIn(expression: string): readonly string[] {
  const bare = expression
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/[a-zA-Z_:][\w:]*/g)].map(([word]) => word).filter((word) => !words.has(word));
}

function labelsIn(expression: string): readonly string[] {
  const matchers = [...expression.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label);
  const groups = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)];
  return [...matchers, ...groups.flatMap(([, list = '']) => list.split(',').map((each) => each.trim()))];
}

const expressions = dashboard.panels.flatMap(({ title, targets }) =>
  (targets ?? []).map(({ expr }) => ({ title, expr })),
);

test('every expression of the dashboard is about metrics that there are, by labels that they have', () => {
  assert.ok(expressions.length >= 20);
  for (const { title, expr } of expressions) {
    const metrics = metricsIn(expr);
    assert.ok(metrics.length > 0, `${title}: ${expr} names no metric`);
    const labels = new Set(['le', 'instance', 'job']);
    for (const name of metrics) {
      const row =
        known.find((each) => each.name === name) ??
        known.find(
          ({ name: of, type }) => type === 'histogram' && [`${of}_bucket`, `${of}_sum`, `${of}_count`].includes(name),
        );
      assert.ok(row !== undefined, `${title}: there is no metric ${name}`);
      for (const label of row.labels) labels.add(label);
    }
    for (const label of labelsIn(expr))
      assert.ok(labels.has(label), `${title}: ${expr} has a label ${label} that none of its metrics has`);
  }
});

test('the dashboard has a row for each part of the work, and panels have ids of their own', () => {
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
  assert.deepEqual(rows, ['Fleet', 'Hosts', 'Installs', 'Live updates', 'BMCs', 'API server', 'Queues', 'Ports']);
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

test('metrics that are there only with more turned on say of themselves what is documented', () => {
  const places = ['kube/leader-election', 'kube/admission/admission-server', 'engine/bus/bus-metrics'];
  const source = places
    .map((place) => readFileSync(new URL(`../../src/${place}.ts`, import.meta.url), 'utf8'))
    .join('');
  const rows = documentedMetrics('Where more is turned on');
  assert.equal(rows.length, 7, 'two of a cluster and five of NATS');
  for (const { name, help, labels } of rows) {
    const part = name.replace(/^rackwright_bus_(.*)_total$/, '$1');
    assert.ok(source.includes(`'${part}'`), `there is no metric ${name}`);
    assert.ok(source.includes(`'${help}'`), `${name} says something else of itself than: ${help}`);
    for (const label of labels) assert.ok(source.includes(`'${label}'`), `${name} has no label ${label}`);
  }
});

test('every alert that is proposed is about metrics that there are', () => {
  const page = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('### What to be woken for')).split('\n## ', 1)[0] ?? '';
  const alerts = [...section.matchAll(/^\| [^|]+ \| `(.*)` \|$/gm)].map(([, expression = '']) => expression);
  assert.ok(alerts.length >= 5);
  for (const alert of alerts)
    for (const name of metricsIn(alert))
      assert.ok(
        known.some((row) => row.name === name),
        `${alert}: there is no ${name}`,
      );
});
