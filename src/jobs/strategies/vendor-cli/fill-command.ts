import { JobError } from '../../errors.ts';

/** What placeholders of commands stand for. Passwords are no part of it: they reach commands by file. */
export interface CommandValues {
  readonly bmcHost: string;
  readonly bmcPort: string;
  readonly bmcOrigin: string;
  readonly username: string;
  readonly credentialsFile: string;
  readonly manufacturer: string;
  readonly model: string;
  /** Empty in commands that read. */
  readonly image: string;
  readonly imageName: string;
  readonly component: string;
  readonly version: string;
}

/** The names that can stand in braces. */
export const placeholderNames: readonly string[] = [
  'bmcHost',
  'bmcPort',
  'bmcOrigin',
  'username',
  'credentialsFile',
  'manufacturer',
  'model',
  'image',
  'imageName',
  'component',
  'version',
] satisfies readonly (keyof CommandValues)[];

const placeholder = /\{(\w+)\}/g;

/** The names in braces in one word of a command. */
export function placeholdersIn(word: string): readonly string[] {
  return [...word.matchAll(placeholder)].map(([, name = '']) => name);
}

/**
 * The command with values in the place of placeholders. Each word stays one argument, whatever is in the values; one that
 * would begin as an option does, or has control characters in it, is refused.
 */
export function fillCommand(command: readonly string[], values: CommandValues): readonly [string, ...string[]] {
  const [program = '', ...words] = command;
  return [program, ...words.map((word) => fillWord(word, values, program))];
}

function fillWord(word: string, values: CommandValues, command: string): string {
  const filled = word.replaceAll(placeholder, (_, name: string) => values[name as keyof CommandValues] ?? '');
  const isValueFirst = word.startsWith('{');
  if (isValueFirst && filled.startsWith('-')) {
    throw new JobError('commandNotFound', { command, detail: `the value of ${word} begins with a dash` });
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(filled)) {
    throw new JobError('commandNotFound', { command, detail: `the value of ${word} has control characters in it` });
  }
  return filled;
}
