import type { Work, WorkOutcome } from '../../engine/index.ts';
import { flasherHandlers, readAgain } from '../../flasher/index.ts';
import { StrategyError } from './errors.ts';
import { defineStrategy, type StrategyTools } from './strategy.ts';

/** The handler of a kind; the flasher has one for each of the two. */
function handlerOf(kind: 'firmwareInstall' | 'inventoryOOB', tools: StrategyTools) {
  const handler = flasherHandlers(tools)[kind];
  if (handler === undefined) throw new TypeError(`the flasher has no handler for ${kind}`);
  return handler;
}

/**
 * Reads what an update left, under the same lease. After an update that failed this is only a courtesy; after one that
 * succeeded nobody would know of it otherwise, so what is thrown is thrown on: the next lease finds all installed.
 */
async function readAfterwards(work: Work, tools: StrategyTools, outcome: WorkOutcome): Promise<WorkOutcome> {
  if (outcome.outcome === 'released' || work.condition.parameters.dry_run === true) return outcome;
  try {
    await readAgain(work, tools);
  } catch (error) {
    if (outcome.outcome === 'succeeded' || work.signal.aborted) throw error;
    tools.logger.warn('what a failed update left could not be read', { condition: work.condition.id, error });
    return outcome;
  }
  return { ...outcome, status: { ...outcome.status, [readAtMember]: tools.clock.now() } };
}

/** Where the status of an update says when its server was read after it, in epoch milliseconds. */
export const readAtMember = 'inventory_read_at';

/** Out of band, through the BMC: the default. */
export const redfish = defineStrategy({
  name: 'redfish',
  create(settings) {
    if (settings !== undefined && settings !== null && Object.keys(Object(settings)).length > 0) {
      throw new StrategyError('badStrategy', { name: 'redfish', detail: 'it has no settings, and some are given' });
    }
    return {
      name: 'redfish',
      update: async (work, tools) => readAfterwards(work, tools, await handlerOf('firmwareInstall', tools)(work)),
      scan: (work, tools) => handlerOf('inventoryOOB', tools)(work),
    };
  },
});
