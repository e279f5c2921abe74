import { isStoreError, type StoreError, type StoreErrorCode } from '../firmware-store/index.ts';
import { type ErrorEntry, type ErrorMore, TableError } from '../kube/index.ts';

/** Everything that a flasher refuses or cannot do by itself; of BMCs it is a BmcError, of images a StoreError. */
export const flasherErrors = {
  tooLarge: { retry: 'terminal', message: '{source} has more than {limit} bytes, which is the most that is taken' },
  badSource: { retry: 'terminal', message: 'the source {source} cannot be used: {detail}' },
  unknownServer: { retry: 'blocked', message: 'no BMC is known for {target}: give the server its BMC address first' },
  inventorySilent: {
    retry: 'transient',
    message: 'the inventory did not say within {minutes} minutes where the BMC of {target} is',
  },
  otherMachine: {
    retry: 'blocked',
    message:
      'the BMC at {origin} is in another machine than {target}, which has {known}: the machine there has {found}, and nothing is sent to it; give the server the address that its BMC has now, or, where its board was swapped, clear serial and system_uuid of its record, or wait until its BMC object was read again',
  },
  notSimulated: {
    retry: 'blocked',
    message:
      'the BMC at {origin} is not on this machine, and patience was cut down by --bmc-speed, which is for simulated BMCs here: a real server could be restarted while it is written; leave --bmc-speed out',
  },
  unknownSet: { retry: 'blocked', message: 'there is no firmware set {set}' },
  unreadable: { retry: 'transient', message: 'the server cannot be read well enough to plan: {detail}' },
  firmwareUnread: {
    retry: 'transient',
    message: 'the server was read, but not all of its firmware, whose old versions stay known until it is: {detail}',
  },
  notAtRest: { retry: 'transient', message: 'the power of the host at {origin} keeps changing' },
  overdue: { retry: 'terminal', message: '{step} was not over after {minutes} minutes: {detail}' },
  noProgress: { retry: 'terminal', message: '{step} was begun {count} times and gets nowhere' },
  badProgress: { retry: 'bug', message: 'the stored progress of condition {id} cannot be read: {detail}' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type FlasherErrorCode = keyof typeof flasherErrors;

/** What a flasher refused, with a code to decide on and a message to show. */
export class FlasherError extends TableError<FlasherErrorCode> {
  constructor(code: FlasherErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: flasherErrors, code, fields }, more);
  }
}

/** True for errors of this room, and of fetching images, with one of the codes, or with any when none is named. */
export function isFlasherError(
  error: unknown,
  ...codes: readonly (FlasherErrorCode | StoreErrorCode)[]
): error is FlasherError | StoreError {
  if (!(error instanceof FlasherError) && !isStoreError(error)) return false;
  return codes.length === 0 || codes.includes(error.code);
}
