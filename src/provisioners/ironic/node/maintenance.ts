import type { IronicNode } from './ironic-node.ts';

const mark = 'rackwright: ';

/** The reason for maintenance as Ironic keeps it, by which we know later that it is ours. */
export function ourReason(reason: string): string {
  return `${mark}${reason}`;
}

/** Whether we put the node into maintenance, to work on it past Ironic. */
export function isHeldByUs(node: IronicNode): boolean {
  return node.isInMaintenance && (node.maintenanceReason ?? '').startsWith(mark);
}

/** The reasons for maintenance in which Ironic is to forget a node. */
export const farewells = { detached: ourReason('the host is detached'), deleted: ourReason('the host is deleted') };

/** Whether we wanted Ironic to forget the node, and it did not. */
export function isLeftOver(node: IronicNode): boolean {
  return node.isInMaintenance && Object.values(farewells).some((reason) => reason === node.maintenanceReason);
}

/** The reason for maintenance in which a node in use gets another driver: Ironic lets its interfaces be changed only so. */
export const handover = ourReason('the host gets access to its BMC');

/** Whether we were about to give the node another driver, and did not come to the end of it. */
export function isHandedOver(node: IronicNode): boolean {
  return node.isInMaintenance && node.maintenanceReason === handover;
}
