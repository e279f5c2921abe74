import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { Update, UpdateFault } from '../../machine/updates.ts';
import { isFinished, isSuccess, updateOf } from '../parts/update-facts.ts';

/** A message of iDRAC's registry. */
export interface DellMessage {
  readonly id: string;
  readonly message: string;
  readonly resolution: string;
  readonly severity: 'OK' | 'Warning' | 'Critical';
}

/** Registry prefix of message ids in answers; jobs carry the bare id. */
export const dellRegistry = 'IDRAC.2.8';

const retryPackage = 'Get the Update Package from the service provider again.';

/** What iDRAC says about what can go wrong with an update. */
export const dellFaults: Readonly<Record<UpdateFault, DellMessage & { readonly status: number }>> = {
  'not-an-image': fault(400, 'RED007', 'Unable to verify Update Package signature.', retryPackage),
  corrupt: fault(400, 'RED007', 'Unable to verify Update Package signature.', retryPackage),
  truncated: fault(400, 'RED097', 'The specified Update Package is not complete.', retryPackage),
  'wrong-model': fault(
    400,
    'RED030',
    'The Update Package is not applicable to this system.',
    'Use a package for this model.',
  ),
  'wrong-target': fault(
    400,
    'RED069',
    'The Update Package does not fit the selected component.',
    'Select another component.',
  ),
  'too-large': fault(413, 'RED096', 'The Update Package is larger than the space for it.', 'Use a smaller package.'),
  'download-failed': fault(
    400,
    'RED008',
    'Unable to download Update Package.',
    'Check the share and the network, then retry.',
  ),
  busy: fault(
    503,
    'SYS518',
    'iDRAC is not ready: the Lifecycle Controller is in use.',
    'Retry the operation after some time.',
  ),
  'host-must-be-off': fault(400, 'RED014', 'The server must be off for this update.', 'Turn the server off and retry.'),
  'unsupported-apply-time': fault(
    400,
    'SYS428',
    'The value of @Redfish.OperationApplyTime is not supported.',
    'Use one of the supported values.',
  ),
  'missing-member': fault(
    400,
    'SYS403',
    'A required parameter is missing from the request.',
    'Add the parameter and retry.',
  ),
  'flash-failed': fault(500, 'SUP0516', 'Updating firmware failed while it was being written.', 'Retry the operation.'),
};

function fault(
  status: number,
  id: string,
  message: string,
  resolution: string,
): DellMessage & { readonly status: number } {
  return { status, id, message, resolution, severity: status >= 500 ? 'Critical' : 'Warning' };
}

const jobStates: Readonly<Record<Update['phase'], string>> = {
  uploaded: 'New',
  downloading: 'Downloading',
  verifying: 'Downloaded',
  scheduled: 'Scheduled',
  flashing: 'Running',
  activating: 'Running',
  done: 'Completed',
  failed: 'Failed',
};

/** JobState of a task: what Dell calls the stage of its update. */
export function jobStateOf(machine: Machine, task: Task): string {
  if (isFinished(task))
    return isSuccess(task) ? 'Completed' : task.state === 'Completed' ? 'CompletedWithErrors' : 'Failed';
  const update = updateOf(machine, task);
  if (update !== undefined) return jobStates[update.phase];
  return task.state === 'Running' ? 'Running' : 'Scheduled';
}

const running: Readonly<Record<string, readonly [string, string]>> = {
  New: ['JCP000', 'New job.'],
  Downloading: ['RED001', 'Job in progress: downloading.'],
  Downloaded: ['RED002', 'Package successfully downloaded.'],
  Scheduled: ['JCP001', 'Task successfully scheduled.'],
  Running: ['SUP001', 'Job in progress.'],
};

/** What the job or task says of itself now. */
export function jobMessageOf(machine: Machine, task: Task): DellMessage {
  if (!isFinished(task)) {
    const [id, message] = running[jobStateOf(machine, task)] ?? ['PR20', 'Job in progress.'];
    return { id, message, resolution: 'No response action is required.', severity: 'OK' };
  }
  if (isSuccess(task)) {
    const id = task.kind === 'firmware' ? 'RED001' : 'PR19';
    return {
      id,
      message: 'Job completed successfully.',
      resolution: 'No response action is required.',
      severity: 'OK',
    };
  }
  // A job that ends as Completed and Critical never really started.
  if (task.state === 'Completed') {
    return {
      id: 'JCP052',
      message: 'Job processing initialization failure.',
      resolution: 'Reset iDRAC, then retry.',
      severity: 'Critical',
    };
  }
  return { ...(dellFaults[task.reason as UpdateFault] ?? dellFaults['flash-failed']), severity: 'Critical' };
}

const jobNames: Readonly<Record<string, string>> = {
  bmc: 'Firmware Update: iDRAC with Lifecycle Controller',
  bios: 'Firmware Update: BIOS',
  cpld: 'Firmware Update: CPLD',
  nic: 'Firmware Update: Network',
  drive: 'Firmware Update: Drive',
  psu: 'Firmware Update: Power Supply',
  'storage-controller': 'Firmware Update: SAS RAID',
};

/** Name of a task and of its job. */
export function jobNameOf(machine: Machine, task: Task): string {
  if (task.kind === 'bios') return 'ConfigBIOS:BIOS.Setup.1-1';
  if (task.kind === 'power') return 'Reboot3';
  const component = updateOf(machine, task)?.slots[0]?.component;
  return (component === undefined ? undefined : jobNames[component]) ?? 'Firmware Update';
}

/** JobType of a task. */
export function jobTypeOf(task: Task): string {
  return { firmware: 'FirmwareUpdate', bios: 'BIOSConfiguration', power: 'RebootForce' }[task.kind];
}
