import type { JsonSchema } from '../schema/index.ts';
import { apiVersionOf, exampleOf, type KindDeclaration, type KindVersion } from './declare.ts';
import { schemaOf } from './to-crd.ts';
import { yamlText } from './yaml-text.ts';

interface FieldRow {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** The Markdown reference page of a kind. */
export function referencePageOf(kind: KindDeclaration): string {
  const parts = [
    `# ${kind.kind}`,
    '<!-- Generated from src/api; do not edit. -->',
    kind.description,
    factsTable(kind),
    ...kind.versions.flatMap((version) => versionParts(kind, version)),
    ...exampleParts(kind),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The page that lists every kind and links to its page. */
export function referenceIndexOf(kinds: readonly KindDeclaration[]): string {
  const rows = kinds.map((kind) => {
    const versions = kind.versions.map((version) => version.version).join(', ');
    const short = (kind.shortNames ?? []).map(code).join(', ');
    const link = `[${kind.kind}](${referenceFileOf(kind)})`;
    return `| ${link} | ${kind.group} | ${versions} | ${kind.scope} | ${short} | ${cell(kind.description)} |`;
  });
  const head = '| kind | group | versions | scope | short names | what it is |\n|---|---|---|---|---|---|';
  return `# Kinds\n\n<!-- Generated from src/api; do not edit. -->\n\n${head}\n${rows.join('\n')}\n`;
}

/** File name of a kind's reference page: `metal3.io_baremetalhost.md`. */
export function referenceFileOf(kind: KindDeclaration): string {
  return `${kind.group}_${kind.singular}.md`;
}

function factsTable(kind: KindDeclaration): string {
  const facts: [string, string][] = [
    ['group', code(kind.group)],
    ['versions', kind.versions.map(versionFact).join(', ')],
    ['scope', kind.scope],
    ['names', [kind.plural, kind.singular, ...(kind.shortNames ?? [])].map(code).join(', ')],
  ];
  if (kind.categories !== undefined) facts.push(['categories', kind.categories.map(code).join(', ')]);
  return `| | |\n|---|---|\n${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`;
}

function versionFact(version: KindVersion): string {
  const marks = [version.storage ? 'stored' : '', version.deprecated === true ? 'deprecated' : ''].filter(Boolean);
  return marks.length === 0 ? code(version.version) : `${code(version.version)} (${marks.join(', ')})`;
}

function versionParts(kind: KindDeclaration, version: KindVersion): string[] {
  const root = schemaOf(kind, version);
  const rows = fieldRows(root, '').filter((row) => !['apiVersion', 'kind', 'metadata'].includes(row.path));
  const rules = ruleRows(root, '');
  return [
    `## ${apiVersionOf(kind, version)}`,
    ...(version.deprecationWarning === undefined ? [] : [`> ${version.deprecationWarning}`]),
    subresourceLine(version),
    '### Fields',
    `| field | type | what it means |\n|---|---|---|\n${rows.map(fieldLine).join('\n')}`,
    ...(rules.length === 0 ? [] : ['### Rules', rules.map((rule) => `- ${rule}`).join('\n')]),
    ...columnParts(version),
    ...selectorParts(version),
  ];
}

function subresourceLine(version: KindVersion): string {
  const names = [
    version.hasStatusSubresource ? 'status' : '',
    version.scale === undefined ? '' : `scale (${code(version.scale.specReplicasPath)})`,
  ].filter(Boolean);
  return names.length === 0 ? 'Subresources: none.' : `Subresources: ${names.join(', ')}.`;
}

function columnParts(version: KindVersion): string[] {
  if (version.columns.length === 0) return [];
  const rows = version.columns.map((column) => {
    const wide = (column.priority ?? 0) > 0 ? ' (with `-o wide`)' : '';
    return `| ${column.name}${wide} | ${code(column.jsonPath)} | ${cell(column.description ?? '')} |`;
  });
  return ['### Columns of `kubectl get`', `| column | from | |\n|---|---|---|\n${rows.join('\n')}`];
}

function selectorParts(version: KindVersion): string[] {
  if (version.selectableFields === undefined) return [];
  const fields = version.selectableFields.map((path) => code(path.replace(/^\./, '')));
  return ['### Field selectors', `${fields.join(', ')}, beside ${code('metadata.name')} and the namespace.`];
}

function exampleParts(kind: KindDeclaration): string[] {
  const example = exampleOf(kind);
  return example === undefined ? [] : ['## Example', `\`\`\`yaml\n${yamlText(example, { isSorted: false })}\`\`\``];
}

function fieldRows(schema: JsonSchema, path: string): FieldRow[] {
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ path: here, schema: field, isRequired }, ...fieldRows(field, here)];
  });
  if (schema.items !== undefined) rows.push(...fieldRows(schema.items, `${path}[]`));
  if (typeof schema.additionalProperties === 'object')
    rows.push(...fieldRows(schema.additionalProperties, `${path}.*`));
  return rows;
}

function fieldLine({ path, schema, isRequired }: FieldRow): string {
  const type = `${typeText(schema)}${isRequired ? ', required' : ''}`;
  return `| ${code(path)} | ${type} | ${cell([schema.description ?? '', ...limitTexts(schema)].filter(Boolean).join(' '))} |`;
}

function typeText(schema: JsonSchema): string {
  const nullable = schema.nullable === true ? ' or null' : '';
  if (schema['x-kubernetes-int-or-string'] === true) return `integer or string${nullable}`;
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}${nullable}`;
  if (typeof schema.additionalProperties === 'object') {
    return `map of ${typeText(schema.additionalProperties)}${nullable}`;
  }
  const name = schema.format === 'date-time' ? 'time' : (schema.type ?? 'any');
  return `${name}${nullable}`;
}

function limitTexts(schema: JsonSchema): string[] {
  const texts: string[] = [];
  const values = schema.enum ?? schema.items?.enum;
  if (values !== undefined) texts.push(`One of ${values.map((value) => code(JSON.stringify(value))).join(', ')}.`);
  if (schema.default !== undefined) texts.push(`Default: ${code(JSON.stringify(schema.default))}.`);
  if (schema.minimum !== undefined) texts.push(`At least ${schema.minimum}.`);
  if (schema.maximum !== undefined) texts.push(`At most ${schema.maximum}.`);
  if (schema.maxLength !== undefined) texts.push(`At most ${schema.maxLength} characters.`);
  if (schema.minItems !== undefined) texts.push(`At least ${schema.minItems} items.`);
  if (schema.maxItems !== undefined) texts.push(`At most ${schema.maxItems} items.`);
  if (schema.maxProperties !== undefined) texts.push(`At most ${schema.maxProperties} entries.`);
  if (schema.pattern !== undefined) texts.push(`Matches ${code(schema.pattern)}.`);
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys !== undefined) texts.push(`One entry per ${keys.map(code).join(' and ')}.`);
  if (schema['x-kubernetes-list-type'] === 'set') texts.push('No value twice.');
  return texts;
}

function ruleRows(schema: JsonSchema, path: string): string[] {
  const here = (schema['x-kubernetes-validations'] ?? []).map((rule) => {
    const where = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
    return `${where === '' ? 'the object' : code(where)}: ${rule.message ?? code(rule.messageExpression ?? rule.rule)}`;
  });
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => ruleRows(field, `${path}.${name}`));
  const items = schema.items === undefined ? [] : ruleRows(schema.items, `${path}[]`);
  const values =
    typeof schema.additionalProperties === 'object' ? ruleRows(schema.additionalProperties, `${path}.*`) : [];
  return [...here, ...below, ...items, ...values];
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll(/(?<!\\)\|/g, '\\|');
}
