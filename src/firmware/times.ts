import { durationMs } from '../kube/index.ts';

export { durationMs, growingWaitMs, momentOf, textOfMoment } from '../kube/index.ts';

/** No threshold or interval is longer: ten years. */
export const longestPauseMs = 10 * 365 * 24 * 3_600_000;

/** A threshold or interval that can be lived with, whatever is written: a moment that is too far off is none. */
export function pauseMs(
  text: string | undefined,
  { leastMs, defaultMs }: { readonly leastMs: number; readonly defaultMs: number },
): number {
  return Math.min(longestPauseMs, Math.max(leastMs, durationMs(text) ?? defaultMs));
}
