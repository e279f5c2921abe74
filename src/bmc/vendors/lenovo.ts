import { firstOffered, genericWays } from './generic.ts';
import type { UpdateWays } from './update-ways.ts';

/** Lenovo XCC. */
export const lenovoWays: UpdateWays = {
  ...genericWays,
  vendor: 'lenovo',
  choosesParts: true,
  chooseApplyTime: (component, offered) =>
    firstOffered(offered, component === 'bmc' ? ['Immediate'] : ['OnReset', 'Immediate']),
  // Reading the monitor of a finished task deletes the task: a second look would find nothing.
  mayReadMonitors: false,
};
