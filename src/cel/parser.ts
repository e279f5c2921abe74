import { type Expr, type MapEntry, operators } from './ast.ts';
import { type Token, type TokenKind, tokenize } from './lexer.ts';
import { expandMacro, MacroError } from './macros.ts';
import type { Issue } from './source.ts';
import { simpleTypes } from './types.ts';
import { unescapeBytes, unescapeString } from './unescape.ts';
import { CelDouble, CelUint, int64Max, int64Min, normalizeInt, uint64Max } from './values.ts';

const maxDepth = 250;
const maxCodePoints = 100_000;

const startOfExpression = ['[', '{', '(', '.', '-', '!'];
const startOfLiteral = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);

/** Reads an expression and expands its macros; the issues are empty when the expression is well formed. */
export function parse(
  source: string,
  { isStored }: { isStored: boolean },
): { expr: Expr | undefined; issues: Issue[] } {
  const size = [...source].length;
  if (size > maxCodePoints) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`;
    return { expr: undefined, issues: [{ offset: -1, message }] };
  }
  const { tokens, issues } = tokenize(source);
  const parser = new Parser(tokens, issues, isStored);
  return { expr: parser.parse(), issues };
}

/** Thrown to leave the parser after an issue it cannot go on from. */
class Stop extends Error {}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  readonly #isStored: boolean;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: Issue[], isStored: boolean) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#isStored = isStored;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      if (this.#peek().kind !== 'eof') this.#unexpectedEnd();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      throw error;
    }
  }

  #unexpectedEnd(): void {
    const token = this.#peek();
    const isLast = this.#tokens[this.#at + 1]?.kind === 'eof';
    this.#issue(
      token.offset,
      `Syntax error: ${isLast ? 'extraneous' : 'mismatched'} input '${token.text}' expecting <EOF>`,
    );
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'eof') this.#at++;
    return token;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.kind === 'punctuation' && token.text === text;
  }

  #takeIf(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #issue(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  #mismatch(expecting: string): never {
    const { offset, text } = this.#peek();
    this.#issue(offset, `Syntax error: mismatched input '${text}' expecting ${expecting}`);
    throw new Stop();
  }

  /** The token that must come next; where the text simply ends, the message says that it is missing. */
  #expect(text: string, orElse?: string): Token {
    if (this.#is(text)) return this.#take();
    if (orElse !== undefined) this.#mismatch(`{'${text}', ${orElse}}`);
    if (text === ':') return this.#expectColon();
    const { offset, text: found } = this.#peek();
    this.#issue(offset, `Syntax error: missing '${text}' at '${found}'`);
    throw new Stop();
  }

  #expectColon(): never {
    const { offset, text, kind } = this.#peek();
    if (kind === 'eof') this.#mismatch("':'");
    this.#issue(offset, `Syntax error: missing ':' at '${text}'`);
    throw new Stop();
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) this.#tooDeep(`expression recursion limit exceeded: ${maxDepth}`);
    const result = read();
    this.#depth--;
    return result;
  }

  #tooDeep(message: string): never {
    this.#issue(-1, message);
    throw new Stop();
  }

  #expr(): Expr {
    return this.#nested(() => {
      const condition = this.#or();
      const question = this.#takeIf('?');
      if (question === undefined) return condition;
      const whenTrue = this.#or();
      this.#expect(':');
      const whenFalse = this.#expr();
      return call(question.offset, operators.conditional, [condition, whenTrue, whenFalse]);
    });
  }

  #or(): Expr {
    return this.#chain('||', operators.or, () => this.#chain('&&', operators.and, () => this.#relation()));
  }

  /** `a && b && c` as one call; where its argument types are wrong, each argument is reported by itself. */
  #chain(symbol: string, name: string, read: () => Expr): Expr {
    const first = read();
    const operator = this.#peek();
    if (!this.#is(symbol)) return first;
    const args = [first];
    while (this.#takeIf(symbol) !== undefined) args.push(read());
    return call(operator.offset, name, args);
  }

  #relation(): Expr {
    return this.#leftToRight(
      () => this.#sum(),
      (text) => (relations.has(text) ? (text === 'in' ? operators.in : `_${text}_`) : undefined),
    );
  }

  #sum(): Expr {
    return this.#leftToRight(
      () => this.#product(),
      (text) => (text === '+' || text === '-' ? `_${text}_` : undefined),
    );
  }

  #product(): Expr {
    return this.#leftToRight(
      () => this.#unary(),
      (text) => (text === '*' || text === '/' || text === '%' ? `_${text}_` : undefined),
    );
  }

  #leftToRight(read: () => Expr, nameOf: (text: string) => string | undefined): Expr {
    let left = read();
    for (let length = 1; ; length++) {
      const token = this.#peek();
      const name = token.kind === 'punctuation' ? nameOf(token.text) : undefined;
      if (name === undefined) return left;
      if (length > maxDepth) this.#tooDeep('max recursion depth exceeded');
      this.#take();
      left = call(token.offset, name, [left, read()]);
    }
  }

  #unary(): Expr {
    for (const [symbol, name] of [
      ['!', operators.not],
      ['-', operators.negate],
    ] as const) {
      if (!this.#is(symbol)) continue;
      const first = this.#peek();
      let count = 0;
      if (this.#isNegativeLiteral()) return this.#member();
      while (this.#takeIf(symbol) !== undefined) count++;
      const operand = this.#member();
      return count % 2 === 0 ? operand : call(first.offset, name, [operand]);
    }
    return this.#member();
  }

  #isNegativeLiteral(): boolean {
    const next = this.#tokens[this.#at + 1]?.kind;
    return this.#is('-') && (next === 'int' || next === 'float');
  }

  #member(): Expr {
    let expr = this.#primary();
    for (let length = 1; ; length++) {
      if (length > maxDepth) this.#tooDeep('max recursion depth exceeded');
      const dot = this.#takeIf('.');
      if (dot !== undefined) {
        expr = this.#afterDot(expr, dot);
        continue;
      }
      const bracket = this.#takeIf('[');
      if (bracket === undefined) return expr;
      const isOptional = this.#takeIf('?') !== undefined;
      const index = this.#exprOr(isOptional ? [] : ['?']);
      this.#expect(']');
      expr = call(bracket.offset, isOptional ? operators.optionalIndex : operators.index, [expr, index]);
    }
  }

  #afterDot(operand: Expr, dot: Token): Expr {
    if (this.#takeIf('?') !== undefined) {
      const field = this.#fieldName(() => this.#mismatch('{IDENTIFIER, ESC_IDENTIFIER}'));
      const literal: Expr = {
        kind: 'literal',
        offset: field.offset,
        value: field.text,
        literalType: simpleTypes.string,
      };
      return call(dot.offset, operators.optionalSelect, [operand, literal]);
    }
    const name = this.#fieldName(() => this.#notAField());
    const open = name.kind === 'ident' ? this.#takeIf('(') : undefined;
    if (open === undefined) return { kind: 'select', offset: dot.offset, operand, field: name.text, isTest: false };
    return this.#callOrMacro(open.offset, name.text, operand, this.#arguments());
  }

  #fieldName(otherwise: () => never): Token {
    const token = this.#peek();
    if (token.kind === 'escaped-ident') this.#issue(token.offset, "unsupported syntax: '`'");
    else if (token.kind !== 'ident') otherwise();
    return this.#take();
  }

  #notAField(): never {
    const { offset, text, kind } = this.#peek();
    const isConstant = text === 'true' || text === 'false' || text === 'null';
    const what = isConstant
      ? `mismatched input '${text}' expecting IDENTIFIER`
      : `no viable alternative at input '.${kind === 'eof' ? '' : text}'`;
    this.#issue(offset, `Syntax error: ${what}`);
    throw new Stop();
  }

  #callOrMacro(offset: number, name: string, target: Expr | undefined, args: Expr[]): Expr {
    try {
      const expanded = expandMacro(name, { offset, target, args }, this.#isStored);
      return expanded ?? { kind: 'call', offset, name, target, args };
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#issue(error.offset, error.message);
      return { kind: 'literal', offset, value: null, literalType: simpleTypes.null };
    }
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#takeIf(')') !== undefined) return args;
    args.push(this.#exprOr([')']));
    while (this.#takeIf(',') !== undefined) args.push(this.#expr());
    this.#expect(')', "','");
    return args;
  }

  /** An expression where something else could have come too, which the message then lists. */
  #exprOr(alternatives: readonly string[]): Expr {
    if (!this.#startsExpression(this.#peek())) this.#skipOrFail(alternatives);
    return this.#expr();
  }

  #startsExpression({ kind, text }: Token): boolean {
    if (kind === 'eof' || kind === 'escaped-ident') return false;
    if (kind !== 'punctuation') return true;
    return startOfExpression.includes(text) || text === 'true' || text === 'false' || text === 'null';
  }

  /** One wrong token before an expression is reported and skipped; anything else ends the parse. */
  #skipOrFail(alternatives: readonly string[] = []): void {
    const token = this.#peek();
    const expecting = expectedSet(alternatives);
    if (token.kind === 'eof' || !this.#startsExpression(this.#tokens[this.#at + 1] as Token)) this.#mismatch(expecting);
    this.#issue(token.offset, `Syntax error: extraneous input '${token.text}' expecting ${expecting}`);
    this.#take();
  }

  #primary(): Expr {
    if (!this.#startsExpression(this.#peek())) this.#skipOrFail();
    const token = this.#take();
    switch (token.kind) {
      case 'ident':
        return this.#identifier(token, undefined);
      case 'punctuation':
        return this.#punctuated(token);
      default:
        return this.#literal(token, '', token.offset);
    }
  }

  #punctuated(token: Token): Expr {
    switch (token.text) {
      case 'true':
      case 'false':
        return { kind: 'literal', offset: token.offset, value: token.text === 'true', literalType: simpleTypes.bool };
      case 'null':
        return { kind: 'literal', offset: token.offset, value: null, literalType: simpleTypes.null };
      case '(': {
        const inner = this.#expr();
        this.#expect(')');
        return inner;
      }
      case '[':
        return this.#list(token);
      case '{':
        return this.#map(token);
      case '.':
        return this.#rootedIdentifier();
      case '-':
        if (this.#peek().kind === 'int' || this.#peek().kind === 'float')
          return this.#literal(this.#take(), '-', token.offset);
        return this.#unexpected(token);
      default:
        return this.#unexpected(token);
    }
  }

  #unexpected(token: Token): never {
    this.#issue(token.offset, `Syntax error: mismatched input '${token.text}' expecting ${expectedSet([])}`);
    throw new Stop();
  }

  #rootedIdentifier(): Expr {
    const token = this.#peek();
    if (token.kind !== 'ident') this.#mismatch('IDENTIFIER');
    return this.#identifier(this.#take(), '.');
  }

  #identifier(token: Token, dot: string | undefined): Expr {
    const struct = this.#struct(token);
    if (struct !== undefined) return struct;
    const open = this.#takeIf('(');
    if (reserved.has(token.text)) {
      if (open !== undefined) this.#arguments();
      this.#issue(token.offset, `reserved identifier: ${token.text}`);
    }
    const name = (dot ?? '') + token.text;
    if (open !== undefined) return this.#callOrMacro(open.offset, name, undefined, this.#arguments());
    return { kind: 'ident', offset: token.offset, name };
  }

  /** `a.b.C{...}`: only when the dotted name is followed by a brace. */
  #struct(first: Token): Expr | undefined {
    let at = this.#at;
    let name = first.text;
    while (this.#tokens[at]?.text === '.' && this.#tokens[at + 1]?.kind === 'ident') {
      name += `.${this.#tokens[at + 1]?.text}`;
      at += 2;
    }
    const brace = this.#tokens[at] as Token;
    if (brace.kind !== 'punctuation' || brace.text !== '{') return undefined;
    this.#at = at + 1;
    const fields = this.#separated('}', () => {
      const isOptional = this.#takeIf('?') !== undefined;
      const field = this.#fieldName(() => this.#mismatch('{IDENTIFIER, ESC_IDENTIFIER}'));
      const { offset } = this.#expect(':');
      return { offset, name: field.text, value: this.#expr(), isOptional };
    });
    return { kind: 'struct', offset: brace.offset, name, fields };
  }

  #list({ offset }: Token): Expr {
    const optionals = new Set<number>();
    let count = 0;
    const elements = this.#separated(']', () => {
      if (this.#takeIf('?') !== undefined) optionals.add(count);
      count++;
      return this.#expr();
    });
    return { kind: 'list', offset, elements, optionals };
  }

  #map({ offset }: Token): Expr {
    const entries = this.#separated('}', (): MapEntry => {
      const isOptional = this.#takeIf('?') !== undefined;
      const key = this.#expr();
      const colon = this.#expect(':');
      return { offset: colon.offset, key, value: this.#expr(), isOptional };
    });
    return { kind: 'map', offset, entries };
  }

  /** Items with commas between them and perhaps after them, up to the closing token. */
  #separated<T>(close: string, read: () => T): T[] {
    const items: T[] = [];
    for (;;) {
      if (this.#takeIf(close) !== undefined) return items;
      if (this.#takeIf(',') !== undefined) {
        if (this.#takeIf(close) !== undefined) return items;
        if (items.length === 0 || this.#is(',')) this.#mismatch(`'${close}'`);
      }
      items.push(read());
      if (!this.#is(',') && !this.#is(close)) this.#mismatch(`{'${close}', ','}`);
    }
  }

  #literal(token: Token, sign: '' | '-', offset: number): Expr {
    switch (token.kind as TokenKind) {
      case 'int': {
        const value = BigInt(token.text) * (sign === '-' ? -1n : 1n);
        if (value < int64Min || value > int64Max) this.#issue(offset, 'invalid int literal');
        return { kind: 'literal', offset, value: normalizeInt(value), literalType: simpleTypes.int };
      }
      case 'uint': {
        const value = BigInt(token.text.slice(0, -1));
        if (value > uint64Max) this.#issue(offset, 'invalid uint literal');
        return { kind: 'literal', offset, value: new CelUint(value), literalType: simpleTypes.uint };
      }
      case 'float': {
        const value = Number(sign + token.text);
        if (!Number.isFinite(value)) this.#issue(offset, 'invalid double literal');
        return { kind: 'literal', offset, value: new CelDouble(value), literalType: simpleTypes.double };
      }
      case 'bytes': {
        const bytes = unescapeBytes(token.text);
        if ('error' in bytes) this.#issue(offset, bytes.error);
        return {
          kind: 'literal',
          offset,
          value: 'error' in bytes ? null : bytes.value,
          literalType: simpleTypes.bytes,
        };
      }
      default: {
        const text = unescapeString(token.text);
        if ('error' in text) this.#issue(offset, text.error);
        return { kind: 'literal', offset, value: 'error' in text ? null : text.value, literalType: simpleTypes.string };
      }
    }
  }
}

function call(offset: number, name: string, args: Expr[]): Expr {
  return { kind: 'call', offset, name, target: undefined, args };
}

// The order in which the reference parser lists its token types: '(' comes before ')' and '?' after '!'.
function expectedSet(alternatives: readonly string[]): string {
  const order = ['[', '{', '(', ')', '.', '-', '!', '?'];
  const symbols = order.filter((symbol) => startOfExpression.includes(symbol) || alternatives.includes(symbol));
  return `{${symbols.map((symbol) => `'${symbol}'`).join(', ')}, ${startOfLiteral}}`;
}
