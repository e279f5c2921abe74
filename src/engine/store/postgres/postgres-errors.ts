import { UniqueViolation } from '../database.ts';
import { messageOf, StoreError } from '../errors.ts';

/** What a failure means for the transaction: run it again, the connection is gone, or it is an answer. */
export type Verdict = 'again' | 'lost' | 'answer';

/** The connection is gone or about to be: shutdowns, timeouts of idle sessions, too many connections, 08xxx. */
const lostStates = ['57P01', '57P02', '57P03', '57P05', '25P03', '53300'];

/** The SQLSTATE, where the server said one. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Tells what a failed statement, or a failed attempt to connect, means. */
export function judge(error: unknown): Verdict {
  if (error instanceof StoreError || error instanceof UniqueViolation) return 'answer';
  const state = sqlStateOf(error);
  // What does not come from the server comes from the socket, or from a timer that gave up on it.
  if (state === undefined || state.startsWith('08') || lostStates.includes(state)) return 'lost';
  // 55P03: another transaction kept a row for too long.
  if (state === '40001' || state === '40P01' || state === '55P03') return 'again';
  // A table changed under a prepared statement; on a new connection it is prepared anew.
  if (state === '0A000' && messageOf(error).includes('cached plan')) return 'lost';
  return 'answer';
}

/** What a failed commit means: unless the server says that it did not happen, it may have. 40003 says just that. */
export function judgeCommit(error: unknown): Verdict {
  const state = sqlStateOf(error);
  // The transaction was given up while the server waited for what turned out to be the commit.
  if (state === '25P03') return 'again';
  return state === '40003' ? 'lost' : judge(error);
}

/** What an answer of the server means to whoever asked. */
export function mapPostgresError(error: unknown, where: string): unknown {
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  if (state === '23505') return new UniqueViolation(constraintOf(error), error);
  const fields = { where, detail: messageOf(error) };
  const code = codeOf(state);
  return new StoreError(code, fields, { cause: error });
}

function codeOf(state: string) {
  if (state === '25006') return 'readOnly';
  if (state === '57014') return 'commitFailed';
  const codes = {
    '23': 'constraint',
    '22': 'badValue',
    '28': 'refused',
    '3D': 'refused',
    '53': 'commitFailed',
  } as const;
  return codes[state.slice(0, 2) as keyof typeof codes] ?? 'badStatement';
}

function constraintOf(error: unknown): string {
  const name = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
  return typeof name === 'string' ? name : 'unique index';
}
