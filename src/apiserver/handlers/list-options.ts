import { type FieldError, forbiddenError, notSupportedError } from '../../schema/index.ts';
import { badRequest, invalidOptions } from '../status.ts';

const match = 'resourceVersionMatch';

/** A whole number of a query, as Go reads it; 0 when there is none. */
export function readInteger(text: string | null): number {
  if (text === null) return 0;
  const isNumber = /^[+-]?\d+$/.test(text);
  if (isNumber && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return Number(text);
  const why = isNumber ? 'value out of range' : 'invalid syntax';
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

/** Throws 400 for a number that is none. */
export function checkIntegers(query: URLSearchParams): void {
  for (const name of ['timeoutSeconds', 'limit']) readInteger(query.get(name));
}

/** Throws 422, naming everything that is wrong with the options of a list or of a deletion by list. */
export function checkListOptions(query: URLSearchParams): void {
  const errors = [...listMatchErrors(query)];
  if (query.has('sendInitialEvents')) {
    errors.push(forbiddenError('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', ...errors);
}

function listMatchErrors(query: URLSearchParams): FieldError[] {
  const given = query.get(match) ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (given === '') return [];
  const errors: FieldError[] = [];
  if (version === '') errors.push(forbiddenError(match, `${match} is forbidden unless resourceVersion is provided`));
  if ((query.get('continue') ?? '') !== '') {
    errors.push(forbiddenError(match, `${match} is forbidden when continue is provided`));
  }
  if (given !== 'Exact' && given !== 'NotOlderThan') {
    errors.push(notSupportedError(match, given, ['Exact', 'NotOlderThan', '']));
  }
  if (given === 'Exact' && version === '0') {
    errors.push(forbiddenError(match, `${match} "exact" is forbidden for resourceVersion "0"`));
  }
  return errors;
}

/** Throws 422, naming everything that is wrong with the options of a watch. */
export function checkWatchOptions(query: URLSearchParams): void {
  checkIntegers(query);
  const given = query.get(match) ?? '';
  const errors: FieldError[] = [];
  if (query.has('sendInitialEvents') && given !== 'NotOlderThan') {
    errors.push(forbiddenError(match, `sendInitialEvents requires setting ${match} to NotOlderThan`));
  }
  if (given !== '' && !query.has('sendInitialEvents')) {
    errors.push(forbiddenError(match, `${match} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (given !== '' && given !== 'NotOlderThan') errors.push(notSupportedError(match, given, ['NotOlderThan']));
  if ((query.get('continue') ?? '') !== '') {
    errors.push(forbiddenError(match, `${match} is forbidden when continue is provided`));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', ...errors);
}
