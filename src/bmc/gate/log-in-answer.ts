import type { HttpAnswer } from '../http/exchange.ts';
import { readErrorNotes } from '../http/extended-info.ts';
import { type AnswerBounds, readAnswer } from '../http/read-answer.ts';
import type { JsonObject } from '../json.ts';
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

/** What a log-in is judged by. */
export interface LogInAbout extends AnswerBounds {
  readonly password: string;
  /** Where the session was asked for. */
  readonly path: string;
}

/** Judges the answer to a log-in. The password is kept out of what is said about it. */
export function judgeLogIn(answer: HttpAnswer, about: LogInAbout): LogInAnswer {
  const { status, headers } = answer;
  const { body } = readAnswer(answer, about);
  if (status >= 200 && status < 300) {
    const token = headers['x-auth-token'];
    const uri = sessionUri(headers.location, body, about.path);
    if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return { kind: 'session', token, uri };
    return { kind: 'odd', status, detail: 'a log-in that gave no token', messageIds: [] };
  }
  const notes = body === undefined ? { detail: '', messageIds: [] } : readErrorNotes(body, [about.password]);
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

/** Where a session is: by the Location, else by what the body says of itself. A session without a path cannot be ended. */
function sessionUri(location: string | undefined, body: JsonObject | undefined, path: string): string | undefined {
  const self = body?.['@odata.id'];
  const id = body?.Id;
  // A header that is not ASCII was guessed at when it was decoded; the body was not.
  const isPlain = location !== undefined && /^[\x20-\x7e]+$/.test(location);
  return (
    (isPlain ? (sessionPath(location) ?? besides(path, location)) : undefined) ??
    (typeof self === 'string' ? sessionPath(self) : undefined) ??
    (typeof id === 'string' && id !== '' ? `${path}/${encodeURIComponent(id.toWellFormed())}` : undefined)
  );
}

/** A bare name is that of a member of the collection. */
function besides(path: string, location: string): string | undefined {
  const name = location.trim().replace(/^\.\//, '');
  return /^[\w.~-]+$/.test(name) && !/^\.+$/.test(name) ? `${path}/${name}` : undefined;
}

/**
 * The path of a session, as it can be sent. BMCs behind address translation give URLs with a host that is not theirs,
 * and some leave out the first slash.
 */
export function sessionPath(uri: string | undefined): string | undefined {
  const path = uri
    ?.trim()
    .replace(/^(?:https?:)?\/\/[^/]*/i, '')
    .replace(/#.*$/, '')
    .replace(/^redfish\//i, '/$&');
  if (path === undefined || !/^\/(?!\/)/.test(path) || /\\|\p{Cc}/u.test(path)) return undefined;
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}
