import { isLoopback } from '../loopback/loopback-address.ts';
import type { Machine } from '../machine/machine.ts';
import { bmcAddress, type Endpoint, hasLoopbackBlock } from './addresses.ts';
import { ListenError } from './errors.ts';
import type { Listeners } from './listeners.ts';

/** How the BMCs of a data centre are told apart. */
export interface Addressing {
  readonly addressing?: 'address' | 'port';
  readonly host?: string;
  /** The one port, or the first; 0 and none stand for free ones. */
  readonly port?: number;
}

/** Opens every BMC's port, by address or by port as asked for or as the machine can. */
export async function openFleet(
  listeners: Listeners,
  machines: readonly Machine[],
  order: Addressing,
): Promise<Endpoint[]> {
  if ((await chooseAddressing(order)) === 'address') {
    const addresses = machines.map((_, index) => bmcAddress(index));
    return listeners.openOnOnePort(machines, addresses, order.port ?? 0);
  }
  const address = chooseHost(order.host ?? '127.0.0.1');
  const first = order.port ?? 0;
  if (first !== 0 && first + machines.length - 1 > 65_535) {
    throw new ListenError('PortsExhausted', { count: machines.length, port: first });
  }
  const endpoints = machines.map((_, index) => ({ address, port: first === 0 ? 0 : first + index }));
  return listeners.open(machines, endpoints);
}

async function chooseAddressing(order: Addressing): Promise<'address' | 'port'> {
  if (order.addressing !== undefined) return order.addressing;
  if (order.host !== undefined) return 'port';
  return (await hasLoopbackBlock()) ? 'address' : 'port';
}

function chooseHost(host: string): string {
  if (!isLoopback(host)) throw new ListenError('NotLoopback', { address: host });
  return host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
}
