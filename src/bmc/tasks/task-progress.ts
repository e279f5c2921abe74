import type { UpdateProgress } from '../firmware-update.ts';
import { messageKey, type RedfishMessage } from '../redfish/index.ts';
import { explainMessages, idsOf } from './failure-words.ts';
import type { TaskSnapshot, VendorJob } from './task.ts';

/** What is known of the update that the task belongs to. */
export interface ProgressContext {
  readonly component?: string;
  readonly applyTime?: string;
}

type Kind = UpdateProgress['kind'];

/** Redfish's states of tasks and jobs, in lower case. What is not here is taken to be under way: the set is open. */
const standardStates: Readonly<Record<string, Kind>> = {
  new: 'running',
  starting: 'running',
  running: 'running',
  service: 'running',
  stopping: 'running',
  cancelling: 'running',
  pending: 'running',
  validating: 'running',
  continue: 'running',
  suspended: 'suspended',
  userintervention: 'suspended',
  completed: 'completed',
  exception: 'failed',
  killed: 'failed',
  cancelled: 'failed',
  interrupted: 'failed',
  invalid: 'failed',
};

/** Dell's own states, in lower case. */
const dellStates: Readonly<Record<string, Kind>> = {
  new: 'running',
  scheduling: 'running',
  scheduled: 'waits-for-host-reset',
  downloading: 'running',
  downloaded: 'running',
  readyforexecution: 'running',
  waiting: 'running',
  pendingactivation: 'waits-for-host-reset',
  running: 'running',
  paused: 'suspended',
  rebootpending: 'running',
  rebootcompleted: 'completed',
  rebootfailed: 'failed',
  completed: 'completed',
  completedwitherrors: 'failed',
  failed: 'failed',
  unknown: 'running',
};

/** The one message of a Scheduled job that says it will never start. */
const neverStarts = /initialization failure/i;

/** Where the update stands by its task alone. Total: every snapshot has an answer. */
export function progressOfTask(task: TaskSnapshot, context: ProgressContext = {}): UpdateProgress {
  const message = messageOf(task);
  switch (kindOf(task, context)) {
    case 'failed':
      return failedTask(task);
    case 'completed':
      return completion(task, message);
    case 'waits-for-host-reset':
      return { kind: 'waits-for-host-reset', message };
    case 'suspended':
      return { kind: 'suspended', message };
    default:
      return { kind: 'running', percent: task.percent, message, ...(isQueued(task) ? { isQueued: true } : {}) };
  }
}

function kindOf(task: TaskSnapshot, context: ProgressContext): Kind {
  const standard = lookUp(standardStates, task.state);
  const dell = task.vendorJob === undefined ? undefined : kindOfDellJob(task.vendorJob, context);
  if (standard === 'failed' || dell === 'failed') return 'failed';
  if (dell !== undefined) return dell === 'completed' && /^critical$/i.test(task.status) ? 'failed' : dell;
  // Completed and Critical at once is how several BMCs say that it failed.
  if (standard === 'completed' && /^critical$/i.test(task.status)) return 'failed';
  if (/^pending$/i.test(task.state) && context.applyTime === 'OnReset' && !isOfBmc(context))
    return 'waits-for-host-reset';
  return standard ?? 'running';
}

function kindOfDellJob(job: VendorJob, context: ProgressContext): Kind {
  const kind = lookUp(dellStates, job.state) ?? 'running';
  if (kind !== 'waits-for-host-reset') return kind;
  if (neverStarts.test(job.message ?? '')) return 'failed';
  // The iDRAC's own update needs no host: Scheduled is only the moment before it begins.
  return isOfBmc(context) ? 'running' : kind;
}

function isQueued({ state, vendorJob }: TaskSnapshot): boolean {
  return vendorJob === undefined && /^(?:new|starting|pending)$/i.test(state);
}

function isOfBmc({ component }: ProgressContext): boolean {
  return component === 'bmc';
}

function lookUp(table: Readonly<Record<string, Kind>>, state: string): Kind | undefined {
  const key = state.toLowerCase().replaceAll(/[\s_-]/g, '');
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function completion(task: TaskSnapshot, message: string): UpdateProgress {
  const reset = resetAskedFor(task.messages);
  if (reset !== undefined) return { kind: `waits-for-${reset}-reset`, message, isTaskOver: true };
  const hasWarning = /^warning$/i.test(task.status);
  return { kind: 'completed', hasWarning, message };
}

/** Which reset a finished task asks for by the standard's messages. */
function resetAskedFor(messages: readonly RedfishMessage[]): 'host' | 'bmc' | undefined {
  for (const { id, args } of messages) {
    if (messageKey(id) === 'ResetRequired') return (args[0] ?? '').includes('/Managers/') ? 'bmc' : 'host';
    if (messageKey(id) === 'AwaitToActivate') return 'host';
  }
  return undefined;
}

/** A task that ended badly, in clear words. */
function failedTask(task: TaskSnapshot): UpdateProgress {
  const { vendorJob } = task;
  const messages: readonly RedfishMessage[] =
    vendorJob === undefined
      ? task.messages
      : [
          ...task.messages,
          { id: vendorJob.messageId ?? '', text: vendorJob.message ?? '', args: [], severity: undefined },
        ];
  const reasons = explainMessages(messages);
  const ended = `${nameOf(task)} ended as ${stateOf(task)}`;
  return {
    kind: 'failed',
    message: reasons === '' ? `${ended}; the BMC gives no reason: look into its log` : `${ended}: ${reasons}`,
    messageIds: idsOf(messages),
  };
}

function messageOf(task: TaskSnapshot): string {
  const last = task.vendorJob?.message ?? task.messages.findLast(({ text }) => text !== '')?.text;
  const isKnown = lookUp(standardStates, task.state) !== undefined || task.vendorJob !== undefined;
  const state = isKnown ? stateOf(task) : `${stateOf(task)} (a state not known here)`;
  return `${nameOf(task)} is ${state}${last === undefined ? '' : `: ${last}`}`;
}

function nameOf(task: TaskSnapshot): string {
  return task.name === '' ? `task ${task.uri}` : `task ${task.uri} (${task.name})`;
}

function stateOf(task: TaskSnapshot): string {
  const state = task.vendorJob?.state ?? task.state;
  const shown = state === '' ? 'in no state' : state;
  return task.status === '' || /^ok$/i.test(task.status) ? shown : `${shown}/${task.status}`;
}
