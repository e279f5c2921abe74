import { refuseMissing, renderTask } from '../../redfish/resources/index.ts';
import type { RedfishAnswer, Route } from '../../redfish/route.ts';
import { isFinished } from './update-facts.ts';

/** How a vendor's task monitors behave. */
export interface MonitorManner {
  /** `/redfish/v1/TaskMonitor/:task`. */
  readonly pattern: string;
  /** What is found there once the task is over: the task, or an answer without a body. `task` unless given. */
  readonly final?: 'task' | 'nothing';
  /** Reading the monitor of a finished task throws the task away (Lenovo). */
  readonly doesReadingRemove?: boolean;
}

/** The address of a task's monitor. */
export function monitorPath(manner: MonitorManner, taskId: string): string {
  return manner.pattern.replace(':task', taskId);
}

/** A vendor's task monitors: 202 while the task runs, then what the manner says, then 404. */
export function monitorRoute(manner: MonitorManner): Route {
  return {
    pattern: manner.pattern,
    get: ({ machine, params, path }): RedfishAnswer => {
      const task = machine.tasks.find(params.task ?? '');
      if (task === undefined || machine.personality.isTaskPurged(machine, task)) return refuseMissing(path);
      const body = renderTask(machine, task);
      if (!isFinished(task)) return { status: 202, headers: { Location: path, 'Retry-After': '10' }, body };
      if (manner.doesReadingRemove === true) machine.tasks.remove(task.id);
      return manner.final === 'nothing' ? { status: 204 } : { status: 200, body };
    },
  };
}
