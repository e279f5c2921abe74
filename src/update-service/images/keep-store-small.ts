import type { FirmwareStore } from '../../firmware-store/index.ts';
import { type Clock, sleep } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { type ReleaseParts, releaseImages } from './release-images.ts';

/** What the store is kept small with. */
export interface KeepStoreSmallOptions extends ReleaseParts {
  readonly store: ReleaseParts['store'] & Pick<FirmwareStore, 'collect'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often is looked; 10 minutes unless given. */
  readonly everyMs?: number | undefined;
}

/** Releases images that nobody needs and throws away what nobody held for long, until it is stopped. */
export function keepStoreSmall(options: KeepStoreSmallOptions): { stop(): Promise<void> } {
  const { clock, logger, store, everyMs = 10 * 60_000 } = options;
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const released = await releaseImages(options);
        const { images, bytes } = await store.collect();
        if (released > 0 || images > 0) logger.info('images were let go of', { released, images, bytes });
      } catch (error) {
        logger.warn('images could not be let go of; it is tried again', { error });
      }
      await sleep(clock, everyMs, stopping.signal);
    }
  };
  const done = loop();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
