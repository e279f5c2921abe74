import type { Outcome } from '../../provisioner.ts';
import { type JsonObject, objectsOf, textOf } from '../client/index.ts';
import type { IronicNode } from '../node/index.ts';
import { busy, endMaintenance, type Workplace } from '../workplace.ts';

/** The faults for which Ironic puts a node into maintenance that failed, and leaves it to us to go on. */
const faultsOfWork = ['clean failure', 'service failure'];

/** Ironic drops the error of a deployment when it switches the host off after that; its history still has it. */
export async function withReason(place: Workplace, node: IronicNode): Promise<IronicNode> {
  if (node.lastError !== undefined || !node.provisionState.endsWith('failed')) return node;
  return { ...node, lastError: (await readErrors(place, node)).at(-1) };
}

/**
 * Ends the maintenance that Ironic began when its work on the node failed. Says that the node is busy where the
 * maintenance is for another reason: then somebody wants it left alone.
 */
export async function endFailure(place: Workplace, node: IronicNode): Promise<Outcome<never> | undefined> {
  if (!node.isInMaintenance) return undefined;
  if (!(await isOfIronic(place, node))) {
    const reason = node.maintenanceReason ?? 'no reason is given';
    return busy(place, `the node is in maintenance: ${reason}; it is left alone until that is ended in Ironic`);
  }
  await endMaintenance(place, node);
  return undefined;
}

/**
 * The fault alone does not tell: it stays when an operator begins maintenance of their own after the failure, and is
 * added when they did so before. Ironic gives as its own reason the error that it records.
 */
async function isOfIronic(place: Workplace, node: IronicNode): Promise<boolean> {
  const { fault = '', maintenanceReason: reason } = node;
  if (!faultsOfWork.includes(fault) || reason === undefined) return false;
  return reason === node.lastError || (await readErrors(place, node)).includes(reason);
}

/** The errors that Ironic remembers of a node, the newest last. */
async function readErrors(place: Workplace, node: IronicNode): Promise<readonly string[]> {
  const { history } = await place.client.call({ method: 'GET', path: `/nodes/${node.uuid}/history?detail=True` });
  return objectsOf(history)
    .filter(({ severity }) => severity === 'ERROR')
    .toSorted((one, other) => timeOf(one) - timeOf(other))
    .flatMap(({ event }) => textOf(event) ?? []);
}

function timeOf({ created_at }: JsonObject): number {
  return Date.parse(String(created_at)) || 0;
}
