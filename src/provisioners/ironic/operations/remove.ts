import type { Outcome } from '../../provisioner.ts';
import { isIronicError } from '../client/index.ts';
import { farewells, type IronicNode, isAbortable, isHeldByUs, isLeftOver, isUnderWay } from '../node/index.ts';
import { askFor, busy, continueIn, done, findNodeToForget, type Workplace } from '../workplace.ts';

/** States in which Ironic lets go of a node without more ado. */
const removableStates = ['enroll', 'manageable', 'adopt failed'];

/** Makes Ironic forget the host and leave it as it is, in the middle of work only when forced. */
export async function detachHost(place: Workplace, order: { readonly isForced: boolean }): Promise<Outcome> {
  const node = await findNodeToForget(place);
  if (node === undefined) return done;
  if (isUnderWay(node.provisionState) && !order.isForced) {
    return busy(place, `Ironic works on the node (${node.provisionState})`);
  }
  return forget(place, node, 'detached');
}

/** Makes Ironic forget the host that is to be no more; what is under way ends first, where it can be ended. */
export async function removeHost(place: Workplace): Promise<Outcome> {
  const node = await findNodeToForget(place);
  if (node === undefined) return done;
  if (isAbortable(node.provisionState) && isHeldByUs(node) && !isLeftOver(node)) {
    return busy(place, `the node is in maintenance: ${node.maintenanceReason}`);
  }
  if (isAbortable(node.provisionState) && (await canAbort(place, node))) {
    await askFor(place, node, { target: 'abort' });
    return continueIn(place, 'short', true);
  }
  if (isUnderWay(node.provisionState) && node.provisionState !== 'wait call-back') return continueIn(place, 'long');
  return forget(place, node, 'deleted');
}

async function canAbort(place: Workplace, node: IronicNode): Promise<boolean> {
  return node.provisionState !== 'wait call-back' || (await place.client.features()).canAbortDeployment;
}

/** In maintenance Ironic forgets a node in any state. */
async function forget(place: Workplace, node: IronicNode, why: keyof typeof farewells): Promise<Outcome> {
  if (!removableStates.includes(node.provisionState) && !node.isInMaintenance) {
    const body = { reason: farewells[why] };
    await place.client.call({ method: 'PUT', path: `/nodes/${node.uuid}/maintenance`, body });
  }
  try {
    await place.client.call({ method: 'DELETE', path: `/nodes/${node.uuid}` });
  } catch (error) {
    if (!isIronicError(error, 'absent')) throw error;
  }
  return done;
}
