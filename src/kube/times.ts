import type { Instant } from './controller/decision.ts';

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a length of time as Go writes it (`1h30m`); undefined for what is none. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count, , unit] of text.matchAll(/(\d+(\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(count) * (unitsMs[unit ?? ''] ?? 0);
  }
  return total;
}

/** The moment of a status; undefined for none, and for what is no moment: that happened at no time we know. */
export function momentOf(text: string | undefined): Instant | undefined {
  const parsed = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** A moment as objects carry it: RFC 3339, whole seconds. */
export function textOfMoment(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Waits that double from one to the other with every failure. */
export function growingWaitMs(failures: number, limits: { readonly fromMs: number; readonly toMs: number }): number {
  return Math.min(limits.toMs, limits.fromMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
}
