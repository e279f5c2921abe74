import { defaultInstallSettings, type InstallSettings } from '../../src/flasher/index.ts';

/** What an update of a BMC takes on the market, from the image to the new version; the default settings are made for it. */
const usualFlashMs = 10 * 60_000;
const leastMs = 100;

/**
 * The settings that ship, save for the shortest waits, which are shortened as the flash is: what is a moment beside ten
 * minutes is long beside twenty seconds.
 */
export function settingsFor(flashMs: number): Partial<InstallSettings> {
  const share = Math.min(1, Math.max(flashMs, 1) / usualFlashMs);
  const scaled = (ms: number): number => Math.max(leastMs, Math.round(ms * share));
  const { poll, verify, retry } = defaultInstallSettings;
  return {
    poll: { ...poll, first: scaled(poll.first) },
    verify: { ...verify, poll: { ...verify.poll, first: scaled(verify.poll.first) } },
    retry: { baseMs: scaled(retry.baseMs), maxMs: scaled(retry.maxMs) },
  };
}
