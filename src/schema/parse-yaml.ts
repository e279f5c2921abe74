import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type Tags } from 'yaml';
import { goQuote } from './go-text.ts';
import { isJsonObject, type Json } from './json.ts';

/** A parsed YAML text with the fields that stand twice, or why it could not be parsed. */
export type ParsedYaml =
  | {
      readonly value: Json;
      /** Paths of fields that stand twice. */
      readonly duplicates: string[];
      /** What the API server's strict decoding says about them; undefined when there are none. */
      readonly strictError: string | undefined;
    }
  | { readonly error: string };

/** Parses the first document of a YAML text as the API server does: YAML 1.1 scalars, then JSON. */
export function parseYamlStrict(text: string): ParsedYaml {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: keepPlainTags,
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
  });
  if ('empty' in documents) return { value: null, duplicates: [], strictError: undefined };
  const document = documents[0];
  if (document === undefined) return { value: null, duplicates: [], strictError: undefined };
  const error = document.errors[0];
  if (error !== undefined) return { error: yamlError(error.code, error.message, lines.linePos(error.pos[0]).line) };
  return readDocument(document, lines);
}

// Timestamps, sexagesimal numbers and the collection types of YAML 1.1 stay what they look like: text.
function keepPlainTags(tags: Tags): Tags {
  const dropped = /(?:timestamp|binary|omap|pairs|set)$/;
  return tags.filter((tag) => {
    if (typeof tag === 'string') return !dropped.test(tag);
    return !dropped.test(tag.tag) && !('format' in tag && tag.format === 'TIME');
  });
}

function readDocument(document: Document, lines: LineCounter): ParsedYaml {
  let value: Json;
  try {
    value = document.toJS({ maxAliasCount: 1000 }) as Json;
  } catch (cause) {
    const isUnknown = cause instanceof Error && cause.message.startsWith('Unresolved alias');
    const name = /: (.*)$/.exec(cause instanceof Error ? cause.message : '')?.[1] ?? '';
    return {
      error: isUnknown ? `yaml: unknown anchor '${name}' referenced` : 'yaml: document contains excessive aliasing',
    };
  }
  const infinite = findInfinite(value);
  if (infinite !== undefined) return { error: `json: unsupported value: ${infinite}` };
  const found: Duplicate[] = [];
  findDuplicates(document.contents as Node | null, '', { lines, found });
  const texts = found.map(({ line, key }) => `  line ${line}: key ${goQuote(key)} already set in map`);
  const strictError = texts.length === 0 ? undefined : `yaml: unmarshal errors:\n${texts.join('\n')}`;
  return { value, duplicates: [...new Set(found.map(({ path }) => path))], strictError };
}

function findInfinite(value: Json): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  }
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  for (const part of parts) {
    const found = findInfinite(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Duplicate {
  readonly path: string;
  readonly key: string;
  readonly line: number;
}

interface Search {
  readonly lines: LineCounter;
  readonly found: Duplicate[];
}

function findDuplicates(node: Node | null, path: string, search: Search): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) findDuplicates(item as Node, `${path}[${index}]`, search);
  }
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const pair of node.items) {
    const keyNode = pair.key as Node;
    const key = isScalar(keyNode) ? String(keyNode.value) : '';
    const at = path === '' ? key : `${path}.${key}`;
    if (seen.has(key)) search.found.push({ path: at, key, line: lineOf(keyNode, search.lines) });
    seen.add(key);
    findDuplicates(pair.value as Node | null, at, search);
  }
}

function lineOf(node: Node, lines: LineCounter): number {
  return lines.linePos(node.range?.[0] ?? 0).line;
}

const words: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  TAB_AS_INDENT: 'found character that cannot start any token',
  MISSING_CHAR: 'did not find expected key',
};

// The parsers of Go and of this library stumble at different places; the line and the commonest words agree.
function yamlError(code: string, message: string, line: number): string {
  return `yaml: line ${line}: ${words[code] ?? message}`;
}
