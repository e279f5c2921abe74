import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../kube/index.ts';

/** Everything that fetching, keeping and serving images refuses or cannot do. `status` is what is answered over HTTP. */
export const storeErrors = {
  badDigest: { status: 400, retry: 'terminal', message: 'the checksum {digest} cannot be used: {detail}' },
  digestMissing: {
    status: 400,
    retry: 'terminal',
    message: '{source} has no checksum; give its SHA-256, or allow files without one in the settings',
  },
  digestMismatch: {
    status: 422,
    retry: 'terminal',
    message: '{source} has {algorithm} {found} and not {wanted}; publish the right file or correct the checksum',
  },
  sizeMismatch: { status: 422, retry: 'terminal', message: '{source} has {found} bytes and not {wanted}' },
  tooLarge: {
    status: 413,
    retry: 'terminal',
    message: '{source} has more than {limit} bytes, which is the most that is taken',
  },
  noRoom: {
    status: 507,
    retry: 'transient',
    message: 'there is no room for {bytes} bytes of {source}: {limit} bytes may be used and {used} are in use',
  },
  diskFull: {
    status: 507,
    retry: 'transient',
    message: '{source} cannot be written down ({code}): make room on the disk of the image cache',
  },
  badSource: { status: 400, retry: 'terminal', message: 'the source {source} cannot be used: {detail}' },
  sourceRefused: { status: 502, retry: 'terminal', message: '{source} was refused: {detail}' },
  sourceFailed: { status: 502, retry: 'transient', message: '{source} could not be fetched: {detail}' },
  aborted: { status: 503, retry: 'transient', message: '{what} was given up' },
  unknownImage: {
    status: 404,
    retry: 'blocked',
    message: 'there is no image {digest} in the store: put it there first',
  },
  noStore: {
    status: 503,
    retry: 'blocked',
    message: 'there is no image store in {folder} here: mount the folder that the update service has there',
  },
  badRange: { status: 416, retry: 'terminal', message: 'the image {digest} has {size} bytes and no range {range}' },
  imageInUse: {
    status: 409,
    retry: 'blocked',
    message: 'the image {digest} is referenced by {references}: release those first',
  },
  damaged: {
    status: 500,
    retry: 'transient',
    message: 'the image {digest} was found damaged in the store and taken out: put it there again',
  },
  bucketRefused: { status: 502, retry: 'terminal', message: 'the bucket {bucket} was refused: {detail}' },
  bucketFailed: { status: 502, retry: 'transient', message: 'the bucket {bucket} cannot be used now: {detail}' },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type StoreErrorCode = keyof typeof storeErrors;

/** What could not be fetched, kept or served, with a code to decide on and a message to show. */
export class StoreError extends HttpTableError<StoreErrorCode> {
  constructor(code: StoreErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: storeErrors, code, fields }, more);
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isStoreError(error: unknown, ...codes: readonly StoreErrorCode[]): error is StoreError {
  return isErrorOf(StoreError, error, codes);
}
