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
  'FieldValueTooMany',
  'InternalError',
]);

/** The message without the field: `Invalid value: "x": must be ...`. */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.reason];
  const head = withoutValue.has(error.reason) ? title : `${title}: ${printBadValue(error.badValue)}`;
  return error.detail === '' ? head : `${head}: ${error.detail}`;
}

/** The whole message: `spec.name: Invalid value: "x": must be ...`. */
export function formatFieldError(error: FieldError): string {
  return error.field === '' ? `<nil>: ${fieldErrorBody(error)}` : `${error.field}: ${fieldErrorBody(error)}`;
}

function printBadValue(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
