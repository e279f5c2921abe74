import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';
import type { Candidate } from './complete-words.ts';
import { shells } from './sources.ts';

/** What shell scripts call to learn what could be typed; nobody types it. */
export const completeWord = '__complete';

/** Adds `rackwright completion`. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print what makes a shell complete commands')
    .description(
      'Prints a script that makes a shell complete commands, options, kinds and the names of objects: source <(rackwright completion bash), the same with zsh, or rackwright completion fish | source.',
    )
    .argument('<shell>', shells.join(', '))
    .action(async (shell: string) => {
      const { shellScripts } = await import('./shell-scripts.ts');
      const known = shells.find((name) => name === shell);
      if (known === undefined) throw usageError(`${shell}: not a shell that is known; there are ${shells.join(', ')}`);
      terminal.out(shellScripts[known]);
    });
}

/**
 * Answers what the last word could become, in the form that kubectl asks its plug-ins in too: a candidate a line, with
 * what it is behind a tab, and last `:4`, or `:0` when it is the name of a file.
 */
export async function answerCompletion(program: Command, words: readonly string[], terminal: Terminal): Promise<void> {
  const { completeWords } = await import('./complete-words.ts');
  const completion = completeWords(program, words);
  if (completion.kind === 'files') return terminal.out(':0\n');
  if (completion.kind === 'words') return terminal.out(linesOf(completion.words));
  const { lookUp } = await import('./look-up.ts');
  terminal.out(linesOf(await lookUp(completion.order, terminal)));
}

function linesOf(candidates: readonly Candidate[]): string {
  const lines = candidates.map(({ word, about }) => (about === undefined ? word : `${word}\t${short(about)}`));
  return [...lines, ':4\n'].join('\n');
}

/** What fits beside a candidate on a line. */
function short(about: string): string {
  const [first = ''] = about.split(/[;(]/, 1);
  return first.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
}
