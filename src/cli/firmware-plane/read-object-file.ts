import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CliError, usageError } from '../errors.ts';

/** Reads what a file holds that an option names, in YAML or JSON; undefined without a file. */
export function readObjectFile(file: string | undefined, option: string): Record<string, unknown> | undefined {
  if (file === undefined) return undefined;
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    // What the file holds is not shown: a password may be in it.
    throw new CliError('usage', `${option}: ${file} cannot be read, or is no YAML`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageError(`${option}: ${file} holds no object`);
}
