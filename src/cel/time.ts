import { CelDuration, CelTimestamp, int64Max } from './values.ts';

/** Nanoseconds in a second, and seconds in a day. */
export const nanosPerSecond = 1_000_000_000n;
const secondsPerDay = 86_400;

/** The first and last second that a timestamp can hold: the years 1 to 9999. */
export const minTimestampSeconds = -62_135_596_800;
export const maxTimestampSeconds = 253_402_300_799;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3_600n * nanosPerSecond,
};

/** The nanoseconds of a duration such as `1h30m` or `-1.5s`, or undefined when it is none. */
export function parseDuration(text: string): CelDuration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const body = text.slice(sign.length);
  if (body === '0') return new CelDuration(0n);
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)(?:\.(\d*))?([a-zµμ]+)/g)) {
    const size = units[unit] as bigint;
    total += BigInt(whole || '0') * size;
    if (fraction !== '') total += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  const limit = sign === '-' ? int64Max + 1n : int64Max;
  return total > limit ? undefined : new CelDuration(sign === '-' ? -total : total);
}

/** A duration in seconds, as CEL turns one into a string: `90s`, `0.5s`. */
export function formatDuration({ nanoseconds }: CelDuration): string {
  const isNegative = nanoseconds < 0n;
  const size = isNegative ? -nanoseconds : nanoseconds;
  const fraction = trimZeros(size % nanosPerSecond);
  return `${isNegative ? '-' : ''}${size / nanosPerSecond}${fraction}s`;
}

function trimZeros(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** The instant of an RFC 3339 time, or undefined when the text is none. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const zone = match[8] as string;
  const offset = zone === 'Z' ? 0 : offsetSeconds(zone);
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const midnight = secondsOfDate(year, month, day);
  if (midnight === undefined) return undefined;
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new CelTimestamp(midnight + hour * 3600 + minute * 60 + second - offset, nanos, offset);
}

/** Seconds since 1970 at the start of a day, or undefined for a day that does not exist. */
export function secondsOfDate(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / 1000 : undefined;
}

/** Seconds east of UTC of an offset such as `-08:00`. */
export function offsetSeconds(zone: string): number | undefined {
  const match = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (match === null) return undefined;
  const [hours, minutes] = [Number(match[2]), Number(match[3])];
  if (hours > 24 || minutes > 60) return undefined;
  return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** An instant in RFC 3339, in the zone it was written in. */
export function formatTimestamp({ seconds, nanos, offset }: CelTimestamp): string {
  const body = new Date((seconds + offset) * 1000).toISOString().slice(0, -5);
  return `${body}${trimZeros(BigInt(nanos))}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60;
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(minutes / 60)}:${pad(minutes % 60)}`;
}

/** The calendar fields of an instant in a time zone: an offset or an IANA name; undefined when there is no such zone. */
export interface CalendarFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
  readonly yearDay: number;
}

/** Splits an instant into calendar fields; months, days of month and year count from zero, weeks start on Sunday. */
export function calendarOf(timestamp: CelTimestamp, zone: string): CalendarFields | undefined {
  const shift = zoneShift(timestamp, zone);
  if (shift === undefined) return undefined;
  const local = new Date((timestamp.seconds + shift) * 1000);
  const newYear = secondsOfDate(local.getUTCFullYear(), 1, 1) as number;
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate() - 1,
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    weekday: local.getUTCDay(),
    yearDay: Math.floor((timestamp.seconds + shift - newYear) / secondsPerDay),
  };
}

function zoneShift(timestamp: CelTimestamp, zone: string): number | undefined {
  if (zone === 'UTC' || zone === '') return 0;
  if (zone.includes(':')) return offsetSeconds(zone);
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = formatter.formatToParts(timestamp.seconds * 1000).find((part) => part.type === 'timeZoneName')?.value;
    return name === 'GMT' ? 0 : offsetSeconds((name ?? '').replace('GMT', '').slice(0, 6));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
