import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { InstallOrder, StartedUpdate } from '../firmware-update.ts';
import { isSameVersion, readFirmware } from '../inventory/index.ts';
import { isPassing } from '../outage.ts';
import { barePath, listPaths } from '../redfish/index.ts';
import { listTaskUris, progressOfTask, readTask, readTasks, type TaskSnapshot } from '../tasks/index.ts';
import type { UpdateOffer } from '../update-offer.ts';
import { type UpdateWays, waysOf } from '../vendors/index.ts';
import { planInstall } from './install-plan.ts';
import { describeUpdateService } from './update-service.ts';

/** What was on the BMC before an update was sent. Plain data: it is stored before the sending. */
export interface InstallMark {
  readonly at: number;
  /** Tasks and jobs that were there: what comes later is new, whatever the BMC's clock says. */
  readonly taskUris: readonly string[];
  /** The version was already there: finding it later says nothing. */
  readonly wasThere: boolean;
}

/** Whether an update whose answer was lost has begun. */
export type StartFinding =
  | { readonly kind: 'started'; readonly started: StartedUpdate }
  | { readonly kind: 'not-started'; readonly message: string }
  /** It cannot be told, or not now: ask again later, and send nothing meanwhile. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Notes what is on the BMC; to be stored and given to findStartedUpdate if the answer to the sending is lost. */
export async function markBeforeInstall(bmc: Bmc, order: InstallOrder): Promise<InstallMark> {
  const ways = waysOf((await bmc.root()).vendor);
  const tasks = (await listTaskUris(bmc)) ?? [];
  const jobs = await listJobs(bmc, ways);
  const wasThere = await isThere(bmc, order);
  return { at: bmc.clock.now(), taskUris: [...tasks, ...jobs].map(barePath), wasThere };
}

/** A BMC may need a moment until an update that it took shows up; nothing is concluded before a second look. */
const secondLookMs = 15_000;

/**
 * Finds out whether an update was begun whose answer was lost, by the tasks, the vendor's jobs and state, and the
 * inventory. `since` is the mark from before the sending, or its time where none was made; then the BMC's clock must be
 * believed. Sends nothing that changes. Throws only BmcErrors that are no answer (lost lease ...).
 */
export async function findStartedUpdate(
  bmc: Bmc,
  order: InstallOrder,
  since: InstallMark | number,
): Promise<StartFinding> {
  try {
    const first = await lookForStart(bmc, order, since);
    if (first.kind !== 'not-started') return first;
    await sleep(bmc.clock, secondLookMs);
    return await lookForStart(bmc, order, since);
  } catch (error) {
    if (isPassing(error) || isBmcError(error, 'credentials')) {
      return {
        kind: 'unknown',
        message: `the BMC cannot be asked now, which may be the update itself: ${error.message}`,
      };
    }
    throw error;
  }
}

async function lookForStart(bmc: Bmc, order: InstallOrder, since: InstallMark | number): Promise<StartFinding> {
  const ways = waysOf((await bmc.root()).vendor);
  const offer = await describeUpdateService(bmc);
  const plan = planInstall({ origin: bmc.gate.origin, order, offer, ways });
  const base = {
    via: plan.via,
    component: order.component,
    startedAt: typeof since === 'number' ? since : since.at,
    ...(plan.applyTime === undefined ? {} : { applyTime: plan.applyTime }),
  } as const;
  const seen = await newTasks(bmc, ways, since);
  const updates = (seen ?? []).filter((task) => ways.recognise(task) === 'update');
  const newest = updates.at(-1);
  if (newest !== undefined) {
    const started = { ...base, ...asStarted(newest, { offer, ways, applyTime: plan.applyTime }) };
    return { kind: 'started', started };
  }
  const isRunning = (await ways.readServiceProgress(bmc))?.kind === 'running';
  const wasThere = typeof since === 'number' ? order.isForced === true : since.wasThere;
  if (isRunning || (!wasThere && (await isThere(bmc, order)))) {
    return { kind: 'started', started: { ...base, taskUri: undefined, jobUri: undefined } };
  }
  return withoutTrace(seen, ways);
}

