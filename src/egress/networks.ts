import { BlockList, isIP } from 'node:net';

/** Addresses of one family of uses. */
export interface AddressSet {
  has(address: string): boolean;
}

/** A set of addresses: single ones, and networks as `10.0.0.0/8`. IPv4 addresses within IPv6 count as what they are. */
export function addressSet(entries: readonly string[]): AddressSet {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/', 2);
    const family = familyOf(address);
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  return { has: (address) => list.check(address, familyOf(address)) };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/**
 * Where no image, catalogue or webhook is: addresses of no machine, of the link, and those where clouds keep what only the
 * machine itself is to see. The last two are 169.254.0.0/16 as NAT64 and 6to4 write it.
 */
export const guarded = addressSet([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['::', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254', 'fd20:ce::254'],
  ...['64:ff9b::a9fe:0/112', '2002:a9fe::/32'],
]);

/** Of one organization: what answers there, and how, is nothing for everybody who may name an address. */
export const internal = addressSet([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8'],
  ...['::1', 'fc00::/7', 'fec0::/10', '64:ff9b::/96', '2002::/16'],
]);

/** A host that an operator names. */
export type HostRule =
  | { readonly kind: 'name'; readonly name: string }
  /** All below it. */
  | { readonly kind: 'domain'; readonly suffix: string }
  /** `isGuarded`: it lies where nothing is reached unless it is named itself. */
  | { readonly kind: 'network'; readonly addresses: AddressSet; readonly isGuarded: boolean };

const name = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/;

/** Reads `images.example`, `*.example`, `10.0.0.7` or `10.0.0.0/8`; undefined where it is none of them. */
export function parseHostRule(text: string): HostRule | undefined {
  const lower = text.trim().toLowerCase();
  const [address = '', prefix, ...more] = lower.replaceAll(/[[\]]/g, '').split('/');
  const version = isIP(address);
  if (version !== 0) {
    const most = version === 4 ? 32 : 128;
    if (more.length > 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= most)))
      return undefined;
    const addresses = addressSet([prefix === undefined ? address : `${address}/${prefix}`]);
    // A network that is as wide as to hold others is not meant to open what is guarded.
    const isGuarded = guarded.has(address) && (prefix === undefined || Number(prefix) >= (version === 4 ? 16 : 10));
    return { kind: 'network', addresses, isGuarded };
  }
  if (lower.startsWith('*.')) {
    return name.test(lower.slice(2)) ? { kind: 'domain', suffix: lower.slice(1) } : undefined;
  }
  return name.test(lower) && !/^[\d.]+$/.test(lower) ? { kind: 'name', name: lower } : undefined;
}
