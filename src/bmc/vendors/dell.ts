import type { Bmc, ComponentType } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { InstallOrder } from '../firmware-update.ts';
import { lastSegment } from '../redfish/index.ts';
import { progressOfTask, type TaskSnapshot } from '../tasks/index.ts';
import { firstOffered, genericWays, recogniseUpdate } from './generic.ts';
import { readAllTasks } from './read-all-tasks.ts';
import type { UpdateWays } from './update-ways.ts';

/** The one manager that every iDRAC has. */
export const idracPath = '/redfish/v1/Managers/iDRAC.Embedded.1';

/** How the iDRAC names its update jobs: `Firmware Update: ` and one of these. */
const jobNames: readonly (readonly [RegExp, ComponentType])[] = [
  [/\bBIOS\b/i, 'bios'],
  [/iDRAC|Lifecycle Controller/i, 'bmc'],
  [/Network|Ethernet|\bNIC\b|InfiniBand|Fibre/i, 'nic'],
  [/Serial ATA|\bDisk\b|\bDrive\b|NVMe|\bSSD\b/i, 'drive'],
  [/\bRAID\b|\bSAS\b|PERC|\bHBA\b|\bBOSS\b|Backplane/i, 'storage-controller'],
  [/Power Supply|\bPSU\b/i, 'psu'],
  [/CPLD/i, 'cpld'],
  [/\bGPU\b|Accelerator|Video/i, 'gpu'],
];

/** Dell iDRAC 9 and later. */
export const dellWays: UpdateWays = {
  ...genericWays,
  vendor: 'dell',
  choosesParts: true,
  // Immediate makes the iDRAC restart the host by itself.
  chooseApplyTime: (component, offered) =>
    firstOffered(offered, component === 'bmc' ? ['Immediate', 'OnReset'] : ['OnReset', 'Immediate']),
  checkBefore: refuseSecondJob,
  jobUriOf(taskUri) {
    const id = lastSegment(taskUri);
    return /^JID_\w+$/.test(id) ? `${idracPath}/Oem/Dell/Jobs/${id}` : undefined;
  },
  jobCollection: `${idracPath}/Oem/Dell/Jobs`,
  recognise(task) {
    const type = task.vendorJob?.type;
    if (type === undefined) return recogniseUpdate(task);
    return /^(?:FirmwareUpdate|RepositoryUpdate|FirmwareRollback)$/.test(type) ? 'update' : 'other';
  },
};

/** What a job of the iDRAC writes to; undefined where its name does not tell. */
export function componentOfJob(name: string): ComponentType | undefined {
  return jobNames.find(([words]) => words.test(name))?.[1];
}

/** Two jobs for one component block each other, and the second is lost when the host restarts. */
async function refuseSecondJob(bmc: Bmc, order: InstallOrder): Promise<void> {
  const what = `queue an update of ${order.component}`;
  const tasks = await readAllTasks(bmc, what);
  const unfinished = tasks.find((task) => isUnfinishedUpdate(task) && isSameComponent(task, order.component));
  if (unfinished === undefined) return;
  const id = lastSegment(unfinished.uri);
  throw new BmcError('blocked', {
    origin: bmc.gate.origin,
    what,
    detail: `job ${id} (${unfinished.name}) is ${unfinished.vendorJob?.state ?? unfinished.state}; let it end (a Scheduled one goes on when the host restarts) or clear the job queue`,
  });
}

function isUnfinishedUpdate(task: TaskSnapshot): boolean {
  if (dellWays.recognise(task) !== 'update') return false;
  const { kind } = progressOfTask(task);
  return kind !== 'completed' && kind !== 'failed';
}

function isSameComponent(task: TaskSnapshot, component: string): boolean {
  const other = componentOfJob(task.name);
  return other === component || (other === undefined && !jobNames.some(([, known]) => known === component));
}
