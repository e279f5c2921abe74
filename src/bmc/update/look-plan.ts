import { backoffDelay, type Random } from '../../kube/index.ts';
import type { UpdateProgress } from '../firmware-update.ts';

/** When an update is looked at. */
export interface LookTimes {
  /** The first and the least time between two looks. */
  readonly first: number;
  readonly most: number;
  /** By how much the time grows while nothing changes; 2 unless given. The smaller, the sooner an end is seen. */
  readonly factor?: number;
  /** It may be over at any percentage, as the check of an image that goes before the rest: percents promise nothing. */
  readonly isEndSudden?: boolean;
  /** How long BMCs like this one were away when they restarted, from the first look that found nobody; none known unless given. */
  readonly awayMs?: number | undefined;
}

/** Less than all of it: who comes a little early looks once more, who comes late has lost the time. */
const aimShare = 0.9;
/** A BMC that is away is looked for after this share of the time that it has been away. */
const awayShare = 1 / 4;
/** One that has just gone is not back in no time. */
const leastAway = 3;
/** Around the time when its like were back, it is looked for this often. */
const expectedShare = 1 / 20;

/**
 * Plans when to look at an update again. Where the BMC counts percents: shortly before the end that they promise. While
 * the BMC is away, and where the end comes suddenly: after a share of the time that has passed. While nothing changes:
 * ever later.
 */
export class LookPlan {
  readonly #times: LookTimes;
  readonly #random: Random;
  #key: string | undefined;
  #since = 0;
  #began: number | undefined;
  #looks = 0;
  #from: { readonly percent: number; readonly at: number } | undefined;
  #percent = -1;
  #endsAt: number | undefined;
  #awayMs: number | undefined;

  constructor(times: LookTimes, random: Random) {
    this.#times = times;
    this.#random = random;
  }

  /** Notes what a look showed; gives for how long it has been so. */
  note(progress: UpdateProgress, now: number): number {
    const key = keyOf(progress);
    this.#began ??= now;
    this.#looks += 1;
    if (this.#key !== key) {
      if (this.#key === 'unreachable') this.#awayMs = now - this.#since;
      this.#key = key;
      this.#since = now;
      this.#looks = 1;
    }
    this.#forecast(progress, now);
    return now - this.#since;
  }

  /** How long the BMC was away when it was last; undefined when it was not, or is not back. */
  get awayMs(): number | undefined {
    return this.#awayMs;
  }

  /** How long to wait for the next look. */
  next(now: number): number {
    const { first, most, factor = 2 } = this.#times;
    const aim = this.#aim(now);
    if (aim !== undefined) return Math.min(most, Math.max(first, aim)) * (1 - this.#random() / 8);
    return backoffDelay({ baseMs: first, maxMs: most, factor }, this.#looks, this.#random);
  }

  #aim(now: number): number | undefined {
    const { isEndSudden } = this.#times;
    if (this.#key === 'unreachable') return this.#aimAway(now - this.#since);
    if (isEndSudden === true) return (now - (this.#began ?? now)) * awayShare;
    if (this.#endsAt === undefined || this.#endsAt <= now) return undefined;
    return (this.#endsAt - now) * aimShare;
  }

  /** Shortly before its like were back, then often for a while; where none is known, ever later. */
  #aimAway(goneMs: number): number {
    const { first, awayMs } = this.#times;
    if (awayMs !== undefined) {
      const left = awayMs * aimShare - goneMs;
      if (left > 0) return left;
      if (goneMs < awayMs * 1.25) return awayMs * expectedShare;
    }
    return goneMs < first ? leastAway * first : goneMs * awayShare;
  }

  /** A percentage that stands, falls back or is not there promises nothing. */
  #forecast(progress: UpdateProgress, now: number): void {
    const percent = progress.kind === 'running' && progress.isQueued !== true ? progress.percent : undefined;
    if (percent === undefined || percent < this.#percent) this.#from = undefined;
    const hasMoved = percent !== undefined && percent > this.#percent;
    this.#percent = percent ?? -1;
    if (percent !== undefined) this.#from ??= { percent, at: now };
    const from = this.#from;
    if (percent === undefined || from === undefined || !hasMoved || percent === from.percent || percent >= 100) {
      this.#endsAt = undefined;
      return;
    }
    // Percents are rounded down: it may be almost one further than it says.
    this.#endsAt = now + ((99 - percent) * (now - from.at)) / (percent + 1 - from.percent);
  }
}

function keyOf(progress: UpdateProgress): string {
  if (progress.kind !== 'running') return progress.kind;
  return `${progress.isQueued === true ? 'queued' : 'running'} ${progress.percent ?? ''}`;
}
