// Codes that the system has are named as it names them, so that callers can treat both alike.
const listenErrors = {
  EADDRINUSE: '{address} port {port} is taken: choose another port, or leave it out to have free ones found',
  EADDRNOTAVAIL: 'this machine has no address {address}: use port addressing, or give a host that it has',
  EMFILE: 'the system allows too few open files for {count} BMCs: raise the limit (ulimit -n) or start fewer',
  NotLoopback: '"{address}" is not a loopback address: a simulated data centre listens on 127.0.0.0/8 or ::1 only',
  PortsExhausted: '{count} BMCs from port {port} on do not fit below port 65536: choose a lower one',
  CannotListen: 'cannot listen at {address} port {port}: {reason}',
} as const;

/** Why a data centre cannot listen. */
export type ListenErrorCode = keyof typeof listenErrors;

/** A data centre that cannot listen as asked for. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: ListenErrorCode;

  constructor(code: ListenErrorCode, facts: Readonly<Record<string, string | number>>, cause?: unknown) {
    super(
      listenErrors[code].replaceAll(/\{(\w+)\}/g, (_, fact: string) => String(facts[fact] ?? '')),
      cause === undefined ? {} : { cause },
    );
    this.code = code;
  }
}

/** The error of a failed bind, said in a way that helps. */
export function listenErrorOf(cause: unknown, at: { address: string; port: number; count: number }): ListenError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return new ListenError('EADDRINUSE', at, cause);
  if (code === 'EADDRNOTAVAIL') return new ListenError('EADDRNOTAVAIL', at, cause);
  if (code === 'EMFILE' || code === 'ENFILE') return new ListenError('EMFILE', at, cause);
  return new ListenError('CannotListen', { ...at, reason: (cause as Error).message }, cause);
}
