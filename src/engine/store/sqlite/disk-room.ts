import { dirname } from 'node:path';
import { type Clock, type DiskReserve, reserveBeside, type Timer } from '../../../kube/index.ts';
import { StoreError } from '../errors.ts';

/** What brings new work or new records, which only a disk with room takes: changes of what is there go on. */
const growth = /^\s*INSERT INTO (conditions|machines|inventory_\w+|agent_machines)\b/i;

const rule = 'only work that has begun is stored until there is room';

/** How a disk that may become full is met. */
export interface DiskRoomOptions {
  /** The database. */
  readonly path: string;
  readonly clock: Clock;
  /** How large the file is that is given up when the disk is full; 0 for none. */
  readonly reserveBytes: number;
  readonly pollMs: number;
  /** Told when the disk is full and when it has room again. */
  readonly onChange: (message: string) => void;
}

/**
 * The room on the disk of a database. When SQLite finds the disk full, the reserve is given up, so that work goes on that
 * had begun; until the reserve fits again, nothing new is taken.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #reserve: DiskReserve;
  #isFull = false;
  #timer: Timer | undefined;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
    this.#reserve = reserveBeside(options.path, options.reserveBytes);
    this.#look();
  }

  /** What is wrong with the disk, if anything. */
  get fault(): string | undefined {
    if (!this.#isFull) return undefined;
    return `the disk of ${dirname(this.#options.path)} is full; ${rule}`;
  }

  /** Throws for a statement that only a disk with room takes. */
  check(sql: string): void {
    if (this.#isFull && growth.test(sql)) throw new StoreError('diskFull', { where: this.#options.path, detail: rule });
  }

  /** SQLite found the disk full. True when there is room now to try again. */
  give(): boolean {
    if (this.#options.reserveBytes === 0) return false;
    const isGiven = this.#reserve.giveUp();
    this.#setFull(true);
    return isGiven;
  }

  close(): void {
    this.#timer?.cancel();
  }

  #look(): void {
    this.#timer = undefined;
    this.#setFull(!this.#reserve.take());
  }

  #setFull(isFull: boolean): void {
    const { clock, pollMs, onChange, path } = this.#options;
    if (isFull) this.#timer ??= clock.after(pollMs, () => this.#look());
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    onChange(this.fault ?? `the disk of ${dirname(path)} has room again`);
  }
}
