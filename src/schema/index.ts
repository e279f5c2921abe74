export { type FieldError, type FieldErrorReason, fieldErrorBody, formatFieldError } from './field-error.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export type { JsonSchema, ValidationRule } from './json-schema.ts';
