import type { PortAspect, PortState } from './port-settings.ts';

/** Why a switch did not do, or may not have done, what it was asked to. Messages never hold a secret. */
export type SwitchFailure =
  /** It cannot be reached, or did not answer in time to something that changes nothing. Trying again may help. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** It refused the credentials. Nothing helps but other ones. */
  | { readonly kind: 'denied'; readonly message: string }
  /** Its host key or certificate is not the one expected; no credentials were sent. */
  | { readonly kind: 'untrusted'; readonly message: string }
  /** It has no port of that name. */
  | { readonly kind: 'no-port'; readonly message: string }
  /** This kind of switch cannot do that by the way it is talked to; nothing was changed. */
  | { readonly kind: 'unsupported'; readonly aspects: readonly PortAspect[]; readonly message: string }
  /** It said no. What was asked for is as it was before, or partly changed: read it. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It was told, and nothing says whether it did it. Read the port before telling it again. */
  | { readonly kind: 'uncertain'; readonly message: string }
  /** It said yes, and reading back shows something else. */
  | { readonly kind: 'mismatch'; readonly seen: PortState; readonly message: string }
  /** The caller gave up, or the device was closed. */
  | { readonly kind: 'cancelled'; readonly message: string };

/** What one call came to; calls of this room never throw for what a switch does. */
export type SwitchResult<T> = { readonly kind: 'done'; readonly value: T } | SwitchFailure;

/** One result for each port that was asked for, by its name on the switch. */
export type PortResults<T> = ReadonlyMap<string, SwitchResult<T>>;

/** What trying again unchanged can come to. */
export const retryOf: Readonly<Record<SwitchFailure['kind'], 'transient' | 'blocked' | 'terminal'>> = {
  unreachable: 'transient',
  denied: 'blocked',
  untrusted: 'blocked',
  'no-port': 'blocked',
  unsupported: 'terminal',
  refused: 'transient',
  uncertain: 'transient',
  mismatch: 'transient',
  cancelled: 'transient',
};

/** A result that holds a value. */
export function done<T>(value: T): SwitchResult<T> {
  return { kind: 'done', value };
}

/** The same failure for every port. */
export function failedForAll<T>(ports: Iterable<string>, failure: SwitchFailure): PortResults<T> {
  return new Map([...ports].map((port) => [port, failure]));
}

/** What came out for one port of a batch. */
export function resultFor<T>(results: PortResults<T>, port: string): SwitchResult<T> {
  return results.get(port) ?? { kind: 'no-port', message: `the switch said nothing about port ${port}` };
}
