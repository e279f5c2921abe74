import {
  type FieldError,
  forbiddenError,
  invalidError,
  type JsonObject,
  notSupportedError,
  requiredError,
  tooLongError,
} from '../../schema/index.ts';
import { isTrue } from '../http/request-info.ts';
import type { RequestContext } from '../request-context.ts';
import { invalidOptions } from '../status.ts';

/** How strictly unknown and duplicate fields are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The query parameters of a create, update or patch. */
export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly hasFieldManager: boolean;
  readonly fieldValidation: FieldValidation;
  /** True when the client chose it; webhooks are shown only what the client chose. */
  readonly hasFieldValidation?: boolean;
  readonly force: boolean;
}

/** What asks for options: a patch is one that applies or one that does not. */
export type WriteForm = 'CreateOptions' | 'UpdateOptions' | 'apply' | 'patch';

/** Reads and checks the query parameters of a write; throws 422 with everything that is wrong with them. */
export function readWriteOptions(context: RequestContext, form: WriteForm): WriteOptions {
  const { query } = context.info;
  const kind = form === 'apply' || form === 'patch' ? 'PatchOptions' : form;
  const manager = query.get('fieldManager') ?? '';
  const force = query.has('force') && isTrue(query.get('force'));
  const dryRuns = query.getAll('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [
    ...formErrors(form, { manager, force }),
    ...managerErrors(manager),
    ...dryRunErrors(dryRuns),
    ...fieldValidationErrors(fieldValidation),
  ];
  if (errors.length > 0) throw invalidOptions(kind, ...errors);
  context.asked.isDryRun = dryRuns.length > 0;
  return {
    kind,
    dryRun: dryRuns.length > 0,
    fieldManager: manager === '' ? managerOfAgent(context.request.headers['user-agent'] ?? '') : manager,
    hasFieldManager: manager !== '',
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : 'Warn',
    hasFieldValidation: fieldValidation !== '',
    force,
  };
}

/** What an apply must say, and nothing else may. */
function formErrors(form: WriteForm, { manager, force }: { manager: string; force: boolean }): FieldError[] {
  if (form === 'apply' && manager === '') return [requiredError('fieldManager', 'is required for apply patch')];
  return form === 'patch' && force ? [forbiddenError('force', 'may not be specified for non-apply patch')] : [];
}

/** What is wrong with `dryRun`: anything but `All`. */
export function dryRunErrors(values: string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  const detail = 'supported values: "All"';
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', badValue: values, detail }];
}

function isFieldValidation(value: string): value is FieldValidation {
  return value === 'Ignore' || value === 'Warn' || value === 'Strict';
}

function fieldValidationErrors(value: string): FieldError[] {
  if (value === '' || isFieldValidation(value)) return [];
  return [notSupportedError('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn'])];
}

/** What Go calls printable: letters, marks, numbers, punctuation, symbols and the plain space. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** The longest name a field manager may have, in bytes of UTF-8. */
const maxManagerBytes = 128;

/** The field manager of a client that names none: its user agent up to the first slash, as far as it is printable. */
function managerOfAgent(header: string): string {
  const agent = Buffer.from(header, 'latin1').toString('utf8'); // Node reads each byte of a header as a character
  let name = '';
  let bytes = 0;
  for (const character of agent.split('/', 1)[0] ?? '') {
    if (!printable.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > maxManagerBytes) break;
    name += character;
  }
  return name;
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] =
    Buffer.byteLength(manager) > maxManagerBytes ? [tooLongError('fieldManager', maxManagerBytes)] : [];
  let at = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidError('fieldManager', manager, `invalid character U+${point} (at position ${at})`));
    }
    at += Buffer.byteLength(character);
  }
  return errors;
}

/** The options as an admission webhook sees them: of what happens to the object, whichever way it was asked for. */
export function optionsObject(options: WriteOptions, kind: 'CreateOptions' | 'UpdateOptions'): JsonObject {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(options.hasFieldManager ? { fieldManager: options.fieldManager } : {}),
    ...(options.hasFieldValidation === true ? { fieldValidation: options.fieldValidation } : {}),
  };
}
