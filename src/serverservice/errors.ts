import type { JsonObject } from '../engine/index.ts';
import { type ErrorMore, type HttpErrorEntry, HttpTableError, isErrorOf } from '../kube/index.ts';

/** Everything the inventory refuses or cannot do. `status` is the HTTP answer. */
export const inventoryErrors = {
  notFound: { status: 404, retry: 'terminal', message: 'there is no {what} {id}' },
  badValue: { status: 400, retry: 'terminal', message: 'the {what} cannot be taken: {problems}' },
  badFilter: { status: 400, retry: 'terminal', message: 'the filter {name} cannot be used: {problems}' },
  duplicate: { status: 409, retry: 'terminal', message: 'there is a {what} with the same {fields} already: {holder}' },
  duplicateMachine: {
    status: 409,
    retry: 'blocked',
    message: 'DuplicateMachine: {names}; use that machine, or take the name from it first',
  },
  checksumChanged: {
    status: 409,
    retry: 'blocked',
    message: 'firmware is in the catalogue with another checksum, and nothing was changed: {problems}',
  },
  inUse: { status: 409, retry: 'blocked', message: '{what} {id} cannot be deleted: {detail}' },
  busy: { status: 409, retry: 'blocked', message: 'server {id} cannot be changed so: {detail}' },
  builtin: { status: 409, retry: 'terminal', message: '{what} {id} is built in and stays as it is' },
  readOnly: {
    status: 409,
    retry: 'terminal',
    message: 'attributes in {namespace} show conditions; change them through /api/v1/servers/{server}/condition',
  },
  noKeys: {
    status: 503,
    retry: 'blocked',
    message:
      'credentials, and log-ins in URLs of images, cannot be kept: the service was started without a key file; name one with --credential-keys',
  },
  keyFile: { status: 500, retry: 'terminal', message: 'the key file {file} cannot be used: {detail}' },
  unreadable: { status: 500, retry: 'terminal', message: 'the stored credential of {where} cannot be read: {detail}' },
} as const satisfies Record<string, HttpErrorEntry>;

/** A key of the error table. */
export type InventoryErrorCode = keyof typeof inventoryErrors;

/** What goes with an error besides its message. */
export interface InventoryErrorMore extends ErrorMore {
  /** What is there now, where somebody lost against it. */
  readonly record?: JsonObject;
}

/** What the inventory refused, with a code to decide on and a message to show. */
export class InventoryError extends HttpTableError<InventoryErrorCode> {
  /** What is there now, where somebody lost against it. */
  readonly record?: JsonObject;

  constructor(
    code: InventoryErrorCode,
    fields: Readonly<Record<string, string | number>>,
    more: InventoryErrorMore = {},
  ) {
    super({ table: inventoryErrors, code, fields }, more);
    if (more.record !== undefined) this.record = more.record;
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isInventoryError(error: unknown, ...codes: readonly InventoryErrorCode[]): error is InventoryError {
  return isErrorOf(InventoryError, error, codes);
}
