import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import { readTasks, type TaskSnapshot } from '../tasks/index.ts';

/**
 * Every task of the BMC, for a look before something is begun. Throws BmcError `blocked` where one cannot be seen: it may
 * be the very one that must not be disturbed.
 */
export async function readAllTasks(bmc: Bmc, what: string): Promise<readonly TaskSnapshot[]> {
  const { tasks, gaps } = await readTasks(bmc, () => true);
  if (gaps.length === 0) return tasks;
  const told = gaps.map(({ path, reason }) => `${path} (${reason})`).join('; ');
  throw new BmcError('blocked', {
    origin: bmc.gate.origin,
    what,
    detail: `whether another update is in its course cannot be seen, since these cannot be read: ${told}; try again later`,
  });
}
