import { objectOf } from '../client/index.ts';
import type { IronicNode } from './ironic-node.ts';

/** The driver of nodes whose BMC nobody has told us: Ironic works on them through the agent that they run, or not at all. */
export const accessFreeDriver = 'manual-management';

/** Drivers that reach no BMC. */
const accessFreeDrivers: readonly unknown[] = [accessFreeDriver, 'fake-hardware'];

/** Whether Ironic reaches the BMC of the node: it has a driver for that, and somebody told it how to log in. */
export function hasAccess(node: IronicNode): boolean {
  if (accessFreeDrivers.includes(node.raw.driver)) return false;
  return Object.keys(objectOf(node.raw.driver_info)).some((name) => /_(username|password)$/.test(name));
}

/** Whether power is only written down for the node, since nothing switches it. */
export function isPowerPlayed({ raw }: IronicNode): boolean {
  return raw.power_interface === 'fake';
}
