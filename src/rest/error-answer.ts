import { type JsonObject, StoreError } from '../engine/index.ts';
import type { Answer } from './answer.ts';
import { RestError } from './errors.ts';

/** What errors of services have, so that each room keeps its own table: a status, a code and a message to show. */
export interface AnswerableError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What is there now, for whoever lost against it. */
  readonly record?: JsonObject;
}

/** The request that something was thrown at. */
export interface FailedRequest {
  readonly requestId: string;
  /** The largest body that its route takes; undefined where none was found. */
  readonly bodyLimit: number | undefined;
}

/** The answer to anything that was thrown. What nobody meant to show is told to the log only. */
export function answerError(
  error: unknown,
  { requestId, bodyLimit = maxBodyBytes }: FailedRequest,
): Answer & { readonly isUnexpected: boolean } {
  if (isAnswerable(error)) return { ...envelope(error, requestId), isUnexpected: false };
  const known = fromStore(error) ?? fromFastify(error, bodyLimit);
  if (known !== undefined) return { ...envelope(known, requestId), isUnexpected: false };
  return { ...envelope(new RestError('internal', { request: requestId }), requestId), isUnexpected: true };
}

function envelope(error: AnswerableError, requestId: string): Answer {
  const problems = error.problems ?? [];
  return {
    status: error.status,
    body: {
      message: error.message,
      error: problems.length > 0 ? problems.join('; ') : error.message,
      code: error.code,
      ...(problems.length > 0 ? { problems: [...problems] } : {}),
      ...(error.record === undefined ? {} : { record: error.record }),
      request_id: requestId,
    },
    headers: { ...(error.status === 503 ? { 'retry-after': '5' } : {}), ...error.headers },
  };
}

function isAnswerable(error: unknown): error is AnswerableError {
  if (!(error instanceof Error) || error instanceof StoreError) return false;
  const { status, code } = error as Partial<AnswerableError>;
  return typeof status === 'number' && status >= 400 && status <= 599 && typeof code === 'string';
}

/** A database that is away or asks for patience is not the caller's fault, and trying again helps. */
function fromStore(error: unknown): RestError | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === 'badValue') return new RestError('badRequest', {}, { problems: [error.message], cause: error });
  if (error.code === 'diskFull') return new RestError('diskFull', { detail: error.message }, { cause: error });
  if (error.retry === 'transient' || error.code === 'closed' || error.code === 'outcomeUnknown')
    return new RestError('unavailable', { detail: detailOf(error) }, { cause: error });
  return undefined;
}

function detailOf(error: StoreError): string {
  return error.code === 'outcomeUnknown'
    ? 'the answer of the database was lost, so that the change may be stored or not; read before it is tried again'
    : 'the database cannot be used at the moment';
}

/** Fastify's own refusals, in our words. */
function fromFastify(error: unknown, bodyLimit: number): RestError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return new RestError('badRequest', {}, { problems: ['the path is not a valid URL'], cause: error });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new RestError('uriTooLong', { limit: maxPathPart }, { cause: error });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new RestError(
        'badRequest',
        {},
        { problems: ['the body is not as long as its header says'], cause: error },
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RestError('wrongMediaType', { type: 'what was sent' }, { cause: error });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RestError('tooLarge', { limit: bodyLimit }, { cause: error, headers: { connection: 'close' } });
    default:
      return undefined;
  }
}

/** The largest body that is taken. */
export const maxBodyBytes = 1024 * 1024;

/** The longest part of a path between two slashes. */
export const maxPathPart = 300;
