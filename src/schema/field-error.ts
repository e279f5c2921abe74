import { goJson, goNumber, goQuote } from './go-text.ts';
import type { Json } from './json.ts';

/** What kind of mistake a field holds; the reason a Kubernetes client sees in `status.details.causes`. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** One mistake in one field, in the words Kubernetes uses. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Path such as `spec.ports[0].mac`; `<nil>` is never used, the root is an empty string. */
  readonly field: string;
  /** The offending value; undefined where Kubernetes prints none (Required, Forbidden, TooLong...). */
  readonly badValue?: Json | undefined;
  /** The offending value as it is to be printed, where that is not plain JSON. */
  readonly badValueText?: string | undefined;
  readonly detail: string;
}

const titles: Record<FieldErrorReason, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

const withoutValue = new Set<FieldErrorReason>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
]);

/** The message without the field: `Invalid value: "x": must be ...`. */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.reason];
  const hasNoValue =
    withoutValue.has(error.reason) || (error.reason === 'FieldValueTooMany' && error.badValue === undefined);
  const head = hasNoValue ? title : `${title}: ${error.badValueText ?? printBadValue(error.badValue)}`;
  return error.detail === '' ? head : `${head}: ${error.detail}`;
}

/** The whole message: `spec.name: Invalid value: "x": must be ...`. */
export function formatFieldError(error: FieldError): string {
  return error.field === '' ? `<nil>: ${fieldErrorBody(error)}` : `${error.field}: ${fieldErrorBody(error)}`;
}

function printBadValue(value: Json | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
}

/** The field must be there. */
export function requiredError(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, detail };
}

/** The value is malformed or out of bounds. */
export function invalidError(field: string, badValue: Json | undefined, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, badValue, detail };
}

/** The value has the wrong type. */
export function typeError(field: string, badValue: Json | undefined, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, badValue, detail };
}

/** The value is well-formed, but not permitted here. */
export function forbiddenError(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, detail };
}

/** The value occurs twice where it may occur once. */
export function duplicateError(field: string, badValue: Json | undefined): FieldError {
  return { reason: 'FieldValueDuplicate', field, badValue, detail: '' };
}

/** The value is none of those the field knows. */
export function notSupportedError(field: string, badValue: Json | undefined, known: readonly string[]): FieldError {
  const detail = known.length === 0 ? '' : `supported values: ${known.map(goQuote).join(', ')}`;
  return { reason: 'FieldValueNotSupported', field, badValue, detail };
}

/** The text is longer than allowed. */
export function tooLongError(field: string, max: number): FieldError {
  const detail = max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', field, detail };
}

/** The list or map has more entries than allowed. */
export function tooManyError(field: string, actual: number, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field, badValue: actual < 0 ? undefined : actual, detail };
}

/** Something is the server's own fault. */
export function internalFieldError(field: string, detail: string): FieldError {
  return { reason: 'InternalError', field, detail };
}
