import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import type { StartedUpdate } from '../firmware-update.ts';
import { barePath, isSamePath } from '../redfish/index.ts';
import { progressOfTask, readTask, type TaskSnapshot } from '../tasks/index.ts';
import { type UpdateWays, waysOf } from '../vendors/index.ts';
import { readNewTasks } from './new-tasks.ts';
import { isCheck } from './upload-check.ts';

/** Whether an uploaded image is already being installed. */
export type BegunFinding =
  | { readonly kind: 'begun'; readonly taskUri: string | undefined }
  | { readonly kind: 'not-begun' }
  /** It cannot be told: nothing may be started. */
  | { readonly kind: 'unclear'; readonly message: string };

/** A BMC may need a moment until an update that it took shows up. */
const secondLookMs = 15_000;

/** Looks whether what was uploaded has been started by a process that could not tell of it any more. */
export async function findBegun(bmc: Bmc, uploaded: StartedUpdate): Promise<BegunFinding> {
  const first = await lookForBegun(bmc, uploaded);
  if (first.kind !== 'not-begun') return first;
  await sleep(bmc.clock, secondLookMs);
  return lookForBegun(bmc, uploaded);
}

async function lookForBegun(bmc: Bmc, uploaded: StartedUpdate): Promise<BegunFinding> {
  const { taskUri } = uploaded;
  const own = taskUri === undefined ? undefined : await readTask(bmc, taskUri);
  if (own?.kind === 'task' && !isCheck(own.task) && isOver(own.task)) return { kind: 'begun', taskUri };
  const newer = await findNewer(bmc, uploaded, own?.kind === 'task' ? own.task : undefined);
  if (newer.kind !== 'not-begun' || own?.kind !== 'gone') return newer;
  return { kind: 'unclear', message: `task ${taskUri} of the upload is not there any more, as after a start` };
}

/** Looks for an update that came after the upload, whoever started it. */
export async function findNewer(
  bmc: Bmc,
  uploaded: StartedUpdate,
  check?: TaskSnapshot | undefined,
): Promise<BegunFinding> {
  const ways = waysOf((await bmc.root()).vendor);
  const taskUris = (uploaded.earlierTasks ?? []).map(barePath);
  const seen = await readNewTasks(bmc, ways, { at: uploaded.startedAt, taskUris, wasThere: false });
  const updates = seen.tasks.filter((task) => isOther(task, { ways, uploaded }));
  const begun = updates.findLast((task) => isNewer(task, { uploaded, check }) === true);
  if (begun !== undefined) return { kind: 'begun', taskUri: begun.uri };
  const unread = [...seen.gaps.map(({ path, reason }) => `${path} (${reason})`), ...seen.gone];
  if (unread.length > 0) return { kind: 'unclear', message: `these cannot be read: ${unread.join('; ')}` };
  const untold = updates.filter((task) => isNewer(task, { uploaded, check }) === undefined);
  if (untold.length === 0) return { kind: 'not-begun' };
  const names = untold.map(({ uri, name }) => `${uri} (${name})`).join(', ');
  return { kind: 'unclear', message: `it cannot be told whether these came before or after the upload: ${names}` };
}

function isOther(task: TaskSnapshot, about: { readonly ways: UpdateWays; readonly uploaded: StartedUpdate }): boolean {
  const { taskUri } = about.uploaded;
  const isOwn = taskUri !== undefined && isSamePath(task.uri, taskUri);
  return !isOwn && !isCheck(task) && about.ways.recognise(task) === 'update';
}

/** By the list from the upload, else by the BMC's own clock for both; undefined where neither tells. */
function isNewer(
  task: TaskSnapshot,
  about: { readonly uploaded: StartedUpdate; readonly check: TaskSnapshot | undefined },
): boolean | undefined {
  if (about.uploaded.earlierTasks !== undefined || !isOver(task)) return true;
  const { startTime } = task;
  const checkedAt = about.check?.startTime;
  return startTime === undefined || checkedAt === undefined ? undefined : startTime >= checkedAt;
}

function isOver(task: TaskSnapshot): boolean {
  const { kind } = progressOfTask(task);
  return kind !== 'running' && kind !== 'suspended';
}
