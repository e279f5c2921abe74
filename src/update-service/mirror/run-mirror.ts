import { openOrcStore } from '../../conditionorc/index.ts';
import type { Engine } from '../../engine/index.ts';
import { backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import { numberOnFromObjects } from './number-on.ts';
import { type MirrorParts, mirrorResults } from './result-mirror.ts';

/** What a mirror runs with. */
export interface RunMirrorOptions extends MirrorParts {
  readonly engine: MirrorParts['engine'] & Pick<Engine, 'onHint' | 'lastEvent' | 'numberAfter'>;
  readonly clock: Clock;
  readonly random: Random;
  /** How often is looked when no hint comes; 5 s unless given. */
  readonly everyMs?: number;
}

/** A mirror while it runs. */
export interface RunningMirror {
  stop(): Promise<void>;
}

const retry = { baseMs: 500, maxMs: 30_000 };

/** Brings results to Kubernetes as they come, until it is stopped. What it did not get to is done by the next life. */
export async function runMirror(options: RunMirrorOptions): Promise<RunningMirror> {
  const { engine, clock, random, logger, everyMs = 5000 } = options;
  // How far events were followed is remembered beside conditionOrc's own marks.
  await openOrcStore(options.database);
  const stopping = new AbortController();
  let hasRung = true;
  let ring = (): void => {};
  const unlisten = engine.onHint(() => {
    hasRung = true;
    ring();
  });
  const loop = async (): Promise<void> => {
    let isNumberingOn = false;
    for (let failures = 0; !stopping.signal.aborted; ) {
      hasRung = false;
      try {
        if (!isNumberingOn) await numberOnFromObjects(options, stopping.signal);
        isNumberingOn = true;
        await mirrorResults(options);
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.warn('results could not be brought to Kubernetes; it is tried again', { error });
        await sleep(clock, backoffDelay(retry, failures, random), stopping.signal);
        continue;
      }
      if (hasRung) continue;
      const woken = new AbortController();
      ring = () => woken.abort();
      await sleep(clock, everyMs, AbortSignal.any([woken.signal, stopping.signal]));
    }
  };
  const done = loop();
  return {
    async stop() {
      stopping.abort();
      unlisten();
      await done;
    },
  };
}
