import { type BareMetalHostDiscoverySpec, defaultRateLimit } from '../../api/index.ts';

/** How many hosts may be created now, as it was at some moment. */
export interface Tokens {
  readonly left: number;
  readonly atMs: number;
}

type RateLimit = NonNullable<BareMetalHostDiscoverySpec['rateLimit']>;

/** Adds what has come in since; nobody has more than a burst. Pure. */
export function refill(given: RateLimit | undefined, tokens: Tokens | undefined, nowMs: number): Tokens {
  const limit: RateLimit = given ?? defaultRateLimit;
  const burst = limit.burst ?? limit.hostsPerMinute;
  if (tokens === undefined) return { left: burst, atMs: nowMs };
  const since = Math.max(0, nowMs - tokens.atMs);
  return { left: Math.min(burst, tokens.left + (since * limit.hostsPerMinute) / 60_000), atMs: nowMs };
}

/** How long it takes until one more host may be created. Pure. */
export function untilNextMs(given: RateLimit | undefined, { left }: Tokens): number {
  const limit: RateLimit = given ?? defaultRateLimit;
  if (left >= 1) return 0;
  return Math.ceil(((1 - left) * 60_000) / limit.hostsPerMinute);
}
