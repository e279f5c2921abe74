import { CelError } from './errors.ts';
import { parseDuration, parseTimestamp, secondsOfDate } from './time.ts';
import { CelDuration, CelTimestamp } from './values.ts';

const hour = 3_600_000_000_000n;

/** The unit names that the schema format `duration` knows beyond Go's own; the last of each row is a prefix. */
const unitVariants: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [hour, ['h', 'hr', 'hour']],
  [24n * hour, ['d', 'day']],
  [168n * hour, ['w', 'wk', 'week']],
];

/** Reads a string of schema format `duration`: `90m`, but also `3 days` and `1 week`. */
export function parseStrfmtDuration(text: string): CelDuration {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, count = '0', name = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = name.toLowerCase();
    for (const [size, variants] of unitVariants) {
      const isMatch = variants.some(
        (variant, i) => unit === variant || (i === variants.length - 1 && unit.startsWith(variant)),
      );
      if (isMatch) total = (total ?? 0n) + BigInt(count) * size;
    }
  }
  if (total === undefined) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  return new CelDuration(total);
}

/** Reads a string of schema format `date`. */
export function parseFullDate(text: string): CelTimestamp {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const seconds = match === null ? undefined : secondsOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
  if (seconds === undefined) throw new CelError(`Invalid date formatted string ${text}`);
  return new CelTimestamp(seconds, 0);
}

/** Reads a string of schema format `date-time`; without a zone it is UTC, and an empty one is 1970. */
export function parseStrfmtDateTime(text: string): CelTimestamp {
  if (text === '') return new CelTimestamp(0, 0);
  const timestamp = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (timestamp === undefined) throw new CelError(`Invalid date-time formatted string ${text}`);
  return timestamp;
}
