import type { Implementation, Library } from '../declarations.ts';
import { CelError, noSuchOverload } from '../errors.ts';
import { AddressError, type CelCidr, type CelIp, parseAddress, parsePrefix } from '../ip-address.ts';
import type { Value } from '../values.ts';

/** An address without a zone and not IPv4 in IPv6 clothes, as Kubernetes wants them. */
function toIp(text: Value): CelIp {
  const shown = JSON.stringify(text);
  const { ip, zone } = explained(
    () => parseAddress(text as string),
    `IP Address ${shown} parse error during conversion from string: `,
  );
  if (zone !== '') throw new CelError(`IP address ${shown} with zone value is not allowed`);
  if (isMapped(ip)) throw new CelError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return ip;
}

const conversion = 'network address parse error during conversion from string: ';

function toCidr(text: Value): CelCidr {
  const cidr = explained(() => parsePrefix(text as string), conversion + conversion);
  if (isMapped(cidr.ip))
    throw new CelError(`${conversion}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return cidr;
}

function explained<T>(read: () => T, prefix: string): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof AddressError) throw new CelError(prefix + cause.message, 'evaluation', { cause });
    throw cause;
  }
}

function succeeds(read: (text: Value) => Value): Implementation {
  return (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  };
}

const isIp = succeeds(toIp);

const isMapped = (ip: CelIp): boolean => ip.family === 6 && ip.startsWith(0xffffn, 96);

const isUnspecified = (ip: CelIp): boolean => ip.bits === 0n;
const isLoopback = (ip: CelIp): boolean => (ip.family === 4 ? ip.startsWith(127n, 8) : ip.bits === 1n);
const isMulticast = (ip: CelIp): boolean => (ip.family === 4 ? ip.startsWith(0xen, 4) : ip.startsWith(0xffn, 8));
const isLinkLocalUnicast = (ip: CelIp): boolean =>
  ip.family === 4 ? ip.startsWith(0xa9fen, 16) : ip.startsWith(0xfe80n >> 6n, 10);
const isLinkLocalMulticast = (ip: CelIp): boolean =>
  ip.family === 4 ? ip.startsWith(0xe00000n, 24) : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n;
const isBroadcast = (ip: CelIp): boolean => ip.family === 4 && ip.bits === 0xffffffffn;

function isGlobalUnicast(ip: CelIp): boolean {
  return !(isUnspecified(ip) || isLoopback(ip) || isMulticast(ip) || isLinkLocalUnicast(ip) || isBroadcast(ip));
}

function about(test: (ip: CelIp) => boolean): Implementation {
  return (ip) => test(ip as CelIp);
}

function containsCidr(outer: Value, inner: Value): Value {
  const [a, b] = [outer as CelCidr, inner as CelCidr];
  return a.length <= b.length && a.contains(b.ip);
}

/** A string that is no address is, of all things, a wrong overload here. */
function containsIpText(cidr: Value, text: Value): Value {
  if (!isIp(text)) throw noSuchOverload();
  return (cidr as CelCidr).contains(toIp(text));
}

/** IP addresses and networks. */
export const networkLibrary: Library = {
  ip: {
    string_to_ip: ['(string) -> net.IP', toIp],
    cidr_ip: ['net.CIDR.() -> net.IP', (cidr) => (cidr as CelCidr).ip],
  },
  'ip.isCanonical': { ip_is_canonical: ['(string) -> bool', (text) => toIp(text).toString() === text] },
  isIP: { is_ip: ['(string) -> bool', isIp] },
  family: { ip_family: ['net.IP.() -> int', (ip) => (ip as CelIp).family] },
  isUnspecified: { ip_is_unspecified: ['net.IP.() -> bool', about(isUnspecified)] },
  isLoopback: { ip_is_loopback: ['net.IP.() -> bool', about(isLoopback)] },
  isLinkLocalMulticast: { ip_is_link_local_multicast: ['net.IP.() -> bool', about(isLinkLocalMulticast)] },
  isLinkLocalUnicast: { ip_is_link_local_unicast: ['net.IP.() -> bool', about(isLinkLocalUnicast)] },
  isGlobalUnicast: { ip_is_global_unicast: ['net.IP.() -> bool', about(isGlobalUnicast)] },
  cidr: { string_to_cidr: ['(string) -> net.CIDR', toCidr] },
  isCIDR: { is_cidr: ['(string) -> bool', succeeds(toCidr)] },
  containsIP: {
    cidr_contains_ip_string: ['net.CIDR.(string) -> bool', containsIpText],
    cidr_contains_ip_ip: ['net.CIDR.(net.IP) -> bool', (cidr, ip) => (cidr as CelCidr).contains(ip as CelIp)],
  },
  containsCIDR: {
    cidr_contains_cidr_string: ['net.CIDR.(string) -> bool', (cidr, text) => containsCidr(cidr, toCidr(text))],
    cidr_contains_cidr: ['net.CIDR.(net.CIDR) -> bool', containsCidr],
  },
  prefixLength: { cidr_prefix_length: ['net.CIDR.() -> int', (cidr) => (cidr as CelCidr).length] },
  masked: { cidr_masked: ['net.CIDR.() -> net.CIDR', (cidr) => (cidr as CelCidr).masked()] },
  string: {
    ip_to_string: ['(net.IP) -> string', (ip) => (ip as CelIp).toString()],
    cidr_to_string: ['(net.CIDR) -> string', (cidr) => (cidr as CelCidr).toString()],
  },
};
