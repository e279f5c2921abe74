import type { Random } from './clock.ts';

/** How delays grow after failures. */
export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Growth per failure; 2 unless given. */
  readonly factor?: number;
}

/**
 * The delay before try number `failures + 1`: exponential up to the maximum, of which a random half is taken away, so
 * that clients that failed together do not come back together.
 */
export function backoffDelay(options: BackoffOptions, failures: number, random: Random): number {
  if (failures <= 0) return 0;
  const grown = options.baseMs * (options.factor ?? 2) ** Math.min(failures - 1, 60);
  const ceiling = Math.min(options.maxMs, grown);
  return ceiling / 2 + (random() * ceiling) / 2;
}
