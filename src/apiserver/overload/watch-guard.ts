import type { WatchLimits } from './limits.ts';

/** Why a watch was ended: too much waited for its client, or the client took nothing for too long. */
export type CutOff = 'bytes' | 'stalled';

/** What the guard tells of itself. */
export interface WatchGuardListener {
  onCutOff(why: CutOff): void;
}

/** Keeps clients that do not read their watches from filling the memory. */
export class WatchGuard {
  readonly limits: Omit<WatchLimits, 'watchesPerClient'>;
  readonly #listener: WatchGuardListener;
  #historyBytes = 0;

  constructor(limits: Omit<WatchLimits, 'watchesPerClient'>, listener: WatchGuardListener) {
    this.limits = limits;
    this.#listener = listener;
  }

  /** Bytes of history that wait for clients now. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** False when so much more history would be more than may wait; who asks for it had better list anew. */
  hasRoomFor(bytes: number): boolean {
    return this.#historyBytes + bytes <= this.limits.historyBytes;
  }

  /** History that waits for a client from now on; negative: that waits no longer. */
  addHistory(bytes: number): void {
    this.#historyBytes += bytes;
  }

  cutOff(why: CutOff): void {
    this.#listener.onCutOff(why);
  }
}
