const unitNs: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const part = /([0-9]+)(?:\.([0-9]+))?(ns|us|µs|ms|s|m|h)/y;
const maxSeconds = 2 ** 31 - 1;
const nsPerSecond = 1_000_000_000n;

/** Nanoseconds of a duration as Go writes it (`1h30m`, `500ms`, `0`), or undefined when it is none. */
export function parseGoDuration(text: string): bigint | undefined {
  if (text === '0') return 0n;
  let total = 0n;
  let at = 0;
  while (at < text.length) {
    part.lastIndex = at;
    const found = part.exec(text);
    const unit = unitNs[found?.[3] ?? ''];
    if (found === null || unit === undefined) return undefined;
    const fraction = found[2] ?? '';
    total += BigInt(found[1] ?? '0') * unit;
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    at = part.lastIndex;
  }
  return text === '' ? undefined : total;
}

/** Whole seconds of a Go duration, cut to 32 bits as v1beta2 holds them; undefined when the text is no duration. */
export function goDurationToSeconds(text: string): number | undefined {
  const ns = parseGoDuration(text);
  return ns === undefined ? undefined : Math.min(Number(ns / nsPerSecond), maxSeconds);
}

/** Seconds as Go prints a duration: `90` is `1m30s`, `3600` is `1h0m0s`, `0` is `0s`. */
export function secondsToGoDuration(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h > 0) return `${h}h${m}m${s}s`;
  return m > 0 ? `${m}m${s}s` : `${s}s`;
}
