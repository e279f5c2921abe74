import { type ErrorEntry, type ErrorMore, isErrorOf, TableError } from '../../kube/index.ts';

export { messageOf } from '../store/errors.ts';

/** What can go wrong with a bus, and whether trying again can help. */
export const busErrors = {
  closed: { retry: 'bug', message: 'the bus is closed; {what} came too late' },
  away: {
    retry: 'transient',
    message: 'the bus cannot say {what} now: {detail}; work goes on without it, ask again later',
  },
  unreachable: {
    retry: 'transient',
    message: 'NATS at {where} cannot be reached: {detail}; it is tried again for ever',
  },
  refused: {
    retry: 'blocked',
    message: 'NATS at {where} refuses these credentials: {detail}; check user, password, token or creds file',
  },
  untrusted: {
    retry: 'blocked',
    message: 'no trusted TLS connection to NATS at {where}: {detail}; check the CA, the certificates and the scheme',
  },
  badUrl: {
    retry: 'terminal',
    message: 'the NATS URL cannot be used: {detail}; it looks like nats://user:password@host:4222 or tls://host:4222',
  },
  badSettings: { retry: 'terminal', message: 'the bus cannot be set up so: {detail}' },
  foreignStream: {
    retry: 'blocked',
    message:
      'the stream {stream} exists in NATS but is no work queue of ours ({detail}); remove it, or give this fleet another prefix',
  },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the table of bus errors. */
export type BusErrorCode = keyof typeof busErrors;

/** What went wrong with a bus, with a code to decide on and a message to show. */
export class BusError extends TableError<BusErrorCode> {
  constructor(code: BusErrorCode, fields: Readonly<Record<string, string>>, more: ErrorMore = {}) {
    super({ table: busErrors, code, fields }, more);
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isBusError(error: unknown, ...codes: readonly BusErrorCode[]): error is BusError {
  return isErrorOf(BusError, error, codes);
}
