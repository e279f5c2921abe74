import { shownUrl } from '../../telemetry/index.ts';

/** A URL that is written back as it was shown means the one that is stored, with what is hidden in it. */
export function writtenUrl(given: string, stored: string): string {
  return given === shownUrl(stored) ? stored : given;
}
