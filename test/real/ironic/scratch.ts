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

/** A scratch folder outside the work tree, made when it is first asked for, so that a suite left out leaves nothing. */
export function createScratch(name: string): Scratch {
  let root: string | undefined;
  const started: { stop(): Promise<void> }[] = [];
  return {
    folder: (child) => {
      root ??= mkdtempSync(join(tmpdir(), `${name}-`));
      return join(root, child);
    },
    keep: (each) => {
      started.push(each);
      return each;
    },
    async end() {
      for (const each of started.reverse()) await each.stop();
      if (root !== undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}
