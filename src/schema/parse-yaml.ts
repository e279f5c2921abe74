import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
  type Tags,
  type YAMLParseError,
} from 'yaml';
import { goQuote } from './go-text.ts';
import { isJsonObject, type Json } from './json.ts';
import { findDuplicateFields, parseJson } from './parse-json.ts';
import { resolveAliases } from './yaml-aliases.ts';

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
  if (hasSurrogateEscape(text)) return { error: 'yaml: found invalid Unicode character escape code' };
  const json = parseJsonAsYaml(text);
  if (json !== undefined) return json;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) return { error: 'yaml: control characters are not allowed' };
  const lines = new LineCounter();
  // A carriage return alone ends a line, too; the parser knows it only before a line feed.
  const documents = parseAllDocuments(text.replace(/\r(?!\n)/g, '\n'), {
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
  if (error !== undefined) return { error: yamlError(error, lines) };
  return readDocument(document, lines);
}

/** In YAML an escape names a whole character, so that even pairs of surrogates, which JSON writes, are none. */
function hasSurrogateEscape(text: string): boolean {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('"') && /^(?:[^\\]|\\.)*?\\u[dD][89a-fA-F]/s.test(lexeme)) return true;
  }
  return false;
}

/** Most clients that apply send JSON, which is YAML too and read a hundred times faster; undefined when it is not plain. */
export function parseJsonAsYaml(text: string): ParsedYaml | undefined {
  if (!text.startsWith('{') || hasSurrogateEscape(text)) return undefined;
  const parsed = parseJson(text);
  if ('error' in parsed || findDuplicateFields(text, parsed.value).length > 0) return undefined;
  // What no float can hold is a text in YAML.
  if (/[eE]\+?\d{3}|(?<!\d)\d{309}/.test(text) && findInfinite(parsed.value) !== undefined) return undefined;
  return { value: parsed.value, duplicates: [], strictError: undefined };
}

// Timestamps, sexagesimal numbers and the collection types of YAML 1.1 stay what they look like: text.
function keepPlainTags(tags: Tags): Tags {
  const dropped = /(?:timestamp|binary|omap|pairs|set)$/;
  const kept = tags.filter((tag) => {
    if (typeof tag === 'string') return !dropped.test(tag);
    return !dropped.test(tag.tag) && !('format' in tag && tag.format === 'TIME');
  });
  return kept.map((tag) => (isScalarTag(tag) ? asFloat(tag) : tag));
}

function isScalarTag(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.collection === undefined;
}

/** A point without any digit is a text, which the parser takes for a number; so is a number that no float can hold. */
function asFloat(tag: ScalarTag): ScalarTag {
  if (tag.test === undefined || !(tag.test.test('.') || tag.test.test('1e400'))) return tag;
  return {
    ...tag,
    test: new RegExp(`^(?=.*[0-9])${tag.test.source.replace(/^\^/, '')}`),
    resolve(text, onError, options) {
      const value = tag.resolve(text, onError, options);
      const found = isScalar(value) ? value.value : value;
      return found === Number.POSITIVE_INFINITY || found === Number.NEGATIVE_INFINITY ? text : value;
    },
  };
}

function readDocument(document: Document, lines: LineCounter): ParsedYaml {
  const resolved = resolveAliases(document.contents as Node | null);
  if ('error' in resolved) return resolved;
  let value: Json;
  try {
    value = document.toJS({ maxAliasCount: -1 }) as Json;
  } catch (cause) {
    return { error: readError(cause instanceof Error ? cause.message : '') };
  }
  const infinite = findInfinite(value);
  if (infinite !== undefined) return { error: `json: unsupported value: ${infinite}` };
  // What an alias stands for is one value in several places; whoever changes one of them must not change the others.
  if (resolved.aliases.size > 0) value = JSON.parse(JSON.stringify(value)) as Json;
  const found: Duplicate[] = [];
  findDuplicates(document.contents as Node | null, '', { lines, found });
  const texts = found.map(({ line, key }) => `  line ${line}: key ${goQuote(key)} already set in map`);
  const strictError = texts.length === 0 ? undefined : `yaml: unmarshal errors:\n${texts.join('\n')}`;
  return { value, duplicates: [...new Set(found.map(({ path }) => path))], strictError };
}

function readError(message: string): string {
  if (message.startsWith('Merge')) return 'yaml: map merge requires map or sequence of maps as the value';
  return `yaml: ${message}`;
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

interface Wording {
  readonly matches: RegExp;
  readonly words: string;
  /** Go's scanner counts the line it stops in, its parser the line before; neither counts the first. */
  readonly by: 'scanner' | 'parser';
}

// Matched against `CODE message`. The two parsers stumble at different places; these are the commonest mistakes.
const wordings: readonly Wording[] = [
  {
    matches: /^BLOCK_AS_IMPLICIT|^MULTILINE_IMPLICIT/,
    words: 'mapping values are not allowed in this context',
    by: 'scanner',
  },
  { matches: /^TAB_AS|^BAD_SCALAR_START/, words: 'found character that cannot start any token', by: 'scanner' },
  { matches: /^BAD_DQ_ESCAPE/, words: 'found unknown escape character', by: 'scanner' },
  { matches: /quote/, words: 'found unexpected end of stream', by: 'scanner' },
  {
    matches: /block-seq-ind on same line/,
    words: 'block sequence entries are not allowed in this context',
    by: 'scanner',
  },
  { matches: /end with a \}|^BLOCK_IN_FLOW/, words: "did not find expected ',' or '}'", by: 'parser' },
  { matches: /end with a \]/, words: "did not find expected ',' or ']'", by: 'parser' },
  { matches: /Unexpected flow-/, words: 'did not find expected node content', by: 'parser' },
  { matches: /scalar at node end/, words: "did not find expected '-' indicator", by: 'parser' },
  { matches: /^MISSING_CHAR/, words: 'did not find expected key', by: 'parser' },
];

function yamlError(error: YAMLParseError, lines: LineCounter): string {
  const wording = wordings.find(({ matches }) => matches.test(`${error.code} ${error.message}`));
  const end = lines.linePos(Math.max(error.pos[0], error.pos[1] - 1)).line;
  const line = wording?.by === 'parser' ? end - 1 : end === 1 ? 0 : end;
  return `yaml: ${line === 0 ? '' : `line ${line}: `}${wording?.words ?? error.message}`;
}
