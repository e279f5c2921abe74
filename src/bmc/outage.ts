import { type BmcError, type BmcErrorCode, isBmcError } from './errors.ts';

/** What a BMC that restarts, updates itself or is overloaded gives instead of an answer. */
export const passingCodes: readonly BmcErrorCode[] = [
  'unreachable',
  'timeout',
  'busy',
  'malformed',
  'sessionsExhausted',
];

/**
 * True for errors that may pass without anybody doing something. A 401 to a fresh session is one of them: BMCs forget
 * sessions while they update themselves. Credentials that were refused are not.
 */
export function isPassing(error: unknown): error is BmcError {
  return isBmcError(error, ...passingCodes) || (isBmcError(error, 'refused') && error.status === 401);
}
