import type { Hardware } from '../machine/hardware.ts';

/** A cable from a port of a server to a port of a switch. */
export interface PlannedCable {
  /** The server's name. */
  readonly machine: string;
  /** As the hardware spells it. */
  readonly mac: string;
  /** `nic` carries the host's traffic, `bmc` is the management port. */
  readonly purpose: 'nic' | 'bmc';
  readonly switchName: string;
  readonly port: string;
}

/** A switch and how many ports it has. */
export interface PlannedSwitch {
  readonly name: string;
  readonly role: 'tor' | 'management';
  readonly rack: number;
  readonly ports: number;
}

/** Where a server stands among those of its rack, both counted from 1. */
export interface Placement {
  readonly name: string;
  readonly rackName: string;
  readonly position: number;
}

/** The cables of one server: its NIC ports go to the two switches of the rack in turn, its BMC to the management switch. */
export function cableServer(place: Placement, hardware: Hardware, portsPerTor: number): PlannedCable[] {
  const ports = hardware.nics.flatMap((nic) => nic.ports);
  const first = (place.position - 1) * portsPerTor;
  const nics = ports.map((port, index): PlannedCable => {
    const number = first + Math.floor(index / 2) + 1;
    const side = index % 2 === 0 ? 'a' : 'b';
    return {
      machine: place.name,
      mac: port.mac,
      purpose: 'nic',
      switchName: torName(place.rackName, side),
      port: portName(number),
    };
  });
  const management: PlannedCable = {
    machine: place.name,
    mac: hardware.bmcMac,
    purpose: 'bmc',
    switchName: managementName(place.rackName),
    port: portName(place.position),
  };
  return [...nics, management];
}

/** The name of one of the two switches at the top of a rack. */
export function torName(rackName: string, side: 'a' | 'b'): string {
  return `tor-${rackName}-${side}`;
}

/** The name of the switch that a rack's BMCs are plugged into. */
export function managementName(rackName: string): string {
  return `mgmt-${rackName}`;
}

/** The name of a switch port, counted from 1. */
export function portName(number: number): string {
  return `Ethernet1/${number}`;
}
