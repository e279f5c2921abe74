import type { Token } from './lexer.ts';
import type { Issue } from './source.ts';

/** Thrown to leave the parser after an issue it cannot go on from. */
export class Stop extends Error {}

/** Reads tokens one after the other and reports what is wrong with them, in the words of the reference parser. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #issues: Issue[];
  #at = 0;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** The next token, or one further on; past the end it is always the end. */
  peek(ahead = 0): Token {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  take(): Token {
    const token = this.peek();
    if (token.kind !== 'eof') this.#at++;
    return token;
  }

  is(text: string): boolean {
    const token = this.peek();
    return token.kind === 'punctuation' && token.text === text;
  }

  takeIf(text: string): Token | undefined {
    return this.is(text) ? this.take() : undefined;
  }

  issue(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  mismatch(expecting: string): never {
    const { offset, text } = this.peek();
    this.issue(offset, `Syntax error: mismatched input '${text}' expecting ${expecting}`);
    throw new Stop();
  }

  /** The token that must come next; where the text simply ends, the message says that it is missing. */
  expect(text: string, orElse?: string): Token {
    if (this.is(text)) return this.take();
    if (orElse !== undefined) this.mismatch(`{'${text}', ${orElse}}`);
    if (text === ':') return this.#expectColon();
    const { offset, text: found } = this.peek();
    this.issue(offset, `Syntax error: missing '${text}' at '${found}'`);
    throw new Stop();
  }

  #expectColon(): never {
    const { offset, text, kind } = this.peek();
    if (kind === 'eof') this.mismatch("':'");
    this.issue(offset, `Syntax error: missing ':' at '${text}'`);
    throw new Stop();
  }
}
