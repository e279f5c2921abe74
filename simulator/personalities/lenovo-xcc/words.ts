import type { Task } from '../../machine/tasks.ts';
import type { UpdateFault } from '../../machine/updates.ts';
import { makeMessage } from '../../redfish/resources/index.ts';
import type { JsonObject } from '../../redfish/route.ts';
import { isFinished, isSuccess } from '../parts/update-facts.ts';

/** Id, text and status of a message. */
export interface LenovoMessage {
  readonly id: string;
  readonly text: string;
  readonly status: number;
}

const own = 'ExtendedError.1.2';

/** What XCC says about what can go wrong with an update. */
export const lenovoFaults: Readonly<Record<UpdateFault, LenovoMessage>> = {
  'not-an-image': { id: 'Update.1.0.VerificationFailed', text: 'The image could not be verified.', status: 400 },
  corrupt: { id: 'Update.1.0.VerificationFailed', text: 'The image could not be verified.', status: 400 },
  truncated: { id: 'Update.1.0.TransferFailed', text: 'The image did not arrive as a whole.', status: 400 },
  'wrong-model': {
    id: 'Update.1.0.NoTargetsDetermined',
    text: 'No target of this system fits the image.',
    status: 400,
  },
  'wrong-target': {
    id: 'Update.1.0.NoTargetsDetermined',
    text: 'The named target does not fit the image.',
    status: 400,
  },
  'too-large': { id: `${own}.ImageSizeExceeded`, text: 'The image is larger than MaxImageSizeBytes.', status: 413 },
  'download-failed': { id: 'Update.1.0.TransferFailed', text: 'The image could not be fetched.', status: 400 },
  busy: { id: `${own}.UpdateInProgress`, text: 'Another firmware update is in progress.', status: 503 },
  'host-must-be-off': {
    id: `${own}.OperationNotPermitted`,
    text: 'The system must be off for this update.',
    status: 409,
  },
  'unsupported-apply-time': {
    id: `${own}.ApplyTimeNotSupported`,
    text: 'The applying time is not supported.',
    status: 400,
  },
  'missing-member': { id: 'PropertyMissing', text: 'A property of the request is missing.', status: 400 },
  'flash-failed': { id: 'Update.1.0.ApplyFailed', text: 'Writing the image failed.', status: 500 },
};

/** The message of a task that goes on as a job. */
export function transitionedTo(jobPath: string): JsonObject {
  return makeMessage({
    messageId: 'Update.1.0.OperationTransitionedToJob',
    message: `The update operation has transitioned to the job at URI '${jobPath}'.`,
    args: [jobPath],
    severity: 'OK',
  });
}

/** What a task says of itself. */
export function lenovoTaskMessage(task: Task): JsonObject {
  if (!isFinished(task)) {
    return makeMessage({
      messageId: 'Update.1.0.InstallingOnComponent',
      message: 'The image is being installed.',
      severity: 'OK',
    });
  }
  if (isSuccess(task)) {
    return makeMessage({
      messageId: 'Update.1.0.UpdateSuccessful',
      message: 'The image was installed.',
      severity: 'OK',
    });
  }
  const said = lenovoFaults[task.reason as UpdateFault] ?? lenovoFaults['flash-failed'];
  return makeMessage({ messageId: said.id, message: said.text, severity: 'Critical' });
}
