import { resolve } from 'node:path';
import { serverSettings } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import type { Terminal } from '../terminal.ts';

/** What else has to be typed for a command to find what runs there; nothing where it looks by itself. */
export function dataDirFlag(dataDir: string, { cwd }: Pick<Terminal, 'cwd'>): string {
  if (dataDir === resolve(cwd, serverSettings.dataDir.fallback)) return '';
  return ` --data-dir ${shellWord(dataDir)}`;
}
