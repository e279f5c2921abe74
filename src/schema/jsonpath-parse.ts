import { goQuote } from './go-text.ts';
import type { Json } from './json.ts';

/** One step of a path. */
export type JsonPathNode =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | {
      readonly type: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number | undefined;
      readonly isIndex: boolean;
    }
  | { readonly type: 'union'; readonly branches: readonly (readonly JsonPathNode[])[] }
  | {
      readonly type: 'filter';
      readonly left: readonly JsonPathNode[];
      readonly right: readonly JsonPathNode[];
      readonly operator: string;
    }
  | { readonly type: 'constant'; readonly value: Json };

/** Parses the inside of a Kubernetes JSONPath template: what kubectl writes between braces. */
export function parseJsonPath(path: string): { nodes: JsonPathNode[] } | { error: string } {
  const parser = new PathParser(path);
  try {
    return { nodes: parser.parse() };
  } catch (error) {
    if (error instanceof PathError) return { error: error.message };
    throw error;
  }
}

class PathError extends Error {}

const terminators = ' \t\r\n.,[]$@{}';

class PathParser {
  readonly #text: string;
  #at = 0;
  readonly #nodes: JsonPathNode[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): JsonPathNode[] {
    while (this.#at < this.#text.length) this.#step();
    return this.#nodes;
  }

  #step(): void {
    const rest = this.#text.slice(this.#at);
    const char = rest.charAt(0);
    if (rest.startsWith('[?(')) this.#filter();
    else if (rest.startsWith('..')) this.#recursive();
    else if (char === '\n' || char === '\r') throw new PathError('unclosed action');
    else if (char === ' ' || char === '@' || char === '$') this.#at++;
    else if (char === '[') this.#array();
    else if (char === '"' || char === "'") this.#quoted(char);
    else if (char === '.') this.#field(1);
    else if (/[+\-\d]/.test(char)) this.#number();
    else if (/[_\p{L}]/u.test(char)) this.#identifier();
    else throw new PathError(`unrecognized character in action: ${describe(rest)}`);
  }

  #recursive(): void {
    if (this.#nodes.at(-1)?.type === 'recursive') throw new PathError('invalid multiple recursive descent');
    this.#at += 2;
    this.#nodes.push({ type: 'recursive' });
    if (/[_\p{L}\p{Nd}]/u.test(this.#text.charAt(this.#at))) this.#field(0);
  }

  #field(skipped: number): void {
    let end = this.#at + skipped;
    while (end < this.#text.length && !terminators.includes(this.#text.charAt(end))) {
      end += this.#text.charAt(end) === '\\' ? 2 : 1;
    }
    const name = this.#text.slice(this.#at + skipped, end);
    this.#at = Math.min(end, this.#text.length);
    this.#nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') });
  }

  #number(): void {
    const text = /^[+-]?[\d.]*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += text.length;
    if (text === '' || Number.isNaN(Number(text))) throw new PathError(`cannot parse number ${text}`);
    this.#nodes.push({ type: 'constant', value: Number(text) });
  }

  #identifier(): void {
    let end = this.#at;
    while (end < this.#text.length && !terminators.includes(this.#text.charAt(end))) end++;
    const word = this.#text.slice(this.#at, end);
    this.#at = end;
    if (word !== 'true' && word !== 'false') throw new PathError(`unrecognized identifier ${word}`);
    this.#nodes.push({ type: 'constant', value: word === 'true' });
  }

  #quoted(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text.charAt(end) !== quote) {
      end += this.#text.charAt(end) === '\\' ? 2 : 1;
    }
    if (end >= this.#text.length) throw new PathError('unterminated quoted string');
    const value = this.#text.slice(this.#at + 1, end).replace(/\\(.)/g, '$1');
    this.#at = end + 1;
    this.#nodes.push({ type: 'constant', value });
  }

  #array(): void {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) throw new PathError('unterminated array');
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(',');
    if (parts.length > 1) {
      this.#nodes.push({ type: 'union', branches: parts.map((part) => parsePart(`[${part.trim()}]`)) });
      return;
    }
    const key = /^'([^']*)'$/.exec(inside)?.[1];
    if (key !== undefined) this.#nodes.push(...parsePart(`.${key}`));
    else this.#nodes.push(parseSlice(inside === '*' ? ':' : inside));
  }

  #filter(): void {
    const end = endOfFilter(this.#text, this.#at + 3);
    if (end < 0) throw new PathError('unterminated filter');
    if (this.#text.charAt(end + 1) !== ']') throw new PathError('unclosed array expect ]');
    const inside = this.#text.slice(this.#at + 3, end);
    this.#at = end + 2;
    const parts = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(inside);
    if (parts === null) {
      this.#nodes.push({ type: 'filter', left: parsePart(inside), right: [], operator: 'exists' });
      return;
    }
    const [, left = '', operator = '', right = ''] = parts;
    this.#nodes.push({ type: 'filter', left: parsePart(left), right: parsePart(right), operator });
  }
}

function parsePart(text: string): JsonPathNode[] {
  return new PathParser(text).parse();
}

function parseSlice(text: string): JsonPathNode {
  const parts = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text);
  if (parts === null) throw new PathError(`invalid array index ${text}`);
  const [from, to, step] = [parts[1], parts[2], parts[3]].map((part) => {
    if (part === '-') throw new PathError('array index - is not a number');
    return part === undefined || part === '' ? undefined : Number(part);
  });
  return { type: 'slice', from, to, step, isIndex: parts[2] === undefined };
}

/** The index of the `)` that ends a filter, past at most one quoted text. */
function endOfFilter(text: string, start: number): number {
  let quote = '';
  let isClosed = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") {
      if (quote === '') quote = char;
      else if (char === quote && text.charAt(at - 1) !== '\\') isClosed = true;
    } else if (char === ')' && (quote === '' || isClosed)) {
      return at;
    }
  }
  return -1;
}

function describe(rest: string): string {
  const code = rest.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} ${goQuote(String.fromCodePoint(code)).replaceAll('"', "'")}`;
}
