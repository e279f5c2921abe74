import type { Issue } from './source.ts';

/** The classes of tokens; punctuation and keywords are their own class. */
export type TokenKind =
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  | 'ident'
  | 'escaped-ident'
  | 'punctuation'
  | 'eof';

/** A token and where it starts, counted in code points. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

const twoCharacters = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const oneCharacter = new Set('[]{}().,-!?:+*/%<>');
const keywords = new Set(['in', 'true', 'false', 'null']);
const simpleEscapes = new Set('abfnrtv"\'\\?`');

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= '0' && c <= '9';
const isHex = (c: string | undefined): boolean => c !== undefined && /^[0-9a-fA-F]$/.test(c);
const isLetter = (c: string | undefined): boolean => c !== undefined && /^[A-Za-z_]$/.test(c);

/** Splits an expression into tokens; text that is no token is reported and skipped. */
export function tokenize(source: string): { tokens: Token[]; issues: Issue[] } {
  const lexer = new Lexer([...source]);
  const tokens: Token[] = [];
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.kind === 'eof') return { tokens, issues: lexer.issues };
  }
}

interface StringStart {
  readonly quoteAt: number;
  readonly raw: boolean;
  readonly bytes: boolean;
}

class Lexer {
  readonly issues: Issue[] = [];
  readonly #text: readonly string[];
  #at = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  next(): Token {
    for (;;) {
      this.#skipBlanks();
      const start = this.#at;
      const c = this.#text[start];
      if (c === undefined) return { kind: 'eof', text: '<EOF>', offset: start };
      const kind = this.#scan(c);
      if (kind !== undefined) return { kind, text: this.#text.slice(start, this.#at).join(''), offset: start };
    }
  }

