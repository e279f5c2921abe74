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
} as const satisfies Record<
  string,
  { readonly retry: 'transient' | 'blocked' | 'terminal' | 'bug'; readonly message: string }
>;

/** A key of the table of bus errors. */
export type BusErrorCode = keyof typeof busErrors;

/** What went wrong with a bus, with a code to decide on and a message to show. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly code: BusErrorCode;

  constructor(code: BusErrorCode, fields: Readonly<Record<string, string>>, more: { readonly cause?: unknown } = {}) {
    const text = busErrors[code].message.replaceAll(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? '?');
    super(text, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
  }

  get retry(): (typeof busErrors)[BusErrorCode]['retry'] {
    return busErrors[this.code].retry;
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node reports a refused connection to a name with several addresses as an error without a text of its own.
  if (error.message === '' && 'code' in error) return String(error.code);
  return error.message;
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isBusError(error: unknown, ...codes: readonly BusErrorCode[]): error is BusError {
  return error instanceof BusError && (codes.length === 0 || codes.includes(error.code));
}
