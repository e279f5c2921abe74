import type { Instant } from '../kube/index.ts';
import type { FirmwareSettings } from './settings.ts';
import { momentOf, textOfMoment } from './times.ts';

/**
 * Failures with a time to wait from. One that lies further in the future than the longest wait was told by a wrong clock: it
 * counts as of now, since neither waiting for that time nor not waiting at all would do.
 */
export function believableFailures<T extends { readonly lastFailureTime?: string }>(
  failures: T | undefined,
  { settings, now }: { readonly settings: Pick<FirmwareSettings, 'retryToMs'>; readonly now: Instant },
): T | undefined {
  const at = momentOf(failures?.lastFailureTime);
  if (failures === undefined || at === undefined || at <= now + settings.retryToMs) return failures;
  return { ...failures, lastFailureTime: textOfMoment(now) };
}
