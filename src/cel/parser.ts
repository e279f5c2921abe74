import { type Expr, type MapEntry, operators } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { readLiteral } from './literal.ts';
import { expandMacro, MacroError } from './macros.ts';
import type { Issue } from './source.ts';
import { Stop, TokenReader } from './token-reader.ts';
import { simpleTypes } from './types.ts';

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
  const parser = new Parser(new TokenReader(tokens, issues), isStored);
  return { expr: parser.parse(), issues };
}

class Parser {
  readonly #in: TokenReader;
  readonly #isStored: boolean;
  #depth = 0;

  constructor(input: TokenReader, isStored: boolean) {
    this.#in = input;
    this.#isStored = isStored;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      if (this.#in.peek().kind !== 'eof') this.#unexpectedEnd();
      return expr;
    } catch (error) {
      if (error instanceof Stop) return undefined;
      throw error;
    }
  }

  #unexpectedEnd(): void {
    const token = this.#in.peek();
    const isLast = this.#in.peek(1).kind === 'eof';
    this.#in.issue(
      token.offset,
      `Syntax error: ${isLast ? 'extraneous' : 'mismatched'} input '${token.text}' expecting <EOF>`,
    );
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) this.#tooDeep(`expression recursion limit exceeded: ${maxDepth}`);
    const result = read();
    this.#depth--;
    return result;
  }

  #tooDeep(message: string): never {
    this.#in.issue(-1, message);
    throw new Stop();
  }

  #expr(): Expr {
    return this.#nested(() => {
      const condition = this.#or();
      const question = this.#in.takeIf('?');
      if (question === undefined) return condition;
      const whenTrue = this.#or();
      this.#in.expect(':');
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
    const operator = this.#in.peek();
    if (!this.#in.is(symbol)) return first;
    const args = [first];
    while (this.#in.takeIf(symbol) !== undefined) args.push(read());
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
      const token = this.#in.peek();
      const name = token.kind === 'punctuation' ? nameOf(token.text) : undefined;
      if (name === undefined) return left;
      if (length > maxDepth) this.#tooDeep('max recursion depth exceeded');
      this.#in.take();
      left = call(token.offset, name, [left, read()]);
    }
  }

  #unary(): Expr {
    for (const [symbol, name] of [
      ['!', operators.not],
      ['-', operators.negate],
    ] as const) {
      if (!this.#in.is(symbol)) continue;
      const first = this.#in.peek();
      let count = 0;
      if (this.#isNegativeLiteral()) return this.#member();
      while (this.#in.takeIf(symbol) !== undefined) count++;
      const operand = this.#member();
      return count % 2 === 0 ? operand : call(first.offset, name, [operand]);
    }
    return this.#member();
  }

  #isNegativeLiteral(): boolean {
    const next = this.#in.peek(1).kind;
    return this.#in.is('-') && (next === 'int' || next === 'float');
  }

  #member(): Expr {
    let expr = this.#primary();
    for (let length = 0; this.#in.is('.') || this.#in.is('['); length++) {
      if (length >= maxDepth) this.#tooDeep('max recursion depth exceeded');
      const symbol = this.#in.take();
      expr = symbol.text === '.' ? this.#afterDot(expr, symbol) : this.#afterBracket(expr, symbol);
    }
    return expr;
  }

  #afterBracket(operand: Expr, bracket: Token): Expr {
    const isOptional = this.#in.takeIf('?') !== undefined;
    const index = this.#exprOr(isOptional ? [] : ['?']);
    this.#in.expect(']');
    return call(bracket.offset, isOptional ? operators.optionalIndex : operators.index, [operand, index]);
  }

  #afterDot(operand: Expr, dot: Token): Expr {
    if (this.#in.takeIf('?') !== undefined) {
      const field = this.#fieldName(() => this.#in.mismatch('{IDENTIFIER, ESC_IDENTIFIER}'));
      const literal: Expr = {
        kind: 'literal',
        offset: field.offset,
        value: field.text,
        literalType: simpleTypes.string,
      };
      return call(dot.offset, operators.optionalSelect, [operand, literal]);
    }
    const name = this.#fieldName(() => this.#notAField());
    const open = name.kind === 'ident' ? this.#in.takeIf('(') : undefined;
    if (open === undefined) return { kind: 'select', offset: dot.offset, operand, field: name.text, isTest: false };
    return this.#callOrMacro(open.offset, name.text, operand, this.#arguments());
  }

  #fieldName(otherwise: () => never): Token {
    const token = this.#in.peek();
    if (token.kind === 'escaped-ident') this.#in.issue(token.offset, "unsupported syntax: '`'");
    else if (token.kind !== 'ident') otherwise();
    return this.#in.take();
  }

  #notAField(): never {
    const { offset, text, kind } = this.#in.peek();
    const isConstant = text === 'true' || text === 'false' || text === 'null';
    const what = isConstant
      ? `mismatched input '${text}' expecting IDENTIFIER`
      : `no viable alternative at input '.${kind === 'eof' ? '' : text}'`;
    this.#in.issue(offset, `Syntax error: ${what}`);
    throw new Stop();
  }

  #callOrMacro(offset: number, name: string, target: Expr | undefined, args: Expr[]): Expr {
    try {
      const expanded = expandMacro(name, { offset, target, args }, this.#isStored);
      return expanded ?? { kind: 'call', offset, name, target, args };
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      this.#in.issue(error.offset, error.message);
      return { kind: 'literal', offset, value: null, literalType: simpleTypes.null };
    }
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#in.takeIf(')') !== undefined) return args;
    args.push(this.#exprOr([')']));
    while (this.#in.takeIf(',') !== undefined) args.push(this.#expr());
    this.#in.expect(')', "','");
    return args;
  }

  /** An expression where something else could have come too, which the message then lists. */
  #exprOr(alternatives: readonly string[]): Expr {
    if (!this.#startsExpression(this.#in.peek())) this.#skipOrFail(alternatives);
    return this.#expr();
  }

  #startsExpression({ kind, text }: Token): boolean {
    if (kind === 'eof' || kind === 'escaped-ident') return false;
    if (kind !== 'punctuation') return true;
    return startOfExpression.includes(text) || text === 'true' || text === 'false' || text === 'null';
  }

  /** One wrong token before an expression is reported and skipped; anything else ends the parse. */
  #skipOrFail(alternatives: readonly string[] = []): void {
    const token = this.#in.peek();
    const expecting = expectedSet(alternatives);
    if (token.kind === 'eof' || !this.#startsExpression(this.#in.peek(1))) this.#in.mismatch(expecting);
    this.#in.issue(token.offset, `Syntax error: extraneous input '${token.text}' expecting ${expecting}`);
    this.#in.take();
  }

  #primary(): Expr {
    if (!this.#startsExpression(this.#in.peek())) this.#skipOrFail();
    const token = this.#in.take();
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
        this.#in.expect(')');
        return inner;
      }
      case '[':
        return this.#list(token);
      case '{':
        return this.#map(token);
      case '.':
        return this.#rootedIdentifier();
      case '-':
        if (this.#in.peek().kind === 'int' || this.#in.peek().kind === 'float')
          return this.#literal(this.#in.take(), '-', token.offset);
        return this.#unexpected(token);
      default:
        return this.#unexpected(token);
    }
  }

  #unexpected(token: Token): never {
    this.#in.issue(token.offset, `Syntax error: mismatched input '${token.text}' expecting ${expectedSet([])}`);
    throw new Stop();
  }

  #rootedIdentifier(): Expr {
    const token = this.#in.peek();
    if (token.kind !== 'ident') this.#in.mismatch('IDENTIFIER');
    return this.#identifier(this.#in.take(), '.');
  }

  #identifier(token: Token, dot: string | undefined): Expr {
    const struct = this.#struct(token);
    if (struct !== undefined) return struct;
    const open = this.#in.takeIf('(');
    if (reserved.has(token.text)) {
      if (open !== undefined) this.#arguments();
      this.#in.issue(token.offset, `reserved identifier: ${token.text}`);
    }
    const name = (dot ?? '') + token.text;
    if (open !== undefined) return this.#callOrMacro(open.offset, name, undefined, this.#arguments());
    return { kind: 'ident', offset: token.offset, name };
  }

  /** `a.b.C{...}`: only when the dotted name is followed by a brace. */
  #struct(first: Token): Expr | undefined {
    let ahead = 0;
    let name = first.text;
    while (this.#in.peek(ahead).text === '.' && this.#in.peek(ahead + 1).kind === 'ident') {
      name += `.${this.#in.peek(ahead + 1).text}`;
      ahead += 2;
    }
    const brace = this.#in.peek(ahead);
    if (brace.kind !== 'punctuation' || brace.text !== '{') return undefined;
    for (let taken = 0; taken <= ahead; taken++) this.#in.take();
    const fields = this.#separated('}', () => {
      const isOptional = this.#in.takeIf('?') !== undefined;
      const field = this.#fieldName(() => this.#in.mismatch('{IDENTIFIER, ESC_IDENTIFIER}'));
      const { offset } = this.#in.expect(':');
      return { offset, name: field.text, value: this.#expr(), isOptional };
    });
    return { kind: 'struct', offset: brace.offset, name, fields };
  }

  #list({ offset }: Token): Expr {
    const optionals = new Set<number>();
    let count = 0;
    const elements = this.#separated(']', () => {
      if (this.#in.takeIf('?') !== undefined) optionals.add(count);
      count++;
      return this.#expr();
    });
    return { kind: 'list', offset, elements, optionals };
  }

  #map({ offset }: Token): Expr {
    const entries = this.#separated('}', (): MapEntry => {
      const isOptional = this.#in.takeIf('?') !== undefined;
      const key = this.#expr();
      const colon = this.#in.expect(':');
      return { offset: colon.offset, key, value: this.#expr(), isOptional };
    });
    return { kind: 'map', offset, entries };
  }

  /** Items with commas between them and perhaps after them, up to the closing token. */
  #separated<T>(close: string, read: () => T): T[] {
    const items: T[] = [];
    for (;;) {
      if (this.#in.takeIf(close) !== undefined) return items;
      if (this.#in.takeIf(',') !== undefined) {
        if (this.#in.takeIf(close) !== undefined) return items;
        if (items.length === 0 || this.#in.is(',')) this.#in.mismatch(`'${close}'`);
      }
      items.push(read());
      if (!this.#in.is(',') && !this.#in.is(close)) this.#in.mismatch(`{'${close}', ','}`);
    }
  }

  #literal(token: Token, sign: '' | '-', offset: number): Expr {
    const { problem, ...literal } = readLiteral(token, sign);
    if (problem !== undefined) this.#in.issue(offset, problem);
    return { kind: 'literal', offset, ...literal };
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
