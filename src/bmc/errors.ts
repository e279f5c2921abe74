import { type ErrorEntry, isErrorOf, TableError } from '../kube/index.ts';

export type { RetryClass } from '../kube/index.ts';

/** Everything that can be wrong between us and a BMC. */
export const bmcErrors = {
  unreachable: { retry: 'transient', message: 'the BMC at {origin} cannot be reached: {detail}' },
  timeout: { retry: 'transient', message: 'the BMC at {origin} did not answer {method} {path} within {ms} ms' },
  ambiguous: {
    retry: 'blocked',
    message:
      '{method} {path} was sent to the BMC at {origin}, and no answer says whether it was carried out ({detail}): look at the tasks, the inventory and the state of the resource before it is sent again',
  },
  busy: { retry: 'transient', message: 'the BMC at {origin} is busy: {detail}' },
  malformed: { retry: 'transient', message: 'the BMC at {origin} answered {method} {path} with {detail}' },
  refused: { retry: 'terminal', message: 'the BMC at {origin} refused {method} {path} with {status}: {detail}' },
  notFound: { retry: 'terminal', message: 'the BMC at {origin} has no {path}' },
  credentials: {
    retry: 'blocked',
    message:
      'the BMC at {origin} refused the credentials of user {username}; no further log-in is tried until they change, so that the account is not locked',
  },
  lockedOut: {
    retry: 'blocked',
    message:
      'the account of user {username} is locked on the BMC at {origin}; it is left alone for a while: unlock it there, or wait until the lock is over',
  },
  sessionsExhausted: {
    retry: 'transient',
    message:
      'the BMC at {origin} has no free session: {detail}; end sessions there that nobody uses, or wait until they time out',
  },
  certificate: {
    retry: 'blocked',
    message: 'the certificate of the BMC at {origin} is not trusted: {detail}',
  },
  otherBmc: {
    retry: 'blocked',
    message:
      'another BMC answers at {origin}: the UUID of its service root is {found} and not {known}, and no certificate says otherwise; nothing secret was sent to it. If the BMC was replaced, clear bmc_uuid of its server',
  },
  leaseLost: { retry: 'blocked', message: 'the lease for the BMC at {origin} is not held any more: {detail}' },
  unsupported: { retry: 'terminal', message: 'the BMC at {origin} cannot {what}: {detail}' },
  blocked: { retry: 'blocked', message: 'the BMC at {origin} cannot {what} now: {detail}' },
  badImage: { retry: 'terminal', message: 'the firmware image {path} is not what it should be: {detail}' },
  taskFailed: { retry: 'terminal', message: 'task {task} on the BMC at {origin} ended as {state}: {detail}' },
  deadline: { retry: 'transient', message: '{what} on the BMC at {origin} was not over after {ms} ms: {detail}' },
  badAddress: {
    retry: 'terminal',
    message:
      'the BMC address {address} cannot be used: {detail}; write it as https://10.0.0.7:8443, https://bmc7.example.com or redfish://[fd00::7]/redfish/v1/Systems/1',
  },
  cancelled: { retry: 'transient', message: 'the request to the BMC at {origin} was cancelled' },
  closed: { retry: 'bug', message: 'the gate to the BMC at {origin} is closed' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type BmcErrorCode = keyof typeof bmcErrors;

/** What went wrong with a BMC, with a code to decide on and a message to show. */
export class BmcError extends TableError<BmcErrorCode> {
  /** The HTTP status, where the BMC gave one. */
  readonly status: number | undefined;
  /** Message ids of the BMC's extended info (`IDRAC.2.8.SYS518`), for those who know the vendor. */
  readonly messageIds: readonly string[];

  constructor(
    code: BmcErrorCode,
    fields: Readonly<Record<string, string | number>>,
    more: { readonly status?: number; readonly messageIds?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super({ table: bmcErrors, code, fields }, more);
    this.status = more.status;
    this.messageIds = more.messageIds ?? [];
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isBmcError(error: unknown, ...codes: readonly BmcErrorCode[]): error is BmcError {
  return isErrorOf(BmcError, error, codes);
}
