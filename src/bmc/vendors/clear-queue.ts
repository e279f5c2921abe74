import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { messageKey } from '../redfish/index.ts';
import { idracPath } from './dell.ts';

/**
 * Throws all jobs of an iDRAC's queue away. Forced, the iDRAC also restarts its Lifecycle Controller, which takes some
 * minutes. Disruptive: jobs of others go too. `unsupported` on other BMCs.
 */
export async function clearJobQueue(bmc: Bmc, options: { readonly isForced: boolean }): Promise<void> {
  const { vendor } = await bmc.root();
  if (vendor !== 'dell') {
    throw new BmcError('unsupported', {
      origin: bmc.gate.origin,
      what: 'clear its queue of jobs',
      detail: `a ${vendor} BMC has no such action; reset the BMC to free its updater`,
    });
  }
  const body = { JobID: options.isForced ? 'JID_CLEARALL_FORCE' : 'JID_CLEARALL' };
  const action = 'DellJobService/Actions/DellJobService.DeleteJobQueue';
  try {
    await bmc.gate.request({ method: 'POST', path: `${idracPath}/Oem/Dell/${action}`, body, isDisruptive: true });
  } catch (error) {
    // Before iDRAC 4.40 the service was elsewhere.
    if (!isBmcError(error, 'notFound')) throw error;
    const path = `/redfish/v1/Dell/Managers/iDRAC.Embedded.1/${action}`;
    await bmc.gate.request({ method: 'POST', path, body, isDisruptive: true });
  }
}

/** What frees an updater that is stuck. */
export type Unsticking = 'reset-bmc' | 'reset-host' | 'clear-queue' | 'retry-later';

const cures: Readonly<Record<string, Unsticking>> = {
  JCP052: 'reset-bmc',
  OemFirmwareAlreadyInUpdateMode: 'reset-bmc',
  SYS011: 'clear-queue',
  SYS518: 'retry-later',
  UpdateTemporarilyUnavailable: 'retry-later',
  // An iLO says so also when it is only busy.
  InvalidOperationForSystemState: 'retry-later',
};

/** What would free the updater that gave these message ids; undefined where it does not look stuck. */
export function cureFor(messageIds: readonly string[]): Unsticking | undefined {
  for (const id of messageIds) {
    const key = messageKey(id);
    if (Object.hasOwn(cures, key)) return cures[key];
  }
  return undefined;
}

/**
 * True when an update may be refused because of one before it: an iLO that has written a ROM shows that nowhere, and
 * takes no other until the host has restarted.
 */
export function mayWaitForHost(messageIds: readonly string[]): boolean {
  return messageIds.some((id) => messageKey(id) === 'UpdateTemporarilyUnavailable');
}
