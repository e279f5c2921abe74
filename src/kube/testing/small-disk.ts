import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { isOutOfRoom } from '../disk-reserve.ts';

/** A file system of its own that a test can fill. */
export interface SmallDisk {
  readonly directory: string;
  /** Leaves no room at all. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
}

/** For tests: mounts a small disk, which only root may; undefined after the test was skipped for that. Use it last among `t.after`. */
export function smallDisk(t: TestContext, megabytes: number): SmallDisk | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'rackwright-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    rmSync(directory, { recursive: true });
    t.skip(`only root may mount a small disk: ${error instanceof Error ? error.message.trim() : error}`);
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true });
  });
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill() {
      // What else writes there meanwhile takes its share.
      for (let bytes = 1 << 20; bytes >= 1; )
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch (error) {
          if (!isOutOfRoom(error)) throw error;
          bytes >>= 1;
        }
    },
    free: () => rmSync(ballast),
  };
}
