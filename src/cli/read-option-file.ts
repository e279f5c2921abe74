import { readFileSync } from 'node:fs';
import { CliError } from './errors.ts';

/** The text of a file that an option names; one that cannot be read is a mistake of whoever typed it. */
export function readOptionFile(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CliError('usage', `${option}: ${file} cannot be read`, { cause });
  }
}
