import type { Task } from '../../machine/tasks.ts';
import type { UpdateFault } from '../../machine/updates.ts';
import type { JsonObject, RedfishAnswer } from '../../redfish/route.ts';
import { isFinished, isSuccess } from '../parts/update-facts.ts';

/** Key of an iLO message, its text and the status it comes with. */
export interface HpeMessage {
  readonly key: string;
  readonly text: string;
  readonly status: number;
}

/** What iLO says about what can go wrong with an update. */
export const hpeFaults: Readonly<Record<UpdateFault, HpeMessage>> = {
  'not-an-image': { key: 'UpdateInvalidFile', text: 'The file is not a valid component.', status: 400 },
  corrupt: { key: 'UpdateInvalidFile', text: 'The file is not a valid component.', status: 400 },
  truncated: { key: 'UpdateInterrupted', text: 'The update was interrupted before all of it was there.', status: 400 },
  'wrong-model': { key: 'UpdateNotApplicable', text: 'The component is not applicable to this system.', status: 400 },
  'wrong-target': { key: 'UpdateNotApplicable', text: 'The component is not applicable to the target.', status: 400 },
  'too-large': {
    key: 'UpdateRepositoryUnavailable',
    text: 'The repository has no room for the component.',
    status: 400,
  },
  'download-failed': { key: 'UpdateFailed', text: 'The image could not be downloaded.', status: 400 },
  busy: { key: 'UpdateTemporarilyUnavailable', text: 'An update is in progress already.', status: 400 },
  'host-must-be-off': { key: 'UpdateWithPowerOff', text: 'The system must be off for this update.', status: 400 },
  'unsupported-apply-time': { key: 'UpdateBadParameter', text: 'The update was given a bad parameter.', status: 400 },
  'missing-member': { key: 'UpdateBadParameter', text: 'A parameter of the update is missing.', status: 400 },
  'flash-failed': { key: 'UpdateFailed', text: 'The component reported an error while it was written.', status: 500 },
};

/** An element of ExtendedInfo as iLO sends it: the id and arguments, the text is left to the registry. */
export function hpeMessage(messageId: string, args: readonly string[] = []): JsonObject {
  return { MessageId: messageId, ...(args.length === 0 ? {} : { MessageArgs: [...args] }) };
}

/** iLO's body for refusals and for successes alike. */
export function hpeAnswer(status: number, messages: readonly JsonObject[]): RedfishAnswer {
  return {
    status,
    body: {
      error: {
        code: 'iLO.0.10.ExtendedInfo',
        message: 'See @Message.ExtendedInfo for more information.',
        '@Message.ExtendedInfo': [...messages],
      },
    },
  };
}

/** What a task says of itself. */
export function hpeTaskMessage(registry: string, task: Task): JsonObject {
  if (!isFinished(task))
    return { ...hpeMessage('Base.1.4.Success'), Message: 'The update is in progress.', Severity: 'OK' };
  if (isSuccess(task))
    return { ...hpeMessage(`${registry}.Success`), Message: 'The update completed.', Severity: 'OK' };
  const said = hpeFaults[task.reason as UpdateFault] ?? hpeFaults['flash-failed'];
  return { ...hpeMessage(`${registry}.${said.key}`, [said.text]), Message: said.text, Severity: 'Critical' };
}
