import type { PortSettings } from '../../port-settings.ts';
import { allVlans, idsOf, isVlanId, noVlans, type VlanSet, vlanSetOf, withoutVlans } from '../../vlan-set.ts';
import type { OvsPort } from './bridge-view.ts';
import { type OvsdbValue, toSet } from './values.ts';

// A trunk of no VLAN at all cannot be said: an empty list means every VLAN. The reserved id stands for none.
const reservedVlan = 4095;

/** What the columns of a port say. */
export interface VlansOfColumns {
  readonly untaggedVlan?: number | undefined;
  readonly taggedVlans: VlanSet;
  /** What they say that settings have no word for. */
  readonly strays: readonly string[];
}

/** The columns that give a port these VLANs, every one of them, so that nothing of an earlier mode stays. */
export function columnsOfSettings({ untaggedVlan, taggedVlans }: PortSettings): Readonly<Record<string, OvsdbValue>> {
  const tagged = idsOf(taggedVlans);
  const isParked = untaggedVlan === undefined && tagged.length === 0;
  const trunks = isParked ? [reservedVlan] : tagged;
  const mode = untaggedVlan === undefined ? 'trunk' : tagged.length === 0 ? 'access' : 'native-untagged';
  return {
    tag: untaggedVlan === undefined ? toSet([]) : untaggedVlan,
    trunks: toSet(trunks),
    vlan_mode: mode,
    // Two parked hosts that tag their frames with the reserved id must not meet either.
    protected: isParked,
  };
}

/** What a port is set to by its columns, also where somebody else set them. */
export function vlansOfColumns({ tag, trunks, vlanMode, isProtected }: OvsPort): VlansOfColumns {
  const mode = vlanMode ?? (tag === undefined ? 'trunk' : 'access');
  const listed = trunks.length === 0 ? allVlans : vlanSetOf(trunks.filter(isVlanId));
  const native = tag === undefined || !isVlanId(tag) ? noVlans : [{ first: tag, last: tag }];
  const isParked = mode === 'trunk' && trunks.length === 1 && trunks[0] === reservedVlan;
  const strays = straysOf({ mode, tag, isUntaggedPassed: trunks.length === 0 || trunks.includes(0) });
  if (isProtected !== isParked) strays.push(isProtected ? 'the port is protected' : 'the port is not protected');
  switch (mode) {
    case 'access':
      return { untaggedVlan: tag, taggedVlans: noVlans, strays };
    case 'native-untagged':
    case 'native-tagged':
      return { untaggedVlan: tag, taggedVlans: withoutVlans(listed, native), strays };
    default:
      return { untaggedVlan: undefined, taggedVlans: listed, strays };
  }
}

function straysOf(seen: {
  readonly mode: string;
  readonly tag: number | undefined;
  readonly isUntaggedPassed: boolean;
}): string[] {
  const { mode, tag, isUntaggedPassed } = seen;
  if (mode === 'trunk') return isUntaggedPassed ? ['untagged frames pass outside every VLAN'] : [];
  if (mode !== 'access' && mode !== 'native-untagged') return [`vlan_mode is ${mode}`];
  return tag === undefined ? [`vlan_mode is ${mode} without a tag`] : [];
}
