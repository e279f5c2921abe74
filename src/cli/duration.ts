import { usageError } from './errors.ts';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `30s`, `1m30s`, `2h` or a bare number of seconds, and gives milliseconds. */
export function parseDurationMs(text: string, flag: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw usageError(`${flag} ${text}: not a duration; write it like 30s, 5m or 1h30m`);
  }
  let total = 0;
  for (const [, count, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(count) * (unitsMs[unit ?? 's'] ?? 0);
  }
  return total;
}
