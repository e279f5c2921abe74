/** What can go wrong below HTTP. */
export type HttpFailureKind =
  /** No connection: refused, no route, no such name, no TLS. */
  | 'unreachable'
  /** There was a connection, and nobody should trust the other end. */
  | 'certificate'
  /** No answer in time. */
  | 'timeout'
  /** The connection ended before the answer did. */
  | 'reset'
  /** The answer is not HTTP, or larger than we take. */
  | 'malformed'
  /** Our own body could not be read, or is not as long as was said. */
  | 'body'
  /** The caller does not want it any more. */
  | 'cancelled'
  /** It waited so long for its connection that what was checked before may not hold any more. */
  | 'stale';

/** Why there is no answer. Its detail holds nothing of what was sent or received. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  readonly detail: string;
  /** False when the request certainly has not left this machine. */
  readonly hasBegun: boolean;

  constructor(kind: HttpFailureKind, detail: string, more: { readonly hasBegun: boolean }) {
    super(`${kind}: ${detail}`);
    this.name = 'HttpFailure';
    this.kind = kind;
    this.detail = detail;
    this.hasBegun = more.hasBegun;
  }
}

const tooLarge = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE']);

/** What an error of the HTTP library means. Its text is not passed on where it may quote the answer. */
export function toHttpFailure(error: unknown, more: { readonly hasBegun: boolean }): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return new HttpFailure('reset', 'the answer ends too early', more);
  if (tooLarge.has(code) || (error instanceof Error && error.name === 'HTTPParserError')) {
    return new HttpFailure('malformed', tooLarge.has(code) ? `too large an answer (${code})` : 'no HTTP answer', more);
  }
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
    return new HttpFailure('body', 'it is not as long as it was when it was measured', more);
  }
  const text = error instanceof Error && error.message !== '' ? error.message : 'the connection ended';
  return new HttpFailure(more.hasBegun ? 'reset' : 'unreachable', code === '' ? text : `${text} (${code})`, more);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
