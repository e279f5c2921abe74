import type { Engine } from '../../engine/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { KubeMirror } from './result-mirror.ts';

/** What numbering on needs. */
export interface NumberOnParts {
  readonly engine: Pick<Engine, 'storeId' | 'lastEvent' | 'numberAfter'>;
  readonly mirror: Pick<KubeMirror, 'newest'>;
  readonly logger: Logger;
}

/**
 * Lets a store that was restored from a backup number on from what objects show of its lost time: with numbers that were
 * given before, every new result would count as an old one. What was in the backup keeps its numbers, and is old.
 */
export async function numberOnFromObjects(parts: NumberOnParts, signal: AbortSignal): Promise<void> {
  const { engine, mirror, logger } = parts;
  const shown = await mirror.newest(engine.storeId, signal);
  // Read after it: whatever objects showed then, this store had given, unless it is not what it was.
  const last = await engine.lastEvent();
  if (shown <= last) return;
  logger.warn('objects show results that this store does not know, as after a restore; it numbers on from theirs', {
    shown,
    last,
  });
  await engine.numberAfter(shown);
}
