import { type ErrorEntry, type ErrorMore, TableError } from '../../kube/index.ts';

/** What can go wrong with a database, and whether trying again can help. */
export const storeErrors = {
  closed: { retry: 'terminal', message: 'the database {where} is closed' },
  inUse: {
    retry: 'blocked',
    message:
      'the database {where} is in use by {holder}; only one process may open it: stop that one, or use another file',
  },
  unusable: { retry: 'terminal', message: 'the database {where} cannot be used: {detail}' },
  faulted: {
    retry: 'terminal',
    message: 'the database {where} takes no more work after a failure of the disk ({detail}); restart the process',
  },
  commitFailed: { retry: 'transient', message: 'nothing of this was stored in {where}: {detail}' },
  diskFull: { retry: 'transient', message: 'the disk of {where} is full, nothing of this was stored: {detail}' },
  outcomeUnknown: {
    retry: 'blocked',
    message:
      'the answer to a commit in {where} was lost ({detail}); it may be stored or not: read before it is tried again',
  },
  contention: {
    retry: 'transient',
    message:
      'the database {where} asked {attempts} times to run the same transaction again ({detail}); try again later',
  },
  unreachable: { retry: 'transient', message: 'the database {where} cannot be reached: {detail}' },
  refused: { retry: 'terminal', message: 'the database {where} refuses this connection: {detail}' },
  badUrl: {
    retry: 'terminal',
    message: 'the database URL cannot be used: {detail}; it looks like postgres://user:password@host:5432/name',
  },
  constraint: { retry: 'terminal', message: 'the database refused a row: {detail}' },
  readOnly: { retry: 'bug', message: 'a statement that writes was used in a read: {detail}' },
  badStatement: { retry: 'bug', message: 'a statement cannot be run: {detail}' },
  badValue: { retry: 'terminal', message: 'a value cannot be stored: {detail}' },
  ended: { retry: 'bug', message: 'a transaction was used after {detail}' },
  newer: {
    retry: 'terminal',
    message:
      'the database {where} was written by a newer version ({schema} has version {found}, this program knows up to {known}); start that version, or restore a backup made by this one',
  },
  notMigrated: { retry: 'bug', message: 'the database {where} has no tables yet: {detail}' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the table of store errors. */
export type StoreErrorCode = keyof typeof storeErrors;

/** What went wrong with a database, with a code to decide on and a message to show. */
export class StoreError extends TableError<StoreErrorCode> {
  constructor(code: StoreErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: storeErrors, code, fields }, more);
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node reports a refused connection to a name with several addresses as an error without a text of its own.
  if (error.message === '' && 'code' in error) return String(error.code);
  return error.message;
}
