import type { Bmc } from '../bmc.ts';
import { barePath } from '../redfish/index.ts';
import { progressOfTask, readJobs, readTasks, type TaskList, type TaskSnapshot } from '../tasks/index.ts';
import type { UpdateWays } from '../vendors/index.ts';
import type { InstallMark } from './install-mark.ts';

/** Tasks and jobs that came after the mark, oldest first, and what could not be seen of them. */
export async function readNewTasks(bmc: Bmc, ways: UpdateWays, since: InstallMark | number): Promise<TaskList> {
  const known = new Set(typeof since === 'number' ? [] : since.taskUris);
  const isNew = (uri: string) => !known.has(barePath(uri));
  const tasks = await readTasks(bmc, isNew);
  const isAlone = (uri: string) => !tasks.tasks.some((task) => ways.jobUriOf(task.uri) === uri);
  const jobs = await readJobs(bmc, ways.jobCollection, (uri) => isNew(uri) && isAlone(uri));
  const all = [...jobs.tasks, ...tasks.tasks];
  const recent = typeof since === 'number' ? all.filter((task) => isSince(task, since)) : all;
  return {
    isKept: tasks.isKept || jobs.tasks.length > 0,
    tasks: recent.toSorted((a, b) => (a.startTime ?? 0) - (b.startTime ?? 0)),
    gone: [...jobs.gone, ...tasks.gone],
    gaps: [...jobs.gaps, ...tasks.gaps],
  };
}

/** Without a mark only unfinished tasks and those of a believable time can be of this update. */
function isSince(task: TaskSnapshot, since: number): boolean {
  const { kind } = progressOfTask(task);
  if (kind !== 'completed' && kind !== 'failed') return true;
  return task.startTime !== undefined && task.startTime >= since - 60_000;
}
