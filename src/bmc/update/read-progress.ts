import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { StartedUpdate, UpdateProgress } from '../firmware-update.ts';
import { isPassing } from '../outage.ts';
import { memberIn, messageKey } from '../redfish/index.ts';
import {
  explainMessages,
  idsOf,
  jobOf,
  parseTask,
  progressOfTask,
  readTask,
  type TaskSnapshot,
} from '../tasks/index.ts';
import { type UpdateWays, waysOf } from '../vendors/index.ts';

/** Where a started update stands. Throws only BmcErrors that are no answer: a lost lease, a cancelled request ... */
export async function readProgress(bmc: Bmc, started: StartedUpdate): Promise<UpdateProgress> {
  try {
    const progress = await askBmc(bmc, started);
    return started.startTarget === undefined ? progress : beforeStart(progress);
  } catch (error) {
    if (isPassing(error) || isBmcError(error, 'credentials'))
      return { kind: 'unreachable', code: error.code, message: error.message };
    throw error;
  }
}

/** While the image is only uploaded, the task is that of its check: its end is not the end. */
function beforeStart(progress: UpdateProgress): UpdateProgress {
  switch (progress.kind) {
    case 'completed':
    case 'gone':
    case 'waits-for-host-reset':
    case 'waits-for-bmc-reset':
      return { kind: 'waits-for-start', message: `the image is uploaded and checked: ${progress.message}` };
    default:
      return progress;
  }
}

async function askBmc(bmc: Bmc, started: StartedUpdate): Promise<UpdateProgress> {
  const ways = waysOf((await bmc.root()).vendor);
  return (
    (await askTask(bmc, started)) ??
    (await askMonitor(bmc, started, ways)) ??
    (await askJob(bmc, started)) ??
    (await ways.readServiceProgress(bmc)) ?? {
      kind: 'gone',
      message:
        started.taskUri === undefined
          ? 'the BMC gave no task to follow: only the version can tell'
          : `task ${started.taskUri} is not there any more: only the version can tell`,
    }
  );
}

async function askTask(bmc: Bmc, started: StartedUpdate): Promise<UpdateProgress | undefined> {
  if (started.taskUri === undefined) return undefined;
  const answer = await readTask(bmc, started.taskUri);
  if (answer.kind === 'gone') return undefined;
  const { task } = answer;
  const job = jobOf(task);
  if (job !== undefined && job !== task.uri) {
    const handedOver = await readTask(bmc, job);
    if (handedOver.kind === 'task') return progressOfTask(handedOver.task, started);
    return { kind: 'gone', message: `job ${job} is not there any more: only the version can tell` };
  }
  return task.state === '' ? finalAnswer(task) : progressOfTask(task, started);
}

/** A monitor answers 202 while the operation runs, and then what the operation itself answers. */
async function askMonitor(bmc: Bmc, started: StartedUpdate, ways: UpdateWays): Promise<UpdateProgress | undefined> {
  const { monitorUri } = started;
  if (monitorUri === undefined || !ways.mayReadMonitors) return undefined;
  // HPE's answer 400 for a while instead of the state.
  const reply = await bmc.gate.request({ method: 'GET', path: monitorUri, accept: [400, 404, 410] });
  if (reply.status >= 400) return undefined;
  const task = parseTask(monitorUri, reply.body);
  if (task.state !== '') return progressOfTask(task, started);
  if (reply.status === 202) return { kind: 'running', percent: undefined, message: `${monitorUri} answers 202` };
  return finalAnswer(task, memberIn(reply.body, 'error') !== undefined);
}

/** Dell throws the task of a job that succeeded away; the job stays. */
async function askJob(bmc: Bmc, started: StartedUpdate): Promise<UpdateProgress | undefined> {
  if (started.jobUri === undefined) return undefined;
  const answer = await readTask(bmc, started.jobUri);
  return answer.kind === 'gone' ? undefined : progressOfTask(answer.task, started);
}

/** A body that is no task: what the operation answered when it was over. HPE wraps also its success in an error. */
function finalAnswer(task: TaskSnapshot, isError = task.messages.length > 0): UpdateProgress {
  const message = explainMessages(task.messages) || `the BMC answered ${task.uri} without a state`;
  const isSuccess = task.messages.some(({ id }) => /success|completed/i.test(messageKey(id)));
  if (isError && !isSuccess && task.messages.some(({ severity }) => !/^ok$/i.test(severity ?? ''))) {
    return { kind: 'failed', message, messageIds: idsOf(task.messages) };
  }
  if (isSuccess || task.messages.length > 0) return { kind: 'completed', hasWarning: false, message };
  return { kind: 'gone', message };
}
