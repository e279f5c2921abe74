import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import { refuseMissing } from '../../redfish/resources/index.ts';
import type { JsonObject, Route } from '../../redfish/route.ts';
import { isFinished, isSuccess, redfishTime, updateOf } from '../parts/update-facts.ts';
import { lenovoTaskMessage } from './words.ts';

const service = '/redfish/v1/JobService';

/** Address of the job that goes on for a task. */
export function jobPath(task: Task): string {
  return `${service}/Jobs/${jobId(task)}`;
}

function jobId(task: Task): string {
  return `JobR${task.id.padStart(6, '0')}-${task.kind === 'bios' ? 'Settings' : 'Update'}`;
}

/** True for what waits for a restart of the host: BIOS settings, and UEFI firmware that is staged. */
export function hasJob(machine: Machine, task: Task): boolean {
  if (task.kind === 'bios') return true;
  return task.kind === 'firmware' && updateOf(machine, task)?.slots.some((slot) => slot.component === 'bios') === true;
}

/** The job knows better than the task, which was over as soon as the firmware was staged. */
function jobState(machine: Machine, task: Task): string {
  const update = updateOf(machine, task);
  if (update?.waitsFor === 'reset') return 'Pending';
  if (update?.phase === 'failed') return 'Exception';
  if (isFinished(task)) return isSuccess(task) ? 'Completed' : 'Exception';
  return task.kind === 'bios' ? 'Pending' : 'Running';
}

function jobBody(machine: Machine, task: Task): JsonObject {
  const state = jobState(machine, task);
  return {
    '@odata.id': jobPath(task),
    '@odata.type': '#Job.v1_0_4.Job',
    Id: jobId(task),
    Name: task.kind === 'bios' ? 'UEFI settings' : 'Firmware update',
    JobState: state,
    JobStatus: state === 'Exception' ? 'Critical' : 'OK',
    PercentComplete: state === 'Completed' ? 100 : state === 'Pending' ? 0 : task.percent,
    StartTime: redfishTime(task.startedAt),
    ...(task.endedAt === undefined ? {} : { EndTime: redfishTime(task.endedAt) }),
    Messages: [lenovoTaskMessage(task)],
    Schedule: {},
  };
}

/** JobService and its jobs. */
export const lenovoJobRoutes: readonly Route[] = [
  {
    pattern: service,
    get: () => ({
      status: 200,
      body: {
        '@odata.id': service,
        '@odata.type': '#JobService.v1_0_2.JobService',
        Id: 'JobService',
        Name: 'Job Service',
        ServiceEnabled: true,
        Jobs: { '@odata.id': `${service}/Jobs` },
      },
    }),
  },
  {
    pattern: `${service}/Jobs`,
    get: ({ machine, path }) => {
      const jobs = machine.tasks.all.filter((task) => hasJob(machine, task));
      return {
        status: 200,
        body: {
          '@odata.id': path,
          '@odata.type': '#JobCollection.JobCollection',
          Name: 'Job Collection',
          Members: jobs.map((task) => ({ '@odata.id': jobPath(task) })),
          'Members@odata.count': jobs.length,
        },
      };
    },
  },
  {
    pattern: `${service}/Jobs/:job`,
    get: ({ machine, params, path }) => {
      const task = machine.tasks.all.find((each) => hasJob(machine, each) && jobId(each) === params.job);
      return task === undefined ? refuseMissing(path) : { status: 200, body: jobBody(machine, task) };
    },
  },
];
