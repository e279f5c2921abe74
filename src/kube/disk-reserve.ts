import { randomBytes } from 'node:crypto';
import { closeSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whether a file operation found no room: on the disk, in a quota or in a limit of the process. */
export function isOutOfRoom(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}

/** What else has to be free before the reserve is taken back, so that taking it does not fill the disk for others. */
const spareBytes = 1 << 20;

const chunkBytes = 1 << 20;

/** The reserve in the directory of a database. */
export function reserveBeside(file: string, bytes: number): DiskReserve {
  return new DiskReserve(join(dirname(file), 'disk-reserve'), bytes);
}

/**
 * A file that only takes up room. It is given up when the disk is full, so that what makes room can still be written,
 * and taken back once there is room again: a disk is full for as long as the reserve cannot be had.
 */
export class DiskReserve {
  readonly #file: string;
  readonly #bytes: number;

  constructor(file: string, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Whether the reserve is there, or could be made. */
  take(): boolean {
    if (this.#bytes === 0 || this.#size() >= this.#bytes) return true;
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    if (bavail * bsize < this.#bytes + spareBytes) return false;
    try {
      this.#fill();
      return true;
    } catch (error) {
      // Quotas do not show in what is free.
      if (!isOutOfRoom(error)) throw error;
      this.giveUp();
      return false;
    }
  }

  /** Frees what the reserve takes up; false when there was nothing to free. */
  giveUp(): boolean {
    if (this.#size() === 0) return false;
    truncateSync(this.#file);
    return true;
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** With random bytes: of zeros, a file system that compresses keeps nothing free. */
  #fill(): void {
    const fd = openSync(this.#file, 'w', 0o600);
    try {
      const chunk = randomBytes(Math.min(chunkBytes, this.#bytes));
      for (let left = this.#bytes; left > 0; ) left -= writeSync(fd, chunk, 0, Math.min(left, chunk.length));
    } finally {
      closeSync(fd);
    }
  }
}
