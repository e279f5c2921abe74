import type { Bmc } from '../bmc.ts';
import type { UpdateProgress } from '../firmware-update.ts';
import { readPower } from '../power/index.ts';
import { progressOfTask } from '../tasks/index.ts';
import { mustHostBeOff, waysOf } from '../vendors/index.ts';
import { readNewTasks } from './new-tasks.ts';

/** An update that a BMC is at, whoever asked for it. */
export interface RunningUpdate {
  /** Which, and how far it is, in the words of the BMC. */
  readonly message: string;
}

/** Before the first of everything: all tasks are new. */
const everything = { at: 0, taskUris: [], wasThere: false } as const;

/**
 * Finds an update that the BMC is writing, checking or fetching now, by its tasks, the vendor's jobs and the state of its
 * updater. One that only waits, for a restart of the host or for somebody, is none: it goes no further by itself. What
 * cannot be read is taken for none. Sends nothing that changes. Throws BmcErrors after which nothing else can be read.
 */
export async function findRunningUpdate(bmc: Bmc): Promise<RunningUpdate | undefined> {
  const ways = waysOf((await bmc.root()).vendor);
  const { tasks } = await readNewTasks(bmc, ways, everything);
  const open = tasks
    .filter((task) => ways.recognise(task) === 'update')
    .map((task) => progressOfTask(task))
    .filter((progress) => !isOver(progress));
  // The state of an updater does not tell one that waits for the host from one that is written; a task does.
  const seen = open.length > 0 ? open : [await ways.readServiceProgress(bmc)];
  const running = seen.find((progress) => progress?.kind === 'running' && progress.isQueued !== true);
  return running === undefined ? undefined : { message: running.message };
}

/**
 * The same of one that may be lost when the host is switched on: where a part is written while the host is off, and the
 * host is not on. BMCs do not say which part it is. Throws as the other does.
 */
export async function findUpdateWithHostOff(bmc: Bmc): Promise<RunningUpdate | undefined> {
  const { vendor } = await bmc.root();
  if (!mustHostBeOff(vendor, 'bios') || (await readPower(bmc)).state === 'on') return undefined;
  return findRunningUpdate(bmc);
}

function isOver(progress: UpdateProgress): boolean {
  return (
    progress.kind === 'completed' ||
    progress.kind === 'failed' ||
    ('isTaskOver' in progress && progress.isTaskOver === true)
  );
}
