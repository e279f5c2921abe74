import type { AclRule } from './access-list.ts';

/** What a port is set to. */
export interface PortSettings {
  /** Shut down: nothing passes, not even LLDP. */
  readonly isDisabled: boolean;
  /** VLAN of untagged frames; undefined drops them. */
  readonly untaggedVlan: number | undefined;
  /** VLANs that pass with a tag. */
  readonly taggedVlans: readonly number[];
  /** Filters what the host sends into the port. */
  readonly acl: readonly AclRule[];
  readonly isLldpOn: boolean;
}

/** The other end of a port's cable. */
export interface PluggedNic {
  readonly machine: string;
  readonly mac: string;
}

/** A port, what it is set to and what is plugged into it. */
export interface SimPort {
  readonly name: string;
  readonly settings: PortSettings;
  readonly nic: PluggedNic | undefined;
}

/** A port that does nothing for a host but shows who is there: up, no VLAN, LLDP on. */
export const parkedPort: PortSettings = {
  isDisabled: false,
  untaggedVlan: undefined,
  taggedVlans: [],
  acl: [],
  isLldpOn: true,
};

const lowestVlan = 1;
const highestVlan = 4094;

/** What is wrong with the settings, in words; empty when nothing is. */
export function checkSettings(settings: PortSettings): readonly string[] {
  const problems: string[] = [];
  const vlans = [...(settings.untaggedVlan === undefined ? [] : [settings.untaggedVlan]), ...settings.taggedVlans];
  for (const vlan of vlans) {
    if (!Number.isInteger(vlan) || vlan < lowestVlan || vlan > highestVlan) {
      problems.push(`VLAN ${vlan} is not between ${lowestVlan} and ${highestVlan}`);
    }
  }
  if (new Set(settings.taggedVlans).size !== settings.taggedVlans.length) problems.push('a tagged VLAN is named twice');
  if (settings.untaggedVlan !== undefined && settings.taggedVlans.includes(settings.untaggedVlan)) {
    problems.push(`VLAN ${settings.untaggedVlan} is both tagged and untagged`);
  }
  return problems;
}
