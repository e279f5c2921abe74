import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** True for `localhost` and for addresses that never leave the machine. */
export function isLoopback(host: string): boolean {
  const address = bare(host);
  return address.toLowerCase() === 'localhost' || isLoopbackAddress(address);
}

/**
 * Why the simulator does not connect to a URL; undefined where it may. It never sends anything off the machine it runs on, and
 * looks up no name but `localhost`, because already the question would leave the machine.
 */
export async function refusalToReach(url: URL): Promise<string | undefined> {
  const host = bare(url.hostname);
  const refusal = `${host} is not a loopback address, and the simulator stays on loopback; use 127.0.0.1, ::1 or localhost`;
  if (isIP(host) !== 0) return isLoopbackAddress(host) ? undefined : refusal;
  if (host.toLowerCase() !== 'localhost') return refusal;
  // A hosts file can send localhost anywhere.
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => isLoopbackAddress(address)) ? undefined : refusal;
}

function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
