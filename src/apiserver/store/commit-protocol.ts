import type { SealingKey } from './sealing.ts';

/** What the writer thread is started with. */
export interface WriterOptions {
  readonly file: string;
  readonly keys: readonly SealingKey[];
  /** The database may not grow past this. */
  readonly maxBytes: number | undefined;
  /** About how much may be written before it is moved from the log into the database. */
  readonly checkpointBytes: number;
  /** Room on the disk that is kept for writes that make room; 0 for none. */
  readonly reserveBytes: number;
  /** How often a full disk is looked at again. */
  readonly fullDiskPollMs: number;
}

/** Values per row in a flat batch; see `appendRow`. */
export const rowWidth = 9;

/** Bits of a row's flags. */
export const rowFlag = { deleted: 1, sealed: 2 } as const;

/** A batch of rows, flattened: one array of strings and numbers is what crosses threads cheapest. */
export type FlatRows = (string | number)[];

/** From the store to the writer thread. */
export type ToWriter =
  | { readonly do: 'commit'; readonly epoch: number; readonly rows: FlatRows }
  | { readonly do: 'compact'; readonly id: number; readonly revision: number }
  /** Looks whether there is room again. */
  | { readonly do: 'check-room' }
  | { readonly do: 'close' };

/** From the writer thread to the store. */
export type FromWriter =
  | { readonly did: 'start' }
  | { readonly did: 'commit'; readonly revision: number }
  | { readonly did: 'fail'; readonly message: string }
  | { readonly did: 'compact'; readonly id: number; readonly error: string | undefined }
  /** The disk became full, or has room again. */
  | { readonly did: 'check-room'; readonly isFull: boolean }
  /** Something that will be tried again by itself failed. */
  | { readonly did: 'fault'; readonly message: string }
  | { readonly did: 'close' };
