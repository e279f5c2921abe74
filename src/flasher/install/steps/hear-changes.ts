import { type EventHint, followEvents, type StartedUpdate } from '../../../bmc/index.ts';
import type { InstallRun } from '../run.ts';

/** Hears on a BMC that something about an update may have changed. */
export interface Ear {
  /** Calls back on each hint until what it gives is called. */
  listen(wake: () => void): () => void;
  close(): Promise<void>;
}

/** Words in the ids of messages that tell of updates. */
const ofUpdates = /task|job|update|firmware|software/i;

/**
 * Listens to the events of the BMC while an update is followed. Whatever goes wrong with that costs nothing but time: the
 * update is looked at anyway. A BMC that is written itself is left alone.
 */
export function hearChanges(run: InstallRun, started: StartedUpdate): Ear | undefined {
  if (started.component === 'bmc') return undefined;
  const { context, bmc } = run;
  const closing = new AbortController();
  const wakes = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of wakes) wake();
  };
  const done = followEvents(bmc, {
    signal: AbortSignal.any([closing.signal, run.signal]),
    onHint: (hint) => {
      if (isAbout(hint, started)) wakeAll();
    },
    onGap: wakeAll,
  }).catch((error: unknown) => {
    context.logger.debug('the events of a BMC are not heard; it is looked at instead', { error });
  });
  return {
    listen(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
    async close() {
      closing.abort();
      await done;
    },
  };
}

function isAbout({ origin, messageId }: EventHint, { taskUri, jobUri }: StartedUpdate): boolean {
  if (origin !== undefined && (origin === taskUri || origin === jobUri)) return true;
  return ofUpdates.test(messageId ?? '');
}
