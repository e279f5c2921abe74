import { BmcError, isBmcError } from '../errors.ts';
import { bounded } from './bounded.ts';
import type { BmcEndpoint, LeaseCheck, LeasePurpose } from './gate.ts';
import type { Credentials, Shared } from './shared.ts';

/** On whose behalf something is sent. */
export interface Caller {
  readonly endpoint: BmcEndpoint;
  readonly checkLease: LeaseCheck | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Where it is sent, and what it takes to get there. */
export interface CallerContext {
  readonly origin: string;
  readonly shared: Shared;
}

/** What a lease is looked at for: a log-in changes nothing, and so fences nobody. */
export interface LeaseContext extends CallerContext {
  readonly fenceMs?: number;
}

/** Asks the caller whether it still holds its lease. Throws `leaseLost` when not, or when it cannot tell in time. */
export async function checkCallerLease(caller: Caller, purpose: LeasePurpose, context: LeaseContext): Promise<void> {
  const { checkLease } = caller;
  if (checkLease === undefined) return;
  const { origin, fenceMs = 0 } = context;
  const lost = (detail: string): BmcError => new BmcError('leaseLost', { origin, detail });
  try {
    await within(caller, context, {
      promise: checkLease(purpose, origin, { fenceMs }),
      late: () => lost('it could not be confirmed in time'),
    });
  } catch (error) {
    if (isBmcError(error)) throw error;
    throw new BmcError(
      'leaseLost',
      { origin, detail: error instanceof Error ? error.message : 'no reason given' },
      { cause: error },
    );
  }
}

/** Asks for the credentials, anew each time. */
export async function askCredentials(caller: Caller, context: CallerContext): Promise<Credentials> {
  const unusable = (detail: string): BmcError =>
    new BmcError('blocked', { origin: context.origin, what: 'be logged in to', detail });
  const late = (): BmcError => unusable('the credentials could not be read in time');
  let credentials: Credentials;
  try {
    credentials = await within(caller, context, { promise: caller.endpoint.credentials(), late });
  } catch (error) {
    if (isBmcError(error)) throw error;
    throw unusable(`the credentials cannot be read: ${error instanceof Error ? error.message : 'no reason given'}`);
  }
  if (
    typeof credentials.username !== 'string' ||
    typeof credentials.password !== 'string' ||
    credentials.username === ''
  ) {
    throw unusable('the credentials have no user name or no password');
  }
  return credentials;
}

function within<T>(
  caller: Caller,
  { origin, shared }: CallerContext,
  wait: { readonly promise: Promise<T>; readonly late: () => BmcError },
): Promise<T> {
  return bounded(wait.promise, {
    clock: shared.clock,
    withinMs: shared.settings.deadlineMs,
    signal: caller.signal,
    late: wait.late,
    aborted: () => new BmcError('cancelled', { origin }),
  });
}
