import type { Hardware, NicPart, NicPort } from '../../machine/hardware.ts';
import { toId } from './render.ts';

/** A port of a network adapter, and the system's own name for it. */
export interface PlacedPort {
  readonly nic: NicPart;
  readonly port: NicPort;
  /** Counted from 1 within its adapter. */
  readonly number: number;
  /** Unique in the system, also where adapters count their ports each from 1. */
  readonly interfaceId: string;
}

/** All network ports of a server in order. */
export function listPorts(hardware: Hardware): PlacedPort[] {
  const ports = hardware.nics.flatMap((nic) => nic.ports.map((port, index) => ({ nic, port, number: index + 1 })));
  const areUnique = new Set(ports.map(({ port }) => port.id)).size === ports.length;
  return ports.map((placed, index) => ({
    ...placed,
    interfaceId: areUnique ? toId(placed.port.id) : String(index + 1),
  }));
}
