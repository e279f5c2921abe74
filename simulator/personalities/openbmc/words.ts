import type { Task } from '../../machine/tasks.ts';
import type { UpdateFault } from '../../machine/updates.ts';
import { makeMessage } from '../../redfish/resources/index.ts';
import type { JsonObject } from '../../redfish/route.ts';
import { isFinished, isSuccess } from '../parts/update-facts.ts';

/** Id, text and status of a message. */
export interface OpenbmcMessage {
  readonly id: string;
  readonly text: string;
  readonly status: number;
}

/** What bmcweb says about what can go wrong with an update: little, and most of it in the task. */
export const openbmcFaults: Readonly<Record<UpdateFault, OpenbmcMessage>> = {
  'not-an-image': { id: 'Update.1.0.VerificationFailed', text: 'The uploaded file is no image.', status: 400 },
  corrupt: { id: 'Update.1.0.VerificationFailed', text: 'The signature of the image is not valid.', status: 400 },
  truncated: { id: 'Update.1.0.VerificationFailed', text: 'The image ends too early.', status: 400 },
  'wrong-model': { id: 'OpenBMC.0.4.IncompatibleMachine', text: 'The image is for another machine.', status: 400 },
  'wrong-target': { id: 'PropertyValueNotInList', text: 'The target takes no such image.', status: 400 },
  'too-large': { id: 'PayloadTooLarge', text: 'The image is larger than MaxImageSizeBytes.', status: 413 },
  'download-failed': { id: 'Update.1.0.TransferFailed', text: 'The image could not be fetched.', status: 400 },
  busy: { id: 'ServiceTemporarilyUnavailable', text: 'An update is in progress.', status: 503 },
  'host-must-be-off': { id: 'ResourceInUse', text: 'The host must be off before its flash is written.', status: 400 },
  'unsupported-apply-time': {
    id: 'PropertyValueNotInList',
    text: 'The applying time is not in the list.',
    status: 400,
  },
  'missing-member': { id: 'PropertyMissing', text: 'A part of the request is missing.', status: 400 },
  'flash-failed': { id: 'Update.1.0.ApplyFailed', text: 'The image could not be activated.', status: 500 },
};

/** What a task says of itself, as bmcweb's task events do. */
export function openbmcTaskMessage(task: Task): JsonObject {
  const [key, text, severity] = isSuccess(task)
    ? (['TaskCompletedOK', 'has completed.', 'OK'] as const)
    : isFinished(task)
      ? (['TaskAborted', 'was aborted.', 'Critical'] as const)
      : (['TaskStarted', 'has started.', 'OK'] as const);
  return makeMessage({
    messageId: `TaskEvent.1.0.${key}`,
    message: `The task with id ${task.id} ${text}`,
    args: [task.id],
    severity,
  });
}

/** Why a failed task failed. */
export function openbmcFailure(task: Task): JsonObject[] {
  if (!isFinished(task) || isSuccess(task)) return [];
  const said = openbmcFaults[task.reason as UpdateFault] ?? openbmcFaults['flash-failed'];
  return [makeMessage({ messageId: said.id, message: said.text, severity: 'Critical' })];
}
