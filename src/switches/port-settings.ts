import type { VlanSet } from './vlan-set.ts';

/** Neighbouring TCP or UDP ports, both ends included. */
export interface PortSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * One rule of an access list in the one way it is written here: networks in CIDR notation without host bits and left
 * out when any, port spans ordered and joined and empty when any.
 */
export interface AclEntry {
  readonly family: 'ipv4' | 'ipv6';
  readonly action: 'allow' | 'deny';
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'all';
  readonly source?: string | undefined;
  readonly sourcePorts: readonly PortSpan[];
  readonly destination?: string | undefined;
  readonly destinationPorts: readonly PortSpan[];
}

/** What a port is set to, or is to be set to. */
export interface PortSettings {
  readonly isDisabled: boolean;
  /** VLAN of untagged frames; absent when untagged frames are dropped. */
  readonly untaggedVlan?: number | undefined;
  readonly taggedVlans: VlanSet;
  /**
   * Judges what the host sends into the port; the first rule that matches decides. An empty list lets all pass. Where
   * there are rules, IP packets of either family that none of them matches are dropped, as switches do; other frames
   * (ARP, LLDP) and IPv6 neighbour discovery pass.
   */
  readonly acl: readonly AclEntry[];
}

/** Parts of a port's settings. */
export const portAspects = ['disabled', 'untaggedVlan', 'taggedVlans', 'acl'] as const;

/** A part of a port's settings. */
export type PortAspect = (typeof portAspects)[number];

/** What a switch says of a port. */
export interface PortState extends PortSettings {
  /** The port's name on the switch. */
  readonly port: string;
  /** False without carrier; absent where the switch does not tell. */
  readonly isLinkUp?: boolean | undefined;
  /**
   * Aspects that the switch does not tell and that are guessed to be off or empty. A plan never calls them different,
   * and nobody can see drift in them.
   */
  readonly unread: readonly PortAspect[];
  /** What is on the port that no setting stands for, in words, such as a part of an access list. A plan wants it gone. */
  readonly strays: readonly string[];
}

/** A port that is up and carries the parking VLAN only, or no VLAN: what a clean port is. */
export function cleanSettings(parkingVlan?: number | undefined): PortSettings {
  return { isDisabled: false, untaggedVlan: parkingVlan, taggedVlans: [], acl: [] };
}
