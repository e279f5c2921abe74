import type { BareMetalHostStatus } from '../../api/index.ts';
import { isSameJson } from '../../kube/index.ts';

/** True when two statuses say the same, whenever they were written. */
export function isSameStatus(one: BareMetalHostStatus, other: BareMetalHostStatus): boolean {
  return isSameJson({ ...one, lastUpdated: undefined }, { ...other, lastUpdated: undefined });
}
