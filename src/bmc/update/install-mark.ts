import type { Bmc } from '../bmc.ts';
import type { InstallOrder } from '../firmware-update.ts';
import { type FirmwareList, isSameVersion, readFirmware } from '../inventory/index.ts';
import { barePath, type Gap } from '../redfish/index.ts';
import { listJobUris, listTaskUris } from '../tasks/index.ts';
import { waysOf } from '../vendors/index.ts';

/** What was on the BMC before an update was sent. Plain data: it is stored before the sending. */
export interface InstallMark {
  readonly at: number;
  /** Tasks and jobs that were there: what comes later is new, whatever the BMC's clock says. */
  readonly taskUris: readonly string[];
  /** The version was already there: finding it later says nothing. */
  readonly wasThere: boolean;
  /** What could not be seen of tasks and jobs: one that is found later may have been there; absent where all was seen. */
  readonly unseenTasks?: readonly Gap[];
  /** What could not be seen of the firmware: the version may have been there; absent where all was seen. */
  readonly unseenFirmware?: readonly Gap[];
}

/**
 * Notes what is on the BMC; to be stored and given to findStartedUpdate if the answer to the sending is lost. Who has just
 * read what is installed can give that.
 */
export async function markBeforeInstall(bmc: Bmc, order: InstallOrder, installed?: FirmwareList): Promise<InstallMark> {
  const ways = waysOf((await bmc.root()).vendor);
  const tasks = await listTaskUris(bmc);
  const jobs = await listJobUris(bmc, ways.jobCollection);
  const version = await lookForVersion(bmc, order, installed);
  const unseenTasks = [...tasks.gaps, ...jobs.gaps];
  return {
    at: bmc.clock.now(),
    taskUris: [...tasks.uris, ...jobs.uris].map(barePath),
    wasThere: version.isThere,
    ...(unseenTasks.length === 0 ? {} : { unseenTasks }),
    ...(version.isThere || version.gaps.length === 0 ? {} : { unseenFirmware: version.gaps }),
  };
}

/** Whether a slot of the component has, or will have after a reset, the version of the order; and what was not seen. */
export async function lookForVersion(
  bmc: Bmc,
  order: InstallOrder,
  installed?: FirmwareList,
): Promise<{ readonly isThere: boolean; readonly gaps: readonly Gap[] }> {
  const { version } = order;
  if (version === undefined) return { isThere: false, gaps: [] };
  const { vendor } = await bmc.root();
  const { slots, gaps } = installed ?? (await readFirmware(bmc));
  const isThere = slots
    .filter((slot) => slot.component === order.component && slot.isBackup !== true)
    .some(({ version: now, pendingVersion }) =>
      [now, pendingVersion].some((each) => each !== undefined && isSameVersion(vendor, each, version)),
    );
  return { isThere, gaps };
}
