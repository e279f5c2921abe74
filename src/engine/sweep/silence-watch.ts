import type { ControllerRecord } from '../engine.ts';

/** A worker that is fenced by heartbeats, and was silent for most of the time that it may be. */
export interface SilentWorker extends Pick<ControllerRecord, 'id' | 'seenAt'> {
  readonly lostAfterMs: number;
}

/** For the last third of the time that it may be silent a worker is watched. */
function watchMsOf({ lostAfterMs }: Pick<SilentWorker, 'lostAfterMs'>): number {
  return Math.floor(lostAfterMs / 3);
}

/** True once a worker was silent for so long that it is watched. */
export function isToBeWatched(worker: SilentWorker, now: number): boolean {
  return now - worker.seenAt >= worker.lostAfterMs - watchMsOf(worker);
}

/** Watches silent workers, so that no worker is taken for lost when it was this process that did not hear. */
export interface SilenceWatch {
  /** Takes the workers that are silent now, and this process's steady time; gives those that were silent all along. */
  look(silent: readonly SilentWorker[], now: number): readonly SilentWorker[];
}

/**
 * Makes the watch of one process. After a start, a standstill or an outage of the store every worker looks silent, and
 * each has to get the time for a heartbeat: only what this process watched without a break counts.
 */
export function createSilenceWatch(): SilenceWatch {
  let lastLook = Number.NEGATIVE_INFINITY;
  let watched = new Map<string, { readonly seenAt: number; readonly since: number }>();
  return {
    look(silent, now) {
      const gap = now - lastLook;
      lastLook = now;
      const before = watched;
      watched = new Map();
      return silent.filter((worker) => {
        const { id, seenAt, lostAfterMs } = worker;
        const last = before.get(id);
        const isWatched = last?.seenAt === seenAt && gap <= lostAfterMs / 2;
        const since = isWatched ? last.since : now;
        watched.set(id, { seenAt, since });
        return now - since >= watchMsOf(worker);
      });
    },
  };
}
