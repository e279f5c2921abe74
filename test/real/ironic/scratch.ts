import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test run, the programs that run in it, and the end of both. */
export interface Scratch {
  folder(name: string): string;
  /** Remembers what to stop, and hands it back. */
  keep<T extends { stop(): Promise<void> }>(started: T): T;
  /** Stops everything in reverse order and removes the folder. */
  end(): Promise<void>;
}

/** Makes a scratch folder outside the work tree. */
export function createScratch(name: string): Scratch {
  const root = mkdtempSync(join(tmpdir(), `${name}-`));
  const started: { stop(): Promise<void> }[] = [];
  return {
    folder: (child) => join(root, child),
    keep: (each) => {
      started.push(each);
      return each;
    },
    async end() {
      for (const each of started.reverse()) await each.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
