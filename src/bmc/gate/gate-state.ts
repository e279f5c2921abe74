import type { Clock } from '../../kube/index.ts';
import type { Breaker } from './breaker.ts';
import type { GateState } from './gate.ts';
import type { Pace } from './pace.ts';

/** What a gate is described from. */
export interface GateParts extends Pick<GateState, 'origin' | 'hasSession' | 'waiting' | 'requests'> {
  readonly clock: Clock;
  readonly breaker: Breaker;
  readonly pace: Pace;
}

/** What a gate knows of its BMC, for status and console. */
export function describeGate(parts: GateParts): GateState {
  const { clock, breaker, pace, origin, hasSession, waiting, requests } = parts;
  const nowMs = clock.monotonic();
  const base = { origin, hasSession, waiting, requests, spacingMs: pace.spacingMs };
  const wallTime = (untilMs: number): number => clock.now() + (untilMs - nowMs);
  const held = breaker.shown(nowMs);
  if (held?.kind === 'stopped') {
    const reason =
      held.why === 'lockedOut'
        ? `the account of ${held.username} is locked`
        : `the credentials of ${held.username} were refused`;
    return { ...base, mode: 'stopped', reason, until: wallTime(held.untilMs) };
  }
  if (held?.kind === 'rest') {
    return {
      ...base,
      mode: 'paused',
      reason: 'log-ins were refused; the next one waits',
      until: wallTime(held.untilMs),
    };
  }
  if (nowMs < pace.pausedUntilMs) {
    return { ...base, mode: 'paused', reason: 'the BMC is busy', until: wallTime(pace.pausedUntilMs) };
  }
  return { ...base, mode: 'open', reason: '', until: undefined };
}
