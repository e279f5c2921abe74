import { readFileSync, statSync } from 'node:fs';
import { AgentError } from '../errors.ts';
import { digestOf, isTokenOf } from './tokens.ts';

/** The tokens that boot configurations hold. */
export interface BootTokens {
  /** Whether it is one of them; takes as long whichever it is. */
  has(token: string): boolean;
}

const shortest = 20;
const most = 16;

/**
 * Reads boot tokens from a file, one on each line, the newest first. Boot configurations are changed one after the
 * other: until that is done the old token stays on a line below. A file that was changed is read again; one that cannot
 * be read then leaves the tokens as they were.
 */
export function bootTokensIn(file: string, onProblem: (error: AgentError) => void = () => {}): BootTokens {
  let mark = markOf(file);
  let digests = readDigests(file);
  const refresh = (): void => {
    try {
      const now = markOf(file);
      if (now === mark) return;
      mark = now;
      digests = readDigests(file);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      onProblem(error);
    }
  };
  return {
    has(token) {
      refresh();
      return isAnyOf(token, digests);
    },
  };
}

/** Boot tokens that stay as they are. */
export function fixedBootTokens(...tokens: readonly string[]): BootTokens {
  const digests = tokens.map(digestOf);
  return { has: (token) => isAnyOf(token, digests) };
}

function isAnyOf(token: string, digests: readonly string[]): boolean {
  // All of them are compared, so that time does not tell which one it was.
  return digests.map((digest) => isTokenOf(token, digest)).includes(true);
}

function markOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (cause) {
    throw new AgentError('badTokenFile', { file, detail: 'it cannot be read' }, { cause });
  }
}

function readDigests(file: string): readonly string[] {
  const lines = textOf(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const detail = problemOf(lines);
  if (detail !== undefined) throw new AgentError('badTokenFile', { file, detail });
  return lines.map(digestOf);
}

function problemOf(lines: readonly string[]): string | undefined {
  if (lines.length === 0) return 'it holds no token';
  if (lines.length > most) return `it holds more than ${most} tokens`;
  if (lines.some((line) => !/^[\w~+/.=-]+$/.test(line)))
    return 'a token may hold letters, digits and _ - . ~ + / = only';
  if (lines.some((line) => line.length < shortest)) return `a token needs at least ${shortest} characters`;
  return undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AgentError('badTokenFile', { file, detail: 'it cannot be read' }, { cause });
  }
}
