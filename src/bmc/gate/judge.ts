import { BmcError } from '../errors.ts';
import type { HttpAnswer } from '../http/exchange.ts';
import { type ErrorNotes, readErrorNotes, secretsIn } from '../http/extended-info.ts';
import type { HttpFailure } from '../http/http-failure.ts';
import { type AnswerBody, type AnswerBounds, readAnswer } from '../http/read-answer.ts';
import type { JsonObject } from '../json.ts';
import type { GateReply } from './gate.ts';

/** How a try ended: with a reply, or with an error and whether another try may help. */
export type Outcome =
  | { readonly reply: GateReply; readonly error?: undefined }
  | { readonly reply?: undefined; readonly error: BmcError; readonly again: Again };

/** `once`: a single further try, since each takes as long as the deadline. */
export type Again = 'never' | 'once' | 'often';

/** What an answer is judged by. */
export interface JudgeContext {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly deadlineMs: number;
  readonly accept: readonly number[] | undefined;
  /** May be sent twice without harm: a GET, or the end of a session. */
  readonly isRepeatable: boolean;
  /** Changes the machine: only what was certainly not carried out is sent again. */
  readonly isDisruptive: boolean;
  /** The BMC is expected to be away: the caller waits, not the gate. May begin while the request waits. */
  isOutage: boolean;
  readonly bounds: AnswerBounds;
  /** Of the request; its secrets are kept out of messages. */
  readonly body: JsonObject | undefined;
  /** Of the session or credentials with which it was sent last. */
  secrets: readonly string[];
}

const passing = new Set([408, 429, 500, 502, 503, 504]);
const emptyBody: JsonObject = Object.freeze({});
const noNotes: ErrorNotes = { detail: '', messageIds: [] };

/** Errors of the server that come before it does anything. */
const undone = new Set([501, 505]);
/** Message ids with which a BMC says that it did nothing because it is busy. */
const nothingDone = new Set(['SYS518', 'ServiceTemporarilyUnavailable', 'ResourceNotReadyRetry']);
/** One with which it says that the system is in the wrong state: it may pass, or be what the caller has to see to. */
const wrongState = 'InvalidOperationForSystemState';

/** What an answer means to the caller. */
export function judgeAnswer(answer: HttpAnswer, context: JudgeContext): Outcome {
  const { status } = answer;
  const isWanted = (status >= 200 && status < 300) || context.accept?.includes(status) === true;
  const read = readAnswer(answer, context.bounds);
  return isWanted ? judgeWanted(answer, read, context) : judgeRefusal(answer, notesOf(read.body, context), context);
}

function judgeWanted(answer: HttpAnswer, read: AnswerBody, context: JudgeContext): Outcome {
  const { status, headers } = answer;
  if (read.problem === undefined) return { reply: { status, headers, body: read.body, etag: etagOf(headers.etag) } };
  if (context.method === 'GET' && status < 300)
    return fail('malformed', context, { detail: read.problem, again: 'often' });
  // It was carried out, and what it led to would have been in the body.
  const isLost = read.looksCut && headers.location === undefined && context.method !== 'DELETE' && status < 300;
  if (isLost) return fail('ambiguous', context, { status, detail: `${status} with ${read.problem}`, again: 'never' });
  return { reply: { status, headers, body: emptyBody, etag: etagOf(headers.etag) } };
}

function judgeRefusal(answer: HttpAnswer, notes: ErrorNotes, context: JudgeContext): Outcome {
  const { status } = answer;
  const { messageIds } = notes;
  const detail = notes.detail === '' ? `status ${status}` : `${status} ${notes.detail}`;
  const more = { status, messageIds, detail };
  const isUndone = saysNothingDone(messageIds);
  if (context.isRepeatable ? passing.has(status) || saysNotNow(messageIds) : isUndone || isTooMany(status, context))
    return fail('busy', context, { ...more, again: patience(context) });
  if (!context.isRepeatable && isOpen(status)) return fail('ambiguous', context, { ...more, again: 'never' });
  if (status === 404 || status === 410) return fail('notFound', context, { ...more, again: 'never' });
  if (status === 401 && context.isOutage) return fail('busy', context, { ...more, again: 'never' });
  return fail('refused', context, {
    ...more,
    detail: notes.detail === '' ? 'no reason given' : notes.detail,
    again: 'never',
  });
}

/** Turned away before it was looked at, or so the status says; that is not certain enough to risk a second reset. */
function isTooMany(status: number, { isDisruptive }: JudgeContext): boolean {
  return status === 429 && !isDisruptive;
}

/** BMCs answer these also after they did what they were told: a service behind the web server was slow or fell over. */
function isOpen(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && !undone.has(status));
}

/** What a try without an answer means to the caller. */
export function judgeFailure(failure: HttpFailure, context: JudgeContext): Outcome {
  const { kind, detail, hasBegun } = failure;
  if (kind === 'certificate') return fail('certificate', context, { detail, again: 'never' });
  if (kind === 'body') return fail('badImage', context, { detail, again: 'never' });
  if (kind === 'cancelled') return fail('cancelled', context, { detail, again: 'never' });
  if (!hasBegun) return fail('unreachable', context, { detail, again: patience(context) });
  if (!context.isRepeatable) return fail('ambiguous', context, { detail, again: 'never' });
  if (kind === 'timeout') return fail('timeout', context, { detail, again: context.isOutage ? 'never' : 'once' });
  if (kind === 'malformed') return fail('malformed', context, { detail, again: 'often' });
  return fail('unreachable', context, { detail, again: patience(context) });
}

function patience(context: JudgeContext): Again {
  return context.isOutage ? 'never' : 'often';
}

interface Blame {
  readonly detail: string;
  readonly again: Again;
  readonly status?: number;
  readonly messageIds?: readonly string[];
}

function fail(code: BmcError['code'], context: JudgeContext, blame: Blame): Outcome {
  const { origin, method, path, deadlineMs } = context;
  const { detail, again, status, messageIds } = blame;
  const fields = { origin, method, path, detail, ms: deadlineMs, status: status ?? '?' };
  return {
    error: new BmcError(code, fields, { ...(status === undefined ? {} : { status }), messageIds: messageIds ?? [] }),
    again,
  };
}

function notesOf(body: JsonObject | undefined, context: JudgeContext): ErrorNotes {
  if (body === undefined) return noNotes;
  const own = context.body === undefined ? [] : secretsIn(context.body);
  return readErrorNotes(body, [...own, ...context.secrets]);
}

function saysNothingDone(messageIds: readonly string[]): boolean {
  return messageIds.some((id) => nothingDone.has(keyOf(id)));
}

/** True when asking again later may help, for what may be asked again without harm. */
export function saysNotNow(messageIds: readonly string[]): boolean {
  return saysNothingDone(messageIds) || messageIds.some((id) => keyOf(id) === wrongState);
}

function keyOf(messageId: string): string {
  return messageId.slice(messageId.lastIndexOf('.') + 1);
}

/** As sent, less what compression adds: the same resource has the same tag whether it was packed or not. */
function etagOf(header: string | undefined): string | undefined {
  return header?.replace(/-+gzip"$/, '"');
}
