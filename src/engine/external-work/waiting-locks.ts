import type { Clock } from '../../kube/index.ts';
import type { Engine } from '../engine.ts';
import { externalWork } from './external-work-kind.ts';

/** Locks that their owners wait for. */
export interface WaitingLocks {
  /** Asks for a lock: meanwhile nobody takes it out of the line. */
  asking<T>(owner: string, ask: () => Promise<T>): Promise<T>;
  /** Takes those out of the line that nobody asks for any more. */
  leaveUnasked(): Promise<void>;
}

/** What they are watched with. */
export interface WaitingLocksOptions {
  readonly engine: Pick<Engine, 'cancel' | 'list'>;
  readonly watcher: string;
  readonly clock: Clock;
}

/** Who waits asks every few seconds; after so long it was paused, or cannot be asked about. */
const unaskedMs = 300_000;

/**
 * Watches locks that are waited for: nothing has begun under them, and at the head of the line one that nobody comes for
 * would keep all others waiting. Whoever comes after all waits in the line anew.
 */
export function watchWaitingLocks({ engine, watcher, clock }: WaitingLocksOptions): WaitingLocks {
  /** When an owner asked last, or was first seen to wait, by the clock that never jumps. */
  const askedAt = new Map<string, number>();
  const asking = new Map<string, number>();
  const leaving = new Map<string, Promise<unknown>>();

  const leave = async (owner: string, id: string): Promise<void> => {
    const left = engine.cancel(id, { client: watcher, isForced: false, doesInsist: false });
    leaving.set(
      owner,
      left.catch(() => {}),
    );
    try {
      await left;
    } finally {
      leaving.delete(owner);
    }
  };

  return {
    async asking(owner, ask) {
      await leaving.get(owner);
      asking.set(owner, (asking.get(owner) ?? 0) + 1);
      askedAt.set(owner, clock.monotonic());
      try {
        return await ask();
      } finally {
        const left = (asking.get(owner) ?? 1) - 1;
        if (left === 0) asking.delete(owner);
        else asking.set(owner, left);
      }
    },

    async leaveUnasked() {
      const waiting = new Set<string>();
      let after: string | undefined;
      do {
        const page = await engine.list({
          ...{ kind: externalWork.kind, states: ['pending'] },
          ...(after === undefined ? {} : { after }),
        });
        for (const { id, parameters, fencingToken } of page.conditions) {
          const owner = String(parameters.owner);
          waiting.add(owner);
          const at = askedAt.get(owner) ?? clock.monotonic();
          askedAt.set(owner, at);
          const isUnasked = !asking.has(owner) && clock.monotonic() - at >= unaskedMs;
          // Under one that was held before, work may go on outside.
          if (isUnasked && fencingToken === 0) await leave(owner, id);
        }
        after = page.next;
      } while (after !== undefined);
      for (const owner of askedAt.keys()) if (!waiting.has(owner) && !asking.has(owner)) askedAt.delete(owner);
    },
  };
}
