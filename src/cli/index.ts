import { createProgram } from './program.ts';
import { cliReferenceOf, silentTerminal } from './reference-page.ts';

/** The text of docs/reference/cli.md. */
export function cliReference(): string {
  return cliReferenceOf(createProgram(silentTerminal));
}

export { runCommandLine } from './program.ts';
export type { Terminal } from './terminal.ts';
