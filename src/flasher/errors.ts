import type { RetryClass } from '../engine/index.ts';

/** Everything that a flasher refuses or cannot do by itself; what a BMC refuses is a BmcError. */
export const flasherErrors = {
  badDigest: {
    retry: 'terminal',
    message: 'the checksum {digest} cannot be used: {detail}',
  },
  digestMissing: {
    retry: 'terminal',
    message: '{source} has no checksum; give its SHA-256, or allow files without one in the settings',
  },
  digestMismatch: {
    retry: 'terminal',
    message: '{source} has {algorithm} {found} and not {wanted}; publish the right file or correct the checksum',
  },
  sizeMismatch: { retry: 'terminal', message: '{source} has {found} bytes and not {wanted}' },
  tooLarge: { retry: 'terminal', message: '{source} has more than {limit} bytes, which is the most that is taken' },
  noRoom: {
    retry: 'transient',
    message: 'there is no room for {bytes} bytes of {source}: {limit} bytes may be used and {used} are in use',
  },
  badSource: { retry: 'terminal', message: 'the source {source} cannot be used: {detail}' },
  sourceRefused: { retry: 'terminal', message: '{source} was refused: {detail}' },
  sourceFailed: { retry: 'transient', message: '{source} could not be fetched: {detail}' },
  unknownServer: { retry: 'blocked', message: 'no BMC is known for {target}: give the server its BMC address first' },
  unknownSet: { retry: 'blocked', message: 'there is no firmware set {set}' },
  unreadable: { retry: 'transient', message: 'the server cannot be read well enough to plan: {detail}' },
  notAtRest: { retry: 'transient', message: 'the power of the host at {origin} keeps changing' },
  badProgress: { retry: 'bug', message: 'the stored progress of condition {id} cannot be read: {detail}' },
  aborted: { retry: 'transient', message: '{what} was given up' },
} as const satisfies Record<string, { retry: RetryClass; message: string }>;

/** A key of the error table. */
export type FlasherErrorCode = keyof typeof flasherErrors;

/** What a flasher refused, with a code to decide on and a message to show. */
export class FlasherError extends Error {
  readonly code: FlasherErrorCode;
  readonly retry: RetryClass;

  constructor(
    code: FlasherErrorCode,
    fields: Readonly<Record<string, string | number>>,
    more: { readonly cause?: unknown } = {},
  ) {
    const text = flasherErrors[code].message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(fields[name] ?? '?'));
    super(text, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'FlasherError';
    this.code = code;
    this.retry = flasherErrors[code].retry;
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isFlasherError(error: unknown, ...codes: readonly FlasherErrorCode[]): error is FlasherError {
  return error instanceof FlasherError && (codes.length === 0 || codes.includes(error.code));
}
