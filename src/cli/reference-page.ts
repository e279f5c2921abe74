import type { Command } from 'commander';
import { exitCodes } from './errors.ts';
import { serverSettings } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** Nobody is there: for programs that are described, not run. */
export const silentTerminal: Terminal = {
  env: {},
  cwd: '/',
  interrupted: new AbortController().signal,
  out: () => {},
  err: () => {},
  readInput: () => Promise.resolve(''),
  runInteractive: () => Promise.resolve(1),
};

/** The reference page of all commands, as Markdown. */
export function cliReferenceOf(program: Command): string {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]).filter(isShown);
  const parts = [
    '# The rackwright command',
    'Generated from the definitions in src/cli; do not edit.',
    'In a clone, `npx rackwright ...` runs it; `npm start -- ...` is `rackwright up ...` after setting up.',
    tableOf(
      ['command', 'what it does'],
      commands.map((command) => [
        `[\`${nameOf(command)}\`](#rackwright-${nameOf(command).replaceAll(' ', '-')})`,
        command.summary(),
      ]),
    ),
    '## Settings',
    'A flag wins over its environment variable, which wins over the default.',
    tableOf(
      ['flag', 'environment', 'default', 'meaning'],
      Object.values(serverSettings).map((setting) => [
        `\`${setting.flag} ${setting.value}\``,
        `\`${setting.env}\``,
        'fallback' in setting ? `\`${setting.fallback}\`` : '',
        setting.about,
      ]),
    ),
    '## Exit codes',
    tableOf(
      ['code', 'name', 'meaning'],
      Object.entries(exitCodes).map(([name, { code, about }]) => [String(code), `\`${name}\``, about]),
    ),
    ...commands.map(sectionOf),
  ];
  return `${parts.join('\n\n')}\n`;
}

function sectionOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  const given = command.registeredArguments.map((argument) => [`\`${argument.name()}\``, argument.description]);
  const options = command.options.map(({ flags, description, defaultValue }) => [
    `\`${flags}\``,
    description + (typeof defaultValue === 'string' ? ` (default ${defaultValue})` : ''),
  ]);
  return [
    `## rackwright ${nameOf(command)}`,
    `\`rackwright ${[nameOf(command), ...words, '[options]'].join(' ')}\``,
    command.description() === '' ? sentence(command.summary()) : command.description(),
    tableOf(['argument or option', 'meaning'], [...given, ...options]),
  ].join('\n\n');
}

function isShown(command: Command): boolean {
  return command.name() !== 'help';
}

/** Without the program's own name: `simulate faults`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
