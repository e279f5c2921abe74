import { type ErrorEntry, type ErrorMore, isErrorOf, TableError } from '../kube/index.ts';

/** Everything for which a catalogue is refused or cannot be had. Nothing of a refused catalogue is used. */
export const catalogErrors = {
  badQuery: { retry: 'terminal', message: 'the catalogue cannot be asked so: {detail}' },
  badSource: { retry: 'terminal', message: 'the catalogue {source} cannot be used: {detail}' },
  sourceRefused: { retry: 'terminal', message: 'the catalogue {source} was refused: {detail}' },
  sourceFailed: { retry: 'transient', message: 'the catalogue {source} could not be read: {detail}' },
  tooLarge: {
    retry: 'terminal',
    message: 'the catalogue {source} has more than {limit}, which is the most that is taken',
  },
  truncated: { retry: 'transient', message: 'the catalogue {source} ends too early: {detail}; fetch it again' },
  malformed: { retry: 'terminal', message: 'the catalogue {source} is not in the format {format}: {detail}' },
  hostile: { retry: 'terminal', message: 'the catalogue {source} is refused: {detail}' },
  badEntry: { retry: 'terminal', message: 'the catalogue {source} is refused for its entry {entry}: {detail}' },
  aborted: { retry: 'transient', message: 'reading the catalogue {source} was given up: {detail}' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type CatalogErrorCode = keyof typeof catalogErrors;

/** Why a catalogue was refused, with a code to decide on and a message to show. */
export class CatalogError extends TableError<CatalogErrorCode> {
  constructor(code: CatalogErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: catalogErrors, code, fields: shown(fields) }, more);
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isCatalogError(error: unknown, ...codes: readonly CatalogErrorCode[]): error is CatalogError {
  return isErrorOf(CatalogError, error, codes);
}

/** Catalogues are strangers' texts: what is shown of them is short and on one line. */
function shown(fields: Readonly<Record<string, string | number>>): Record<string, string> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const text = String(value).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
    return [name, text.length > 300 ? `${text.slice(0, 300)}...` : text] as const;
  });
  return Object.fromEntries(entries);
}
