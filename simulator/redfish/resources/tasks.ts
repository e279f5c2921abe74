import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuse, refuseMissing } from './errors.ts';
import { root, taskMonitorPath, taskPath } from './paths.ts';
import { collection, head, healthy, link, show, toDateTime } from './render.ts';

const service = `${root}/TaskService`;

/** TaskService, tasks and their monitors. */
export const taskRoutes: readonly Route[] = [
  { pattern: service, get: (request) => show(request, 'TaskService', renderService(request.machine)) },
  {
    pattern: `${service}/Tasks`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'Task' },
        machine.tasks.all.filter((task) => !isPurged(machine, task)).map(({ id }) => taskPath(id)),
      ),
  },
  { pattern: `${service}/Tasks/:task`, get: showTask, delete: deleteTask },
  { pattern: `${service}/TaskMonitors/:task`, get: showMonitor, delete: deleteTask },
];

/** True for a task that goes no further. */
function isTaskOver({ state }: Task): boolean {
  return (
    state === 'Completed' ||
    state === 'Exception' ||
    state === 'Killed' ||
    state === 'Cancelled' ||
    state === 'Interrupted'
  );
}

function isPurged(machine: Machine, task: Task): boolean {
  return machine.personality.isTaskPurged(machine, task);
}

function renderService(machine: Machine): JsonObject {
  return {
    ...head({ path: service, schema: 'TaskService.v1_2_0', id: 'TaskService', name: 'Task Service' }),
    ServiceEnabled: true,
    DateTime: toDateTime(machine.manager.now()),
    CompletedTaskOverWritePolicy: 'Oldest',
    LifeCycleEventOnTaskStateChange: true,
    Tasks: link(`${service}/Tasks`),
    Status: healthy(),
  };
}

/** A task as the vendor shows it, with what it says of it. */
export function renderTask(machine: Machine, task: Task): JsonObject {
  const { name, messages } = machine.personality.describeTask(machine, task);
  const body = {
    ...head({ path: taskPath(task.id), schema: 'Task.v1_4_3', id: task.id, name }),
    Description: name,
    TaskState: task.state,
    TaskStatus: task.status,
    PercentComplete: task.percent,
    StartTime: toDateTime(task.startedAt),
    ...(task.endedAt !== undefined && { EndTime: toDateTime(task.endedAt) }),
    TaskMonitor: taskMonitorPath(task.id),
    Messages: [...messages],
    'Messages@odata.count': messages.length,
  };
  return machine.personality.decorate('Task', body, machine);
}

function findTask({ machine, params }: RedfishRequest): Task | undefined {
  const task = machine.tasks.find(String(params.task));
  return task === undefined || isPurged(machine, task) ? undefined : task;
}

function showTask(request: RedfishRequest): RedfishAnswer {
  const task = findTask(request);
  if (task === undefined) return refuseMissing(request.path);
  return { status: 200, body: renderTask(request.machine, task) };
}

/** 202 with the task while it goes on; then the task as the final answer, until it is purged: 404. */
function showMonitor(request: RedfishRequest): RedfishAnswer {
  const task = findTask(request);
  if (task === undefined) return refuseMissing(request.path);
  const body = renderTask(request.machine, task);
  if (isTaskOver(task)) return { status: 200, body };
  return { status: 202, headers: { Location: taskMonitorPath(task.id), 'Retry-After': '5' }, body };
}

function deleteTask(request: RedfishRequest): RedfishAnswer {
  const task = findTask(request);
  if (task === undefined) return refuseMissing(request.path);
  // A BMC does not let go of a flash in its course because somebody stopped watching it.
  if (!isTaskOver(task)) return refuse(409, { messageId: 'ResourceInUse' });
  request.machine.tasks.remove(task.id);
  return { status: 204 };
}
