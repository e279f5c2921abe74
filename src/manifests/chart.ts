import { stringify } from 'yaml';
import { home } from './component.ts';
import { helmCondition } from './condition.ts';
import { allParts } from './installation.ts';
import { Optional, type Part, placeOf, replacePlaces, type Template } from './template.ts';
import { defaultValues, valueChecks, valuesSchema } from './values.ts';

/** The folder of the chart, relative to the package. */
export const chartFolder = 'deploy/chart';

const head = '# Generated from src/manifests; do not edit.\n';

/** The files of the Helm chart, by their path relative to the package. */
export function chartFiles(version: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    [`${chartFolder}/Chart.yaml`, head + stringify(chartOf(version))],
    [`${chartFolder}/values.yaml`, head + stringify(defaultValues(version), { lineWidth: 0 })],
    [`${chartFolder}/values.schema.json`, `${JSON.stringify(schemaOf(), null, 2)}\n`],
    [`${chartFolder}/templates/checks.yaml`, head + checksText()],
  ]);
  const parts = allParts().filter(({ isPlainOnly }) => isPlainOnly !== true);
  for (const [file, members] of Map.groupBy(parts, (part) => part.file)) {
    files.set(`${chartFolder}/templates/${file}.yaml`, head + members.map(partText).join(''));
  }
  return files;
}

function chartOf(version: string) {
  return {
    apiVersion: 'v2',
    name: 'rackwright',
    description: 'Runs bare-metal fleets the Kubernetes way.',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.29.0-0',
  };
}

function schemaOf(): object {
  // Helm itself passes what is under "global".
  const schema = structuredClone(valuesSchema) as unknown as { properties: Record<string, object> };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    properties: { global: {}, ...schema.properties },
  };
}

function checksText(): string {
  const namespace = `install it in the namespace ${home}: helm install rackwright ... --namespace ${home} --create-namespace`;
  return [
    `{{- if ne $.Release.Namespace "${home}" }}{{ fail ${JSON.stringify(namespace)} }}{{ end }}`,
    ...valueChecks.map(
      ({ when, message }) => `{{- if ${helmCondition(when)} }}{{ fail ${JSON.stringify(message)} }}{{ end }}`,
    ),
    '',
  ].join('\n');
}

function partText({ objects, when, isPerTenant }: Part): string {
  const before = [
    ...(when === undefined ? [] : [`{{- if ${helmCondition(when)} }}`]),
    ...(isPerTenant === true ? ['{{- range $tenant := $.Values.tenancy.tenants }}'] : []),
  ];
  const lines = objects.flatMap((object) => ['---', ...linesOf(object)]);
  return [...before, ...lines, ...before.map(() => '{{- end }}'), ''].join('\n');
}

/** A template as lines of YAML: a scalar is written as in JSON, which is YAML too and leaves no doubt. */
function linesOf(template: Template): string[] {
  if (Array.isArray(template)) {
    return template.flatMap((each: Template) => guarded(each, (item) => itemLines(item)));
  }
  return Object.entries(template as Record<string, Template>).flatMap(([key, each]) =>
    guarded(each, (field) => fieldLines(key, field)),
  );
}

function guarded(template: Template, lines: (template: Template) => string[]): string[] {
  if (!(template instanceof Optional)) return lines(template);
  return [`{{- if ${helmCondition(template.when)} }}`, ...lines(template.value), '{{- end }}'];
}

function itemLines(item: Template): string[] {
  if (isScalar(item)) return [`- ${scalar(item)}`];
  const [first = '', ...others] = linesOf(item);
  // A field that may be missing cannot be the first line of an item.
  if (first.startsWith('{{')) return ['-', ...[first, ...others].map(indent)];
  return [`- ${first}`, ...others.map(indent)];
}

function fieldLines(key: string, field: Template): string[] {
  const name = /^[A-Za-z][\w./-]*$/.test(key) ? key : JSON.stringify(key);
  return isScalar(field) ? [`${name}: ${scalar(field)}`] : [`${name}:`, ...linesOf(field).map(indent)];
}

function indent(line: string): string {
  return line.startsWith('{{-') ? line : `  ${line}`;
}

function isScalar(template: Template): boolean {
  return typeof template !== 'object' || Object.keys(template).length === 0;
}

function scalar(template: Template): string {
  if (typeof template !== 'string') return JSON.stringify(template);
  const whole = placeOf(template);
  if (whole !== undefined) return `{{ ${helmPath(whole.path)}${whole.isText ? ' | toString' : ''} | toJson }}`;
  const escaped = JSON.stringify(template).replaceAll('{{', '{{ "{{" }}');
  return replacePlaces(escaped, (path) => `{{ ${helmPath(path)} }}`);
}

function helmPath(path: string): string {
  return path === 'tenant' ? '$tenant' : `$.Values.${path}`;
}
