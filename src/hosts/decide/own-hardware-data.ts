import type { BareMetalHost, HardwareData } from '../../api/index.ts';
import { hasFinalizer, isBeingDeleted } from '../../kube/index.ts';
import { finalizers, resources } from '../resources.ts';
import type { HostSeen } from './seen.ts';

/** The HardwareData that tells of this very host; undefined where it is one that another host of the same name has left. */
export function ownHardwareData({
  host,
  hardwareData,
}: Pick<HostSeen, 'host' | 'hardwareData'>): HostSeen['hardwareData'] {
  if (hardwareData === undefined) return undefined;
  const owners = ownersOf(hardwareData);
  if (owners.length > 0) return owners.includes(host.metadata.uid ?? '') ? hardwareData : undefined;
  // What nobody owns somebody wrote by hand, as when hosts move; unless it goes, which says that it is of the past.
  return isBeingDeleted(hardwareData) ? undefined : hardwareData;
}

/** How far HardwareData of another host of the same name is: it goes and is held by us, goes, or stays. */
export function leftHardwareData(seen: Pick<HostSeen, 'host' | 'hardwareData'>): 'none' | 'held' | 'going' | 'staying' {
  const { hardwareData } = seen;
  if (hardwareData === undefined || ownHardwareData(seen) !== undefined) return 'none';
  if (!isBeingDeleted(hardwareData)) return 'staying';
  return hasFinalizer(hardwareData, finalizers.hardwareData) ? 'held' : 'going';
}

function ownersOf({ metadata }: HardwareData): string[] {
  const { ownerReferences = [] }: BareMetalHost['metadata'] = metadata;
  return ownerReferences.flatMap(({ kind, uid }) => (kind === resources.hosts.kind ? [uid] : []));
}