function withoutTrace(seen: readonly TaskSnapshot[] | undefined, ways: UpdateWays): StartFinding {
  if (seen === undefined) {
    return {
      kind: 'unknown',
      message: 'the BMC has no list of tasks, and its inventory does not show the new version',
    };
  }
  const unclear = seen.filter((task) => ways.recognise(task) === 'unclear');
  if (unclear.length === 0) return { kind: 'not-started', message: 'no task, job or version of it is on the BMC' };
  const told = unclear.map(({ uri, name }) => `${uri} (${name})`).join(', ');
  return { kind: 'unknown', message: `new tasks are there of which it is not clear what they do: ${told}` };
}

/** A task as something to follow; only uploaded where it is the check of an image that waits for StartUpdate. */
function asStarted(
  task: TaskSnapshot,
  about: { readonly offer: UpdateOffer; readonly ways: UpdateWays; readonly applyTime: string | undefined },
): Pick<StartedUpdate, 'taskUri' | 'jobUri' | 'startTarget'> {
  const { offer, ways, applyTime } = about;
  const isCheck = /\bverif/i.test(task.name) || /^(?:pending|new|suspended)$/i.test(task.state);
  const startTarget = applyTime === 'OnStartUpdateRequest' && isCheck ? offer.startUpdate : undefined;
  return { taskUri: task.uri, jobUri: ways.jobUriOf(task.uri), ...(startTarget === undefined ? {} : { startTarget }) };
}

/** Tasks and jobs that came after the mark, oldest first; undefined where the BMC lists none at all. */
async function newTasks(
  bmc: Bmc,
  ways: UpdateWays,
  since: InstallMark | number,
): Promise<readonly TaskSnapshot[] | undefined> {
  const known = new Set(typeof since === 'number' ? [] : since.taskUris);
  const tasks = await readTasks(bmc, (uri) => !known.has(barePath(uri)));
  const jobs: TaskSnapshot[] = [];
  for (const uri of await listJobs(bmc, ways)) {
    if (known.has(barePath(uri)) || tasks?.some((task) => ways.jobUriOf(task.uri) === uri)) continue;
    const answer = await readTask(bmc, uri);
    if (answer.kind === 'task') jobs.push(answer.task);
  }
  if (tasks === undefined && jobs.length === 0) return undefined;
  const all = [...jobs, ...(tasks ?? [])];
  const recent = typeof since === 'number' ? all.filter((task) => isSince(task, since)) : all;
  return recent.toSorted((a, b) => (a.startTime ?? 0) - (b.startTime ?? 0));
}

/** Without a mark only unfinished tasks and those of a believable time can be of this update. */
function isSince(task: TaskSnapshot, since: number): boolean {
  const { kind } = progressOfTask(task);
  if (kind !== 'completed' && kind !== 'failed') return true;
  return task.startTime !== undefined && task.startTime >= since - 60_000;
}

async function listJobs(bmc: Bmc, ways: UpdateWays): Promise<readonly string[]> {
  if (ways.jobCollection === undefined) return [];
  try {
    return await listPaths(bmc, ways.jobCollection);
  } catch (error) {
    if (isBmcError(error, 'notFound')) return [];
    throw error;
  }
}

/** Whether a slot of the component has, or will have after a reset, the version of the order. */
async function isThere(bmc: Bmc, order: InstallOrder): Promise<boolean> {
  const { version } = order;
  if (version === undefined) return false;
  const { vendor } = await bmc.root();
  const { slots } = await readFirmware(bmc);
  return slots
    .filter((slot) => slot.component === order.component && slot.isBackup !== true)
    .some(({ version: now, pendingVersion }) =>
      [now, pendingVersion].some((each) => each !== undefined && isSameVersion(vendor, each, version)),
    );
}
