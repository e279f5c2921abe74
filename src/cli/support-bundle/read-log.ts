import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CliError } from '../errors.ts';
import type { Redactor } from './redactor.ts';

/** Of a long log the end is what matters. */
const mostBytes = 4 * 1024 * 1024;

/** The last lines of a log without secrets. */
export function readLogEnd(file: string, redactor: Redactor): string {
  const lines = readEnd(file).split('\n');
  return lines.map((line) => redactLine(line, redactor)).join('\n');
}

function redactLine(line: string, redactor: Redactor): string {
  if (!line.startsWith('{')) return redactor.text(line);
  try {
    return JSON.stringify(redactor.value(JSON.parse(line)));
  } catch {
    // Half a line, or no JSON after all.
    return redactor.text(line);
  }
}

function readEnd(file: string): string {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (cause) {
    throw new CliError('usage', `${file} cannot be read`, { cause });
  }
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, mostBytes));
    const count = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.subarray(0, count).toString('utf8');
    // A line that was cut in the middle may begin within a secret.
    return size > mostBytes ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(handle);
  }
}
