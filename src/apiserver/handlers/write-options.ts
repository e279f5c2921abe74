import { invalidError, type JsonObject, notSupportedError, tooLongError } from '../../schema/index.ts';
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

/** Reads and checks the query parameters of a write. */
export function readWriteOptions(context: RequestContext, kind: WriteOptions['kind']): WriteOptions {
  const { query } = context.info;
  const given = query.get('fieldManager') ?? '';
  checkManager(kind, given);
  const dryRun = readDryRun(query.getAll('dryRun'), kind);
  context.asked.isDryRun = dryRun;
  return {
    kind,
    dryRun,
    fieldManager: given === '' ? managerOfAgent(context.request.headers['user-agent'] ?? '') : given,
    hasFieldManager: given !== '',
    fieldValidation: readFieldValidation(query.get('fieldValidation'), kind),
    hasFieldValidation: (query.get('fieldValidation') ?? '') !== '',
    force: query.has('force') && isTrue(query.get('force')),
  };
}

/** True for `dryRun=All`; any other value is refused. */
export function readDryRun(values: string[], kind: string): boolean {
  const given = values.filter((v) => v !== '');
  for (const value of given) {
    if (value !== 'All')
      throw invalidOptions(kind, {
        reason: 'FieldValueNotSupported',
        field: 'dryRun',
        badValue: [value],
        detail: 'supported values: "All"',
      });
  }
  return given.length > 0;
}

function readFieldValidation(value: string | null, kind: string): FieldValidation {
  if (value === null || value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  throw invalidOptions(kind, notSupportedError('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn']));
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

function checkManager(kind: string, manager: string): void {
  const errors = Buffer.byteLength(manager) > maxManagerBytes ? [tooLongError('fieldManager', maxManagerBytes)] : [];
  let at = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const point = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidError('fieldManager', manager, `invalid character U+${point} (at position ${at})`));
    }
    at += Buffer.byteLength(character);
  }
  if (errors.length > 0) throw invalidOptions(kind, ...errors);
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
