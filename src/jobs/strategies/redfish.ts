import type { Work } from '../../engine/index.ts';
import { flasherHandlers } from '../../flasher/index.ts';
import { StrategyError } from './errors.ts';
import { defineStrategy, type StrategyTools } from './strategy.ts';

/** Does the work as a flasher does. */
async function runHandler(kind: 'firmwareInstall' | 'inventoryOOB', work: Work, tools: StrategyTools) {
  const handler = flasherHandlers(tools)[kind];
  if (handler === undefined) throw new TypeError(`the flasher has no handler for ${kind}`);
  return await handler(work);
}

/** Out of band, through the BMC: the default. */
export const redfish = defineStrategy({
  name: 'redfish',
  create(settings) {
    if (settings !== undefined && settings !== null && Object.keys(Object(settings)).length > 0) {
      throw new StrategyError('badStrategy', { name: 'redfish', detail: 'it has no settings, and some are given' });
    }
    return {
      name: 'redfish',
      update: (work, tools) => runHandler('firmwareInstall', work, tools),
      scan: (work, tools) => runHandler('inventoryOOB', work, tools),
    };
  },
});
