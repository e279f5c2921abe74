import type { Outcome } from '../../provisioner.ts';
import { isHeldByUs, isUnderWay, ourReason } from '../node/index.ts';
import { busy, done, endMaintenance, findNode, type Workplace } from '../workplace.ts';

/** Puts a host into maintenance with our reason, or ends that; maintenance that others began is left to them. */
export async function setMaintenance(place: Workplace, reason: string | undefined): Promise<Outcome> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  if (reason === undefined) {
    if (isHeldByUs(node)) await endMaintenance(place, node);
    return done;
  }
  const wanted = ourReason(reason);
  if (node.isInMaintenance && node.maintenanceReason === wanted) return done;
  // Whoever asks would work on the machine beside Ironic.
  if (isUnderWay(node.provisionState) || node.isLocked) {
    return busy(place, `Ironic works on the node (${node.provisionState})`);
  }
  // With our reason it would be ours to end.
  if (node.isInMaintenance && !isHeldByUs(node)) return done;
  const path = `/nodes/${node.uuid}/maintenance`;
  await place.client.call({ method: 'PUT', path, body: { reason: wanted } });
  return done;
}