  #skipBlanks(): void {
    for (;;) {
      const c = this.#text[this.#at];
      if (c === ' ' || c === '\t' || c === '\r' || c === '\n' || c === '\f') {
        this.#at++;
      } else if (c === '/' && this.#text[this.#at + 1] === '/') {
        while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at++;
      } else {
        return;
      }
    }
  }

  #scan(c: string): TokenKind | undefined {
    const next = this.#text[this.#at + 1];
    if (isDigit(c) || (c === '.' && isDigit(next))) return this.#number();
    const stringStart = this.#stringStart();
    // A prefix letter before quotes that hold no string is an identifier.
    if (stringStart !== undefined && !(isLetter(c) && this.#stringEnd(stringStart).end === undefined)) {
      return this.#string(stringStart);
    }
    if (isLetter(c)) {
      const start = this.#at;
      while (isLetter(this.#text[this.#at]) || isDigit(this.#text[this.#at])) this.#at++;
      return keywords.has(this.#text.slice(start, this.#at).join('')) ? 'punctuation' : 'ident';
    }
    if (c === '`') return this.#escapedIdent();
    if (twoCharacters.has(c + (next ?? ''))) {
      this.#at += 2;
      return 'punctuation';
    }
    if (oneCharacter.has(c)) {
      this.#at++;
      return 'punctuation';
    }
    const hasSecond = c === '=' || c === '&' || c === '|';
    return this.#fail(this.#at, this.#at + (hasSecond ? 1 : 0));
  }

  /** Reports everything from the start of the token to the character that fitted nothing, and goes on after it. */
  #fail(start: number, failedAt: number): undefined {
    const end = Math.min(failedAt + 1, this.#text.length);
    const text = this.#text.slice(start, end).join('');
    this.issues.push({ offset: start, message: `Syntax error: token recognition error at: '${text}'` });
    this.#at = Math.max(end, start + 1);
    return undefined;
  }

  #number(): TokenKind {
    const start = this.#at;
    if (this.#text[start] === '0' && this.#text[start + 1] === 'x' && isHex(this.#text[start + 2])) {
      this.#at += 2;
      while (isHex(this.#text[this.#at])) this.#at++;
      return this.#unsignedSuffix();
    }
    while (isDigit(this.#text[this.#at])) this.#at++;
    let isFloat = false;
    if (this.#text[this.#at] === '.' && isDigit(this.#text[this.#at + 1])) {
      isFloat = true;
      this.#at++;
      while (isDigit(this.#text[this.#at])) this.#at++;
    }
    if (this.#exponent()) isFloat = true;
    return isFloat ? 'float' : this.#unsignedSuffix();
  }

  #unsignedSuffix(): TokenKind {
    const c = this.#text[this.#at];
    if (c !== 'u' && c !== 'U') return 'int';
    this.#at++;
    return 'uint';
  }

  #exponent(): boolean {
    const c = this.#text[this.#at];
    if (c !== 'e' && c !== 'E') return false;
    const sign = this.#text[this.#at + 1];
    const digits = this.#at + (sign === '+' || sign === '-' ? 2 : 1);
    if (!isDigit(this.#text[digits])) return false;
    this.#at = digits;
    while (isDigit(this.#text[this.#at])) this.#at++;
    return true;
  }

  #stringStart(): StringStart | undefined {
    let at = this.#at;
    const bytes = this.#text[at] === 'b' || this.#text[at] === 'B';
    if (bytes) at++;
    const raw = this.#text[at] === 'r' || this.#text[at] === 'R';
    if (raw) at++;
    const quote = this.#text[at];
    return quote === '"' || quote === "'" ? { quoteAt: at, raw, bytes } : undefined;
  }

  #string(start: StringStart): TokenKind | undefined {
    const { end, failedAt } = this.#stringEnd(start);
    if (end === undefined) return this.#fail(this.#at, failedAt);
    this.#at = end;
    return start.bytes ? 'bytes' : 'string';
  }

  #stringEnd({ quoteAt, raw }: StringStart): { end: number | undefined; failedAt: number } {
    const quote = this.#text[quoteAt] as string;
    if (this.#text[quoteAt + 1] === quote && this.#text[quoteAt + 2] === quote) {
      // Without its end a triple quote is an empty string and the start of another one.
      return { end: this.#multilineEnd(quoteAt + 3, quote, raw) ?? quoteAt + 2, failedAt: quoteAt };
    }
    for (let at = quoteAt + 1; ; at++) {
      const c = this.#text[at];
      if (c === quote) return { end: at + 1, failedAt: at };
      if (c === undefined || c === '\n' || c === '\r') return { end: undefined, failedAt: at };
      if (c === '\\' && !raw) {
        const sequence = this.#escape(at);
        if (!sequence.ok) return { end: undefined, failedAt: sequence.at };
        at = sequence.at - 1;
      }
    }
  }

  #multilineEnd(from: number, quote: string, raw: boolean): number | undefined {
    for (let at = from; at < this.#text.length; at++) {
      const c = this.#text[at];
      if (c === quote && this.#text[at + 1] === quote && this.#text[at + 2] === quote) return at + 3;
      if (c === '\\' && !raw) {
        const sequence = this.#escape(at);
        if (!sequence.ok) return undefined;
        at = sequence.at - 1;
      }
    }
    return undefined;
  }

  /** Where the escape sequence ends, or which character of it is wrong. */
  #escape(at: number): { ok: boolean; at: number } {
    const c = this.#text[at + 1];
    if (c === undefined) return { ok: false, at: at + 1 };
    if (simpleEscapes.has(c)) return { ok: true, at: at + 2 };
    if (c >= '0' && c <= '3') return this.#digits(at + 2, 2, (d) => d !== undefined && d >= '0' && d <= '7');
    if (c === 'x' || c === 'X') return this.#digits(at + 2, 2, isHex);
    if (c === 'u') return this.#digits(at + 2, 4, isHex);
    if (c === 'U') return this.#digits(at + 2, 8, isHex);
    return { ok: false, at: at + 1 };
  }

  #digits(from: number, count: number, isGood: (c: string | undefined) => boolean): { ok: boolean; at: number } {
    for (let at = from; at < from + count; at++) if (!isGood(this.#text[at])) return { ok: false, at };
    return { ok: true, at: from + count };
  }

  #escapedIdent(): TokenKind | undefined {
    const start = this.#at;
    let at = start + 1;
    while (this.#text[at] !== undefined && /^[A-Za-z0-9_./ -]$/.test(this.#text[at] as string)) at++;
    if (this.#text[at] !== '`' || at === start + 1) return this.#fail(start, at);
    this.#at = at + 1;
    return 'escaped-ident';
  }
}
