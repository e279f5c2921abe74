/** Why the store refused or failed; `retry` says what a caller may do about it. */
export const storeErrors = {
  'commit-failed': { retry: 'transient' },
  'disk-full': { retry: 'transient' },
  closed: { retry: 'terminal' },
  'writer-lost': { retry: 'terminal' },
  'in-use': { retry: 'blocked' },
  'newer-format': { retry: 'terminal' },
  exists: { retry: 'terminal' },
  directory: { retry: 'terminal' },
  corrupt: { retry: 'terminal' },
  'key-file': { retry: 'terminal' },
  'key-missing': { retry: 'terminal' },
} as const satisfies Record<string, { retry: 'transient' | 'blocked' | 'terminal' | 'bug' }>;

/** The name of a failure in the table above. */
export type StoreErrorCode = keyof typeof storeErrors;

/** Thrown, or rejected with, by everything in this folder that fails for a reason an operator can act on. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
  get retry(): (typeof storeErrors)[StoreErrorCode]['retry'] {
    return storeErrors[this.code].retry;
  }
}

/** SQLITE_FULL; and SQLITE_IOERR_SHMSIZE, which is no room for the index of the log. */
const fullCodes: readonly unknown[] = [13, 4874];

/** Whether SQLite found no room on the disk, or in the limit of the database. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && fullCodes.includes(error.errcode);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
