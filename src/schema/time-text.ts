import { goQuote } from './go-text.ts';

// How Go's time package and go-openapi read dates and durations.

/** True for a calendar date such as `2024-02-29`. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const timeOfDay = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;

/** True for an RFC 3339 time; no leap seconds, as in Kubernetes. */
export function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = timeOfDay.exec(time);
  if (match === null) return false;
  return (match[1] ?? '') <= '23' && (match[2] ?? '') <= '59' && (match[3] ?? '') <= '59';
}

const goUnits: Record<string, number> = {
  ns: 1,
  us: 1e3,
  '\u00b5s': 1e3,
  '\u03bcs': 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

/** Nanoseconds of a Go duration such as `1h30m`, or undefined when Go refuses it. */
export function parseGoDuration(text: string): number | undefined {
  const isNegative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0;
  if (!/^(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[^0-9.]+)+$/u.test(body)) return undefined;
  let total = 0;
  for (const [, amount, unit] of body.matchAll(/([0-9.]+)([^0-9.]+)/gu)) {
    const factor = goUnits[unit ?? ''];
    if (factor === undefined) return undefined;
    total += Number(amount) * factor;
  }
  if (total >= 2 ** 63) return undefined;
  return isNegative ? -total : total;
}

const scalaUnits = /^(?:ns|nano.*|us|\u00b5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** True for a Go duration, or for anything with a number and a unit word in it such as `3 days`. */
export function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  let isKnown = false;
  // Looking back keeps a long row of digits from being tried again from each of them.
  for (const [, amount = '', unit] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    const digits = amount.replace(/^0+/, '');
    if (digits.length > 19 || BigInt(digits) >= 2n ** 63n) return false;
    isKnown ||= scalaUnits.test(unit ?? '');
  }
  return isKnown;
}

const rfc3339 = '2006-01-02T15:04:05Z07:00';
const rfc3339Micro = '2006-01-02T15:04:05.000000Z07:00';
const rfc3339Parts: readonly {
  readonly layout: string;
  readonly digits?: number;
  readonly range?: readonly [number, number, string];
}[] = [
  { layout: '2006', digits: 4 },
  { layout: '-' },
  { layout: '01', digits: 2, range: [1, 12, 'month'] },
  { layout: '-' },
  { layout: '02', digits: 2, range: [1, 31, 'day'] },
  { layout: 'T' },
  { layout: '15', digits: 2, range: [0, 23, 'hour'] },
  { layout: ':' },
  { layout: '04', digits: 2, range: [0, 59, 'minute'] },
  { layout: ':' },
  { layout: '05', digits: 2, range: [0, 59, 'second'] },
];

/**
 * Why Go's time.Parse refuses an RFC 3339 time, in its words; undefined when it does not. The times of leases must
 * have microseconds.
 */
export function timeFault(text: string, options: { needsMicroseconds: boolean }): string | undefined {
  let rest = text;
  const whole = options.needsMicroseconds ? rfc3339Micro : rfc3339;
  const fault = (layout: string) =>
    `parsing time ${goQuote(text)} as ${goQuote(whole)}: cannot parse ${goQuote(rest)} as ${goQuote(layout)}`;
  for (const { layout, digits, range } of rfc3339Parts) {
    const taken = digits === undefined ? layout.length : digits;
    const part = rest.slice(0, taken);
    if (digits === undefined ? part !== layout : !new RegExp(`^\\d{${digits}}$`).test(part)) return fault(layout);
    if (range !== undefined && (Number(part) < range[0] || Number(part) > range[1])) {
      return `parsing time ${goQuote(text)}: ${range[2]} out of range`;
    }
    rest = rest.slice(taken);
  }
  if (options.needsMicroseconds && !/^[.,]\d{6}/.test(rest)) return fault('.000000');
  rest = rest.replace(/^[.,]\d+/, '');
  const zone = /^(?:Z|[+-]\d{2}:\d{2})/.exec(rest)?.[0];
  if (zone === undefined) return fault('Z07:00');
  if (rest !== zone) return `parsing time ${goQuote(text)}: extra text: ${goQuote(rest.slice(zone.length))}`;
  return isDate(text.slice(0, 10)) ? undefined : `parsing time ${goQuote(text)}: day out of range`;
}
