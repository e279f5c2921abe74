import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { shellWords } from '../../examples/console-page.ts';
import { createProgram } from '../../src/cli/program.ts';
import { silentTerminal } from '../../src/cli/reference-page.ts';

/** Commands that stay until they are stopped, so that a page cannot wait for them. */
const staying = ['up', 'apiserver', 'conditionorc', 'serverservice', 'flasher', 'update-service', 'controllers', 'job'];

/** What is wrong with a command line of ours before it is run: a command or an option that does not exist. */
export function problemOf(line: string): string | undefined {
  const words = programWords(line);
  if (words === undefined) return undefined;
  const command = findCommand(words.program, words.rest);
  if (typeof command === 'string') return command;
  const flags = unknownFlags(command.found, command.rest);
  return flags.length === 0 ? undefined : `${command.found.name()} has no option ${flags.join(', ')}`;
}

/** The name of the command of ours that a line runs, as `simulate status`. */
function commandName(line: string): string | undefined {
  const words = programWords(line);
  if (words === undefined || words.program.name() !== 'rackwright') return undefined;
  const command = findCommand(words.program, words.rest);
  return typeof command === 'string' ? undefined : command.path.join(' ');
}

/** True for commands that do not end by themselves. */
export function isStaying(line: string): boolean {
  if (line.startsWith('npm ')) return true;
  const name = commandName(line);
  return name !== undefined && (staying.includes(name) || name === 'simulate');
}

function programWords(line: string): { program: Command; rest: string[] } | undefined {
  const words = shellWords(line.replace(/\s*[|>].*$/, ''));
  if (words[0] === 'npx') words.shift();
  if (words[0] === 'rackwright') return { program: createProgram(silentTerminal), rest: words.slice(1) };
  if (words[0] !== 'npm') return undefined;
  const [, verb, script] = words;
  const rest = words.includes('--') ? words.slice(words.indexOf('--') + 1) : [];
  if (verb === 'start') return { program: createProgram(silentTerminal), rest: ['up', ...rest] };
  return verb === 'run' && script === 'bench' ? { program: readBenches(), rest } : undefined;
}

function findCommand(program: Command, words: readonly string[]) {
  let found = program;
  const path: string[] = [];
  for (const word of words) {
    const next = found.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (next === undefined) break;
    path.push(next.name());
    found = next;
  }
  if (found === program) return `there is no command ${words[0] ?? ''}`;
  return { found, path, rest: words.slice(path.length) };
}

/** Sentences name commands without all of their words: `up --ironic-url ...`. */
function unknownFlags(command: Command, words: readonly string[]): string[] {
  const known = [...command.options, command.createOption('-h, --help')];
  const isKnown = (flag: string) => known.some(({ short, long }) => flag === short || flag === long);
  return words
    .filter((word) => /^-{1,2}[a-z]/i.test(word))
    .map((word) => word.replace(/=.*$/, ''))
    .filter((flag) => !isKnown(flag));
}

/** The benches with their options, read from their text: to load them would load the whole fleet that they measure. */
function readBenches(): Command {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'bench', 'main.ts'), 'utf8');
  const program = new Command('bench');
  for (const part of text.split(".command('").slice(1)) {
    const bench = program.command(part.slice(0, part.indexOf("'")));
    for (const [, flags = ''] of part.matchAll(/(?:\.option|new Option)\('(-[^']+)'/g)) bench.option(flags);
  }
  return program;
}
