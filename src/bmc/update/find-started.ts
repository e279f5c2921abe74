import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { InstallOrder, StartedUpdate } from '../firmware-update.ts';
import { isPassing } from '../outage.ts';
import type { Gap } from '../redfish/index.ts';
import type { TaskList, TaskSnapshot } from '../tasks/index.ts';
import { type UpdateWays, waysOf } from '../vendors/index.ts';
import { type InstallMark, lookForVersion } from './install-mark.ts';
import { planInstall } from './install-plan.ts';
import { readNewTasks } from './new-tasks.ts';
import { describeUpdateService } from './update-service.ts';
import { isCheck } from './upload-check.ts';

/** Whether an update whose answer was lost has begun. */
export type StartFinding =
  | { readonly kind: 'started'; readonly started: StartedUpdate }
  | { readonly kind: 'not-started'; readonly message: string }
  /** It cannot be told, or not now: ask again later, and send nothing meanwhile. */
  | { readonly kind: 'unknown'; readonly message: string };

/** A BMC may need a moment until an update that it took shows up; nothing is concluded before a second look. */
const secondLookMs = 15_000;

/**
 * Finds out whether an update was begun whose answer was lost, by the tasks, the vendor's jobs and state, and the
 * inventory. `since` is the mark from before the sending, or its time where none was made; then the BMC's clock must be
 * believed. What cannot be looked at leaves it unknown. Sends nothing that changes. Throws only BmcErrors that are no
 * answer (lost lease ...).
 */
export async function findStartedUpdate(
  bmc: Bmc,
  order: InstallOrder,
  since: InstallMark | number,
): Promise<StartFinding> {
  try {
    const first = await lookForStart(bmc, order, since);
    if (isSure(first)) return first;
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

/** An update that is not seen yet, or only its upload, may show up in a moment. */
function isSure(finding: StartFinding): boolean {
  return finding.kind === 'unknown' || (finding.kind === 'started' && finding.started.startTarget === undefined);
}

async function lookForStart(bmc: Bmc, order: InstallOrder, since: InstallMark | number): Promise<StartFinding> {
  const ways = waysOf((await bmc.root()).vendor);
  const offer = await describeUpdateService(bmc);
  const plan = planInstall({ origin: bmc.gate.origin, order, offer, ways });
  const mark = typeof since === 'number' ? undefined : since;
  const base = {
    via: plan.via,
    component: order.component,
    startedAt: mark?.at ?? Number(since),
    ...(plan.applyTime === undefined ? {} : { applyTime: plan.applyTime }),
  } as const;
  const seen = await readNewTasks(bmc, ways, since);
  const updates = seen.tasks.filter((task) => ways.recognise(task) === 'update');
  // Where there is an update its check is over, whatever the clock of the BMC says of the two.
  const newest = updates.findLast((task) => !isCheck(task)) ?? updates.at(-1);
  if (newest !== undefined && mark?.unseenTasks !== undefined) return maybeOld(newest, mark.unseenTasks);
  const followed = newest && { taskUri: newest.uri, jobUri: ways.jobUriOf(newest.uri) };
  const isUploaded = newest !== undefined && plan.applyTime === 'OnStartUpdateRequest' && isCheck(newest);
  if (followed !== undefined && !isUploaded) return { kind: 'started', started: { ...base, ...followed } };
  const isRunning = (await ways.readServiceProgress(bmc))?.kind === 'running';
  const version = await lookForVersion(bmc, order);
  const isFound = version.isThere && !(mark?.wasThere ?? order.isForced === true);
  if (isRunning || (isFound && mark?.unseenFirmware === undefined)) {
    return { kind: 'started', started: { ...base, taskUri: undefined, jobUri: undefined } };
  }
  const gaps = [...seen.gaps, ...version.gaps, ...(isFound ? (mark?.unseenFirmware ?? []) : [])];
  if (gaps.length > 0 || seen.gone.length > 0) return unseen(gaps, seen.gone);
  if (newest === undefined && (await ways.mayHaveForgotten(bmc, bmc.clock.now() - base.startedAt))) {
    return { kind: 'started', started: { ...base, taskUri: undefined, jobUri: undefined, isAssumed: true } };
  }
  if (followed === undefined || newest === undefined || offer.startUpdate === undefined)
    return withoutTrace(seen, ways);
  const earlierTasks = [...(mark?.taskUris ?? []), newest.uri];
  const upload = { startTarget: offer.startUpdate, ...(mark === undefined ? {} : { earlierTasks }) };
  return { kind: 'started', started: { ...base, ...followed, ...upload } };
}

function withoutTrace(seen: TaskList, ways: UpdateWays): StartFinding {
  if (!seen.isKept) {
    return {
      kind: 'unknown',
      message: 'the BMC has no list of tasks, and its inventory does not show the new version',
    };
  }
  const unclear = seen.tasks.filter((task) => ways.recognise(task) === 'unclear');
  if (unclear.length === 0) return { kind: 'not-started', message: 'no task, job or version of it is on the BMC' };
  const told = unclear.map(({ uri, name }) => `${uri} (${name})`).join(', ');
  return { kind: 'unknown', message: `new tasks are there of which it is not clear what they do: ${told}` };
}

/** What could not be looked at may be the update. */
function unseen(gaps: readonly Gap[], gone: readonly string[]): StartFinding {
  const missing = gone.map((uri) => `${uri} (it is listed and not there)`);
  const told = [...gaps.map(({ path, reason }) => `${path} (${reason})`), ...missing].join('; ');
  return { kind: 'unknown', message: `not everything can be seen that would tell of the update: ${told}` };
}

function maybeOld(task: TaskSnapshot, gaps: readonly Gap[]): StartFinding {
  const told = gaps.map(({ path, reason }) => `${path} (${reason})`).join('; ');
  const message = `${task.uri} (${task.name}) is an update that may have been there before: it could not be seen then, for ${told}`;
  return { kind: 'unknown', message };
}
