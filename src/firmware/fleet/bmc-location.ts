import type { BMC, Server } from '../../api/index.ts';
import { tryParseBmcAddress } from '../../bmc/index.ts';

/** How a Server says itself where its BMC is. */
export type InlineBmc = NonNullable<Server['spec']['bmc']>;

/** The URL of a BMC that an object names by host, scheme and port. */
export function urlOf(address: string, { scheme = 'https', port }: InlineBmc['protocol']): string {
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${scheme}://${host}:${port}`;
}

/** The same for all spellings of one address; text that is none stays as it is. */
export function originOf({ spec }: BMC): string {
  return originAt(spec.access?.ip ?? '', spec.protocol);
}

/** Where the BMC is that a Server names by its address. */
export function inlineOrigin({ address, protocol }: InlineBmc): string {
  return originAt(address, protocol);
}

function originAt(address: string, protocol: InlineBmc['protocol']): string {
  const text = urlOf(address, protocol);
  return tryParseBmcAddress(text)?.origin ?? text;
}
