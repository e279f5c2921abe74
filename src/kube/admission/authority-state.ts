import { readCertificate } from '../certificates.ts';
import { bundleCertificates, type CertifiedKey } from '../pem.ts';

/** The authorities of an admission server through a rotation. Holds private keys: a secret. */
export interface AuthorityState {
  /** Signs serving certificates now. */
  readonly current: CertifiedKey;
  /** Will sign them once everyone who checks has been told about it. */
  readonly next?: { readonly authority: CertifiedKey; readonly publishedAt?: number | undefined } | undefined;
  /** Do not sign any more, but what they signed may still be served for a while. */
  readonly retired: readonly { readonly certificatePem: string; readonly until: number }[];
}

/** How long things last, in milliseconds. */
export interface RotationPolicy {
  readonly authorityMs: number;
  /** A new authority is made when the current one has less than this left. */
  readonly rotateBeforeMs: number;
  /** How long after its publication a new authority begins to sign. */
  readonly settleMs: number;
  /** How long a replaced authority is still trusted. */
  readonly retireMs: number;
  readonly servingMs: number;
}

const dayMs = 86_400_000;

/** A year per authority, a month per serving certificate, a day of overlap. */
export const defaultRotationPolicy: RotationPolicy = {
  authorityMs: 365 * dayMs,
  rotateBeforeMs: 120 * dayMs,
  settleMs: 5 * 60_000,
  retireMs: dayMs,
  servingMs: 30 * dayMs,
};

/** What is due. */
export type RotationStep = 'none' | 'makeNext' | 'promote' | 'forgetRetired';

/** What to do with a state now. */
export function dueStep(state: AuthorityState, now: number, policy: RotationPolicy): RotationStep {
  if (state.retired.some((old) => old.until <= now)) return 'forgetRetired';
  const endsAt = readCertificate(state.current.certificatePem).notAfter.getTime();
  if (state.next === undefined) return endsAt - now < policy.rotateBeforeMs ? 'makeNext' : 'none';
  if (state.next.publishedAt === undefined) return 'none';
  // An authority that has ended protects nobody: waiting would only keep the server unreachable.
  const settleMs = endsAt <= now ? 0 : policy.settleMs;
  return now >= state.next.publishedAt + settleMs ? 'promote' : 'none';
}

/** The state after its next authority began to sign. */
export function promote(state: AuthorityState, now: number, policy: RotationPolicy): AuthorityState {
  if (state.next === undefined) return state;
  const { certificatePem } = state.current;
  return {
    current: state.next.authority,
    retired: [...state.retired, { certificatePem, until: now + policy.retireMs }],
  };
}

/** The state without authorities that nobody serves any more. */
export function forgetRetired(state: AuthorityState, now: number): AuthorityState {
  return { ...state, retired: state.retired.filter((old) => old.until > now) };
}

/** Everything that callers have to trust at this moment. */
export function bundleOf(state: AuthorityState): string {
  const next = state.next === undefined ? [] : [state.next.authority.certificatePem];
  return bundleCertificates([state.current.certificatePem, ...next, ...state.retired.map((old) => old.certificatePem)]);
}
