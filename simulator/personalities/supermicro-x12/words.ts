import type { ComponentType } from '../../images/component-type.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { UpdateFault } from '../../machine/updates.ts';
import type { JsonObject, RedfishAnswer } from '../../redfish/route.ts';
import { componentOf, isFinished, isSuccess, updateOf } from '../parts/update-facts.ts';

/** Key of a message of Supermicro's own registry, its text and status. */
export interface SupermicroMessage {
  readonly key: string;
  readonly text: string;
  readonly status: number;
}

/** What the BMC says about what can go wrong with an update. */
export const supermicroFaults: Readonly<Record<UpdateFault, SupermicroMessage>> = {
  'not-an-image': { key: 'OemFirmwareImageNotValid', text: 'The uploaded file is not a firmware image.', status: 400 },
  corrupt: { key: 'OemFirmwareVerifyFailed', text: 'The signature of the firmware is not valid.', status: 400 },
  truncated: { key: 'OemFirmwareVerifyFailed', text: 'The firmware image is not complete.', status: 400 },
  'wrong-model': { key: 'OemFirmwareBoardIdMismatch', text: 'The firmware is for another board.', status: 400 },
  'wrong-target': { key: 'OemTargetNotMatch', text: 'The firmware does not fit the target.', status: 400 },
  'too-large': { key: 'OemFirmwareSizeNotValid', text: 'The firmware image is too large.', status: 413 },
  'download-failed': { key: 'OemDownloadFailed', text: 'The firmware could not be downloaded.', status: 400 },
  busy: { key: 'OemFirmwareAlreadyInUpdateMode', text: 'A firmware update was already in update mode.', status: 405 },
  'host-must-be-off': { key: 'OemSystemMustBeOff', text: 'The system must be off.', status: 409 },
  'unsupported-apply-time': {
    key: 'OemApplyTimeNotSupported',
    text: 'The applying time is not supported.',
    status: 400,
  },
  'missing-member': { key: 'OemParameterMissing', text: 'A parameter is missing.', status: 400 },
  'flash-failed': { key: 'OemFirmwareUpdateFailed', text: 'The firmware could not be written.', status: 500 },
};

/** What the BMC calls a component in task names and messages. */
export function labelOf(component: ComponentType): string {
  const labels: Partial<Record<ComponentType, string>> = {
    bmc: 'BMC',
    bios: 'BIOS',
    cpld: 'CPLD',
    nic: 'NIC',
    psu: 'PSU',
  };
  return labels[component] ?? 'Firmware';
}

/** `Bios`, as in the names of properties. */
function propertyLabel(component: ComponentType): string {
  const label = labelOf(component);
  return label.charAt(0) + label.slice(1).toLowerCase();
}

/** A body in Supermicro's spelling: `Message` with a capital M. */
export function supermicroError(status: number, message: JsonObject): RedfishAnswer {
  return {
    status,
    body: {
      error: {
        code: 'Base.v1_10_3.GeneralError',
        Message: 'A general error has occurred. See ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [message],
      },
    },
  };
}

/** An element of ExtendedInfo of Supermicro's own registry. */
export function supermicroMessage(key: string, text: string, args: readonly string[] = []): JsonObject {
  return {
    MessageId: `SMC.1.0.${key}`,
    Severity: 'Warning',
    Resolution: 'Check whether there is a next step to execute.',
    Message: text,
    MessageArgs: [...args],
    RelatedProperties: [],
  };
}

/** The acceptance: the task's address is an argument of a message, and in Location. */
export function supermicroAccepted(
  taskUri: string,
  step: { readonly component: ComponentType; readonly isVerify: boolean },
): RedfishAnswer {
  return {
    status: 202,
    headers: { Location: taskUri },
    body: {
      Accepted: {
        code: 'Base.v1_10_3.Accepted',
        Message: 'Successfully Accepted Request. Please see the location header and ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [
          {
            MessageId: 'SMC.1.0.OemSimpleupdateAcceptedMessage',
            Severity: 'Ok',
            Resolution: 'No resolution was required.',
            Message: `Please also check Task Resource ${taskUri} to see more information.`,
            MessageArgs: [taskUri],
            RelatedProperties: [`${propertyLabel(step.component)}${step.isVerify ? 'Verify' : 'Update'}Accepted`],
          },
        ],
      },
    },
  };
}

/** `BIOS Verify` while an upload is checked, `BIOS Update` while it is written. */
export function supermicroTaskName(machine: Machine, task: Task): string {
  if (task.kind !== 'firmware') return task.kind === 'bios' ? 'BIOS Attributes' : 'Power Control';
  return `${labelOf(componentOf(updateOf(machine, task)))} ${task.stage === 'verify' ? 'Verify' : 'Update'}`;
}

/** What a task says of itself; an empty message while it runs, as the real ones do. */
export function supermicroTaskMessage(task: Task): JsonObject {
  if (!isFinished(task))
    return { MessageId: '', RelatedProperties: [''], Message: '', MessageArgs: [''], Severity: '' };
  if (isSuccess(task)) return { ...supermicroMessage('OemTaskCompleted', 'The task completed.'), Severity: 'OK' };
  const said = supermicroFaults[task.reason as UpdateFault] ?? supermicroFaults['flash-failed'];
  return { ...supermicroMessage(said.key, said.text), Severity: 'Critical' };
}
