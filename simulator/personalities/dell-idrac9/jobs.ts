import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import { confirm, refuse, refuseMissing } from '../../redfish/resources/index.ts';
import type { JsonObject, RedfishRequest, Route } from '../../redfish/route.ts';
import { isFinished, redfishTime } from '../parts/update-facts.ts';
import { dellFaults, dellRegistry, jobMessageOf, jobNameOf, jobStateOf, jobTypeOf } from './words.ts';

const manager = '/redfish/v1/Managers/iDRAC.Embedded.1';
/** Where jobs are, now and on older firmware. */
export const jobCollections = [`${manager}/Oem/Dell/Jobs`, `${manager}/Jobs`] as const;
/** The service that empties the job queue. */
export const jobServicePath = `${manager}/Oem/Dell/DellJobService`;

/** A task as a Dell job. It stays when the task is gone. */
export function jobBody(machine: Machine, task: Task, collection: string): JsonObject {
  const said = jobMessageOf(machine, task);
  return {
    '@odata.id': `${collection}/${task.id}`,
    '@odata.type': '#DellJob.v1_4_0.DellJob',
    '@odata.context': '/redfish/v1/$metadata#DellJob.DellJob',
    Id: task.id,
    Name: jobNameOf(machine, task),
    Description: 'Job Instance',
    JobState: jobStateOf(machine, task),
    JobType: jobTypeOf(task),
    PercentComplete: task.percent,
    Message: said.message,
    MessageId: said.id,
    MessageArgs: [],
    'MessageArgs@odata.count': 0,
    StartTime: redfishTime(task.startedAt),
    ActualRunningStartTime: redfishTime(task.startedAt),
    ActualRunningStopTime: task.endedAt === undefined ? null : redfishTime(task.endedAt),
    CompletionTime: task.endedAt === undefined ? null : redfishTime(task.endedAt),
    EndTime: 'TIME_NA',
    TargetSettingsURI: task.kind === 'bios' ? '/redfish/v1/Systems/System.Embedded.1/Bios/Settings' : null,
  };
}

function jobRoutes(collection: string): Route[] {
  return [
    {
      pattern: collection,
      get: ({ machine }) => ({
        status: 200,
        body: {
          '@odata.id': collection,
          '@odata.type': '#DellJobCollection.DellJobCollection',
          Name: 'JobQueue',
          Description: 'Collection of Job Instances',
          Members: machine.tasks.all.map((task) => ({ '@odata.id': `${collection}/${task.id}` })),
          'Members@odata.count': machine.tasks.all.length,
        },
      }),
      post: createConfigJob,
    },
    {
      pattern: `${collection}/:job`,
      get: ({ machine, params, path }) => {
        const task = machine.tasks.find(params.job ?? '');
        return task === undefined ? refuseMissing(path) : { status: 200, body: jobBody(machine, task, collection) };
      },
      delete: deleteJob,
    },
  ];
}

/** Turns pending BIOS settings into a job. The settings wait for the restart anyway; this hands out the job's address. */
function createConfigJob({ machine, body }: RedfishRequest) {
  const target = body.TargetSettingsURI;
  if (typeof target !== 'string') return refuse(400, { messageId: 'PropertyMissing', args: ['TargetSettingsURI'] });
  const job = machine.tasks.all.findLast((task) => task.kind === 'bios' && !isFinished(task));
  if (job === undefined || Object.keys(machine.bios.pending).length === 0) {
    return refuse(400, {
      messageId: `${dellRegistry}.SYS426`,
      message: 'There are no pending settings to make a job of.',
      resolution: 'Change an attribute of the settings first.',
    });
  }
  return { ...confirm(200), headers: { Location: `${jobCollections[0]}/${job.id}` } };
}

function deleteJob({ machine, params, path }: RedfishRequest) {
  const task = machine.tasks.find(params.job ?? '');
  if (task === undefined) return refuseMissing(path);
  if (!isFinished(task)) {
    const cleared = machine.updates.clearQueue({ isForced: false });
    if (cleared === 0) return refuse(400, busyMessage());
  }
  machine.tasks.remove(task.id);
  return confirm(200);
}

function busyMessage() {
  const busy = dellFaults.busy;
  return {
    messageId: `${dellRegistry}.${busy.id}`,
    message: busy.message,
    resolution: busy.resolution,
    severity: busy.severity,
  };
}

/** DeleteJobQueue: one job, JID_CLEARALL, or JID_CLEARALL_FORCE, which also takes what hangs. */
function deleteJobQueue({ machine, body }: RedfishRequest) {
  const id = body.JobID;
  if (typeof id !== 'string')
    return refuse(400, { messageId: 'ActionParameterMissing', args: ['DellJobService.DeleteJobQueue', 'JobID'] });
  if (id !== 'JID_CLEARALL' && id !== 'JID_CLEARALL_FORCE') {
    if (machine.tasks.find(id) === undefined) {
      return refuse(400, {
        messageId: `${dellRegistry}.SYS404`,
        message: `There is no job ${id}.`,
        resolution: 'Use the id of a job.',
      });
    }
    machine.tasks.remove(id);
    return confirm(200);
  }
  machine.updates.clearQueue({ isForced: id === 'JID_CLEARALL_FORCE' });
  for (const task of machine.tasks.all.filter(isFinished)) machine.tasks.remove(task.id);
  return confirm(200);
}

/** Jobs and the service that clears them. */
export const dellJobRoutes: readonly Route[] = [
  ...jobCollections.flatMap(jobRoutes),
  {
    pattern: jobServicePath,
    get: () => ({
      status: 200,
      body: {
        '@odata.id': jobServicePath,
        '@odata.type': '#DellJobService.v1_2_0.DellJobService',
        Id: 'Job Service',
        Name: 'DellJobService',
        Actions: {
          '#DellJobService.DeleteJobQueue': { target: `${jobServicePath}/Actions/DellJobService.DeleteJobQueue` },
        },
      },
    }),
  },
  { pattern: `${jobServicePath}/Actions/DellJobService.DeleteJobQueue`, post: deleteJobQueue },
];
