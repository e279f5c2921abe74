import { messageKey, type RedfishMessage } from '../redfish/index.ts';

/**
 * What messages mean that BMCs give when an update fails, and what to do about it. The key is the last part of the
 * message id, which stays the same from version to version of a registry.
 */
const meanings: Readonly<Record<string, string>> = {
  // DMTF's Update registry
  TransferFailed:
    'the image could not be fetched or did not arrive whole: check that the BMC can reach the file server',
  VerificationFailed: 'the image did not pass the check of its signature or checksum: fetch it again from the vendor',
  ApplyFailed: 'the image could not be written',
  ActivateFailed: 'the image was written but could not be made active',
  NoTargetsDetermined: 'the image is for no component of this server: check model and component',
  UpdateNotApplicable: 'the image is not for this server, or a newer version is there: check model and component',
  // Dell
  JCP052: 'the job is stuck in the queue of the iDRAC: reset the BMC, then start again',
  SYS518: 'the Lifecycle Controller is busy: try again later',
  SYS011: 'other jobs are in the queue of the iDRAC: let them end or clear the queue',
  RED007: 'the signature of the image does not hold: fetch it again from the vendor',
  // HPE
  UpdateInvalidFile: 'the file is not a firmware image that the iLO knows',
  UpdateBadParameter: 'a parameter of the request is wrong',
  UpdateDependencyFailure: 'the image needs another component at a newer version first',
  UpdateTaskQueueFull: 'the update task queue of the iLO is full: remove finished tasks from it',
  UpdateWithPowerOff: 'the host must be off for this update',
  UpdateWithPowerOn: 'the host must be on for this update',
  UpdateInterrupted: 'the update was interrupted, or not all of the image was there: check the image',
  UpdateCancelled: 'the update was cancelled',
  UpdateTemporarilyUnavailable: 'the server cannot do this update just now: try again later',
  InvalidOperationForSystemState:
    'the server does not do this in its present state: let its self-test or another update end, and try again',
  // Supermicro
  OemFirmwareAlreadyInUpdateMode:
    'the BMC is still in update mode from an earlier try: let that one end, or reset the BMC if none runs',
  OemLicenseNotPassed: 'the server has no licence for this (SFT-DCMS-SINGLE)',
};

/** What a message id means to somebody who does not know the vendor; undefined where nothing is known. */
export function meaningOf(messageId: string): string | undefined {
  const key = messageKey(messageId);
  return Object.hasOwn(meanings, key) ? meanings[key] : undefined;
}

/** Why something failed: what is known of the message ids first, then the BMC's own words. */
export function explainMessages(messages: readonly RedfishMessage[]): string {
  const bad = messages.filter(({ severity }) => severity !== undefined && !/^ok$/i.test(severity));
  const told = bad.length > 0 ? bad : messages;
  const parts = told.flatMap(({ id, text }) => {
    const meaning = id === '' ? undefined : meaningOf(id);
    const words = [meaning, text === meaning ? '' : text].filter((part) => part !== undefined && part !== '');
    if (words.length === 0) return id === '' ? [] : [id];
    return [`${words.join('; the BMC says: ')}${id === '' ? '' : ` (${id})`}`];
  });
  return [...new Set(parts)].slice(-4).join('. ');
}

/** The ids of messages that have one. */
export function idsOf(messages: readonly RedfishMessage[]): readonly string[] {
  return [...new Set(messages.map(({ id }) => id).filter((id) => id !== ''))];
}
