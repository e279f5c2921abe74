import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How long test files took when they ran last. */
export interface Durations {
  /** In seconds; 0 for one that has not run yet. */
  of(file: string): number;
  /** Files outside the project, which tests make, are not kept. */
  note(file: string, seconds: number): void;
  /** Keeps what was noted beside what others know. */
  save(): void;
}

/** Opens the file that keeps them; without one, or with one that cannot be read, nothing is known yet. */
export function openDurations(path: string): Durations {
  const known = read(path);
  const noted: Record<string, number> = {};
  return {
    of: (file) => noted[file] ?? known[file] ?? 0,
    note(file, seconds) {
      if (!file.startsWith('..')) noted[file] = Math.round(seconds * 10) / 10;
    },
    save() {
      mkdirSync(dirname(path), { recursive: true });
      const fresh = `${path}.${process.pid}`;
      writeFileSync(fresh, `${JSON.stringify({ ...read(path), ...noted }, undefined, 1)}\n`);
      renameSync(fresh, path);
    },
  };
}

function read(path: string): Record<string, number> {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(kept).filter((each): each is [string, number] => Number.isFinite(each[1])),
    );
  } catch {
    return {};
  }
}
