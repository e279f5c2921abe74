import type { GateSettings } from './settings.ts';

/** How fast a BMC is asked: slower at once when it cannot keep up, faster little by little. */
export interface Pace {
  readonly spacingMs: number;
  /** Nothing is sent before this time on the monotonic clock. */
  readonly pausedUntilMs: number;
  /** How long the next request has to wait. */
  waitMs(nowMs: number): number;
  /** A request leaves. */
  note(nowMs: number): void;
  /** The BMC was busy, or too slow; it may have said for how long. */
  slowDown(nowMs: number, retryAfterMs: number | undefined): void;
  speedUp(): void;
}

/** What a good answer takes off the spacing: less than a refusal adds, so that one in three is still too many. */
const speedUpShare = 1 / 4;

type PaceSettings = Pick<GateSettings, 'firstSpacingMs' | 'maxSpacingMs' | 'spacingStepMs' | 'maxRetryAfterMs'>;

/** Makes a pace without spacing. */
export function createPace(settings: PaceSettings): Pace {
  let spacingMs = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = 0;
  return {
    get spacingMs() {
      return spacingMs;
    },
    get pausedUntilMs() {
      return pausedUntilMs;
    },
    waitMs: (nowMs) => Math.max(0, pausedUntilMs - nowMs, spacingMs === 0 ? 0 : lastMs + spacingMs - nowMs),
    note(nowMs) {
      lastMs = nowMs;
    },
    slowDown(nowMs, retryAfterMs) {
      spacingMs = Math.min(settings.maxSpacingMs, Math.max(settings.firstSpacingMs, spacingMs * 2));
      const pauseMs = Math.min(settings.maxRetryAfterMs, retryAfterMs ?? 0);
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + pauseMs);
    },
    speedUp() {
      // By a share, too: one that is busy now and then would be asked every ten seconds for the rest of its days.
      spacingMs = Math.max(0, spacingMs - Math.max(settings.spacingStepMs, spacingMs * speedUpShare));
    },
  };
}

/** Milliseconds that a Retry-After asks for: seconds, or a date by our clock. Undefined when it says nothing. */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
