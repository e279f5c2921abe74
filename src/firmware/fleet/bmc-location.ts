import type { BMC, Server } from '../../api/index.ts';
import { tryParseBmcAddress } from '../../bmc/index.ts';

/** How a Server says itself where its BMC is. */
export type InlineBmc = NonNullable<Server['spec']['bmc']>;

/** The URL of a BMC that an object names by host, scheme and port. */
export function urlOf(address: string, { scheme = 'https', port }: InlineBmc['protocol']): string {
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${scheme}://${host}:${port}`;
}

/** Where a BMC object says that it is; the same for all spellings of one address, and text that is none stays as it is. */
export function originOf({ spec }: BMC): string {
  return originAt(spec.access?.ip ?? '', spec.protocol);
}

/** The BMC that a BMC object is, as host and port: one port is one service, whatever is spoken there. */
export function bmcKeyOf({ spec }: BMC): string {
  return keyAt(spec.access?.ip ?? '', spec.protocol);
}

/** The BMC that a Server names by its address, as host and port. */
export function inlineBmcKey({ address, protocol }: InlineBmc): string {
  return keyAt(address, protocol);
}

/** A system behind a BMC, in the spelling that the inventory keeps, so that nothing seems to have changed. */
export function systemAddress(origin: string, systemPath = ''): string {
  const text = `${origin}${systemPath}`;
  return tryParseBmcAddress(text)?.canonical ?? text;
}

/** Where the BMC is that a Server names by its address. */
export function inlineOrigin({ address, protocol }: InlineBmc): string {
  return originAt(address, protocol);
}

function originAt(address: string, protocol: InlineBmc['protocol']): string {
  const text = urlOf(address, protocol);
  return tryParseBmcAddress(text)?.origin ?? text;
}

function keyAt(address: string, protocol: InlineBmc['protocol']): string {
  const text = urlOf(address, protocol);
  return tryParseBmcAddress(text)?.bmc ?? text;
}
