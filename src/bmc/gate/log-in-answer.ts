import type { HttpAnswer } from '../http/exchange.ts';
import { readErrorNotes } from '../http/extended-info.ts';
import { type AnswerBounds, readAnswer } from '../http/read-answer.ts';
import { saysNotNow } from './judge.ts';

/** What a BMC made of a log-in. */
export type LogInAnswer =
  | { readonly kind: 'session'; readonly token: string; readonly uri: string | undefined }
  | { readonly kind: 'refused'; readonly isLocked: boolean }
  /** There are no sessions here: elsewhere, or not at all. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'exhausted'; readonly detail: string; readonly status: number }
  | { readonly kind: 'busy'; readonly detail: string; readonly status: number }
  | { readonly kind: 'odd'; readonly detail: string; readonly status: number; readonly messageIds: readonly string[] };

const lockedWords =
  /\block(?:ed)?[ -]?out\b|\baccount\b[^.]{0,40}\blocked\b|\blocked\b[^.]{0,40}\baccount\b|AccountLock|LockedOut/i;
const exhaustedWords =
  /SessionLimitExceeded|CreateLimitReachedForResource|RAC0218|MaxSessions?(?:Reached|Exceeded)|(?:maximum|limit)[^.]{0,40}\bsessions?\b|\bsessions?\b[^.]{0,40}(?:limit|maximum|exhausted)/i;
const refusedWords =
  /UnauthorizedLoginAttempt|LoginFail|InvalidCredentials|ResourceAtUriUnauthorized|authentication fail/i;

/** Judges the answer to a log-in. The password is kept out of what is said about it. */
export function judgeLogIn(answer: HttpAnswer, bounds: AnswerBounds & { readonly password: string }): LogInAnswer {
  const { status, headers } = answer;
  const { body } = readAnswer(answer, bounds);
  if (status >= 200 && status < 300) {
    const token = headers['x-auth-token'];
    const id = body?.['@odata.id'];
    const uri = sessionPath(headers.location ?? (typeof id === 'string' ? id : undefined));
    if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return { kind: 'session', token, uri };
    return { kind: 'odd', status, detail: 'a log-in that gave no token', messageIds: [] };
  }
  const notes = body === undefined ? { detail: '', messageIds: [] } : readErrorNotes(body, [bounds.password]);
  const said = `${notes.messageIds.join(' ')} ${notes.detail}`;
  const detail = `${status} ${notes.detail}`.trim();
  const isRefusal = status === 401 || status === 403 || (status === 400 && refusedWords.test(said));
  if (status === 423 || (status >= 400 && lockedWords.test(said))) return { kind: 'refused', isLocked: true };
  if (exhaustedWords.test(said)) return { kind: 'exhausted', detail, status };
  if (isRefusal) return { kind: 'refused', isLocked: false };
  if (status === 404 || status === 405 || status === 501) return { kind: 'elsewhere' };
  if (status === 429 || status === 408 || status >= 500 || saysNotNow(notes.messageIds))
    return { kind: 'busy', detail, status };
  return { kind: 'odd', status, detail, messageIds: notes.messageIds };
}

/** The path of a session; BMCs behind address translation give URLs with a host that is not theirs. */
export function sessionPath(uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined;
  const path = uri.replace(/^https?:\/\/[^/]*/i, '');
  return path.startsWith('/') && !/[\s\\]/.test(path) ? path : undefined;
}
