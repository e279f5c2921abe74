import { hash } from 'node:crypto';

/** The MAC address LLDP shows for a switch: locally administered, and the same for the same name. */
export function chassisIdOf(switchName: string): string {
  const digest = hash('sha256', switchName, 'hex');
  return ['02', ...[0, 2, 4, 6, 8].map((at) => digest.slice(at, at + 2))].join(':');
}
