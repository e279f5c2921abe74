import type { Terminal } from '../terminal.ts';

const width = 24;

/** `[########----------------]  33%`. */
export function barOf(percent: number): string {
  const done = Math.round((Math.min(100, Math.max(0, percent)) / 100) * width);
  return `[${'#'.repeat(done)}${'-'.repeat(width - done)}] ${String(Math.round(percent)).padStart(3)}%`;
}

/** A bar is drawn over, which only works within one row. */
const widestBarText = 80;

/** How far long work is: a bar that is drawn over where a person looks on, and a line for each step otherwise. */
export class Progress {
  readonly #terminal: Pick<Terminal, 'isInteractive' | 'err'>;
  #hasBar = false;
  #told = '';

  /** Writes to the error output, so that a result can be piped on. */
  constructor(terminal: Pick<Terminal, 'isInteractive' | 'err'>) {
    this.#terminal = terminal;
  }

  /** Says what is being done now. */
  show(percent: number, what: string): void {
    const text = what.replaceAll(/\p{Cc}+/gu, ' ');
    if (this.#terminal.isInteractive === true) {
      this.#terminal.err(`\r\x1b[2K${barOf(percent)} ${text.slice(0, widestBarText)}`);
      this.#hasBar = true;
    } else if (text !== this.#told) {
      this.#terminal.err(`${text}\n`);
    }
    this.#told = text;
  }

  /** Leaves the line of the bar, so that what follows begins on its own. */
  clear(): void {
    if (this.#hasBar) this.#terminal.err('\r\x1b[2K');
    this.#hasBar = false;
  }
}
