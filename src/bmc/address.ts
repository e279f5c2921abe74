import { BmcError, isBmcError } from './errors.ts';

/** How a host behind a Metal3 address boots its installer. */
export type BootWay = 'network' | 'virtual-media' | 'uefi-http';

/** Where a BMC is, in its one spelling. */
export interface BmcLocation {
  /** Without brackets, with zone: `fe80::1%eth0`. */
  readonly host: string;
  readonly port: number;
  /** `10.0.0.7:443`, `[fd00::7]:8000`: equal for two addresses exactly when they lead to the same port of the same host. */
  readonly bmc: string;
}

/** What a BMC address says. */
export interface BmcAddress extends BmcLocation {
  /** `https://10.0.0.7`, `http://[fd00::1]:8000`, `https://[fe80::1%25eth0]`: small letters, no default port, no path. */
  readonly origin: string;
  /** The system it names; undefined when it names none. */
  readonly systemPath: string | undefined;
  /** As written, in small letters: `idrac-virtualmedia+https`; empty when there was none. */
  readonly scheme: string;
  readonly isTls: boolean;
  /** The address in its one spelling, as it is stored: `https://10.0.0.7/redfish/v1/Systems/1`. */
  readonly canonical: string;
  /** The system in its one spelling: `10.0.0.7:443/redfish/v1/Systems/1`; equal to `bmc` when no system is named. */
  readonly system: string;
  /** The hardware that Metal3's schemes name; `generic` for those that do not. */
  readonly hardware: 'generic' | 'dell' | 'hpe';
  /** Undefined for plain addresses. */
  readonly bootWay: BootWay | undefined;
}

type SchemeFacts = Pick<BmcAddress, 'hardware' | 'bootWay'>;

/** Metal3's schemes for Redfish; each also with `+http` and `+https`. */
const metal3Schemes: Readonly<Record<string, SchemeFacts>> = {
  redfish: { hardware: 'generic', bootWay: 'network' },
  'redfish-virtualmedia': { hardware: 'generic', bootWay: 'virtual-media' },
  'redfish-uefihttp': { hardware: 'generic', bootWay: 'uefi-http' },
  'idrac-redfish': { hardware: 'dell', bootWay: 'network' },
  'idrac-virtualmedia': { hardware: 'dell', bootWay: 'virtual-media' },
  'ilo5-redfish': { hardware: 'hpe', bootWay: 'network' },
  'ilo5-virtualmedia': { hardware: 'hpe', bootWay: 'virtual-media' },
};

const plainFacts: SchemeFacts = { hardware: 'generic', bootWay: undefined };
const dnsName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/;

/** Reads a BMC address in any form that is in use; without a scheme it is https. Throws BmcError `badAddress`. */
export function parseBmcAddress(text: string): BmcAddress {
  const refuse = (detail: string): BmcError => new BmcError('badAddress', { address: shown(text), detail });
  const { scheme, rest } = splitScheme(text.trim());
  const { isTls, ...facts } = readScheme(scheme, refuse);
  if (/[\s\\]|\p{Cc}/u.test(rest)) throw refuse('it has spaces or control characters in it');
  if (/[?#]/.test(rest)) throw refuse('a query or fragment has no meaning in it');
  const slash = rest.indexOf('/');
  const authority = slash === -1 ? rest : rest.slice(0, slash);
  if (authority.includes('@')) throw refuse('credentials do not belong in it; name a secret that holds them');
  const standardPort = isTls ? 443 : 80;
  const { written, ...location } = readLocation(authority, standardPort, refuse);
  const systemPath = readSystemPath(slash === -1 ? '' : rest.slice(slash), refuse);
  const origin = `${isTls ? 'https' : 'http'}://${location.port === standardPort ? written : location.bmc}`;
  const path = systemPath ?? '';
  const spellings = { origin, canonical: `${origin}${path}`, system: `${location.bmc}${path}` };
  return { ...location, ...spellings, systemPath, scheme, isTls, ...facts };
}

/** Reads host and port of a BMC that another protocol than Redfish is spoken with. Throws BmcError `badAddress`. */
export function parseBmcLocation(text: string, defaultPort: number): BmcLocation {
  const refuse = (detail: string): BmcError => new BmcError('badAddress', { address: shown(text), detail });
  if (/[\s\\/?#@]|\p{Cc}/u.test(text)) throw refuse('it is more than a host and a port');
  const { host, port, bmc } = readLocation(text, defaultPort, refuse);
  return { host, port, bmc };
}

/** The same for text that may be no address at all: undefined then. */
export function tryParseBmcAddress(text: string): BmcAddress | undefined {
  try {
    return parseBmcAddress(text);
  } catch (error) {
    if (isBmcError(error, 'badAddress')) return undefined;
    throw error;
  }
}

function readLocation(
  authority: string,
  defaultPort: number,
  refuse: Refuse,
): BmcLocation & { readonly written: string } {
  const { hostText, portText } = splitPort(authority, refuse);
  const { host, written } = readHost(hostText, refuse);
  if (noMachine.test(host)) throw refuse('its host is the address of no machine');
  const port = readPort(portText, refuse) ?? defaultPort;
  return { host, port, bmc: `${written}:${port}`, written };
}

/** Unspecified, multicast and broadcast addresses. */
const noMachine = /^(?:(?:0|22[4-9]|2[3-5]\d)\.[\d.]+|::|ff[\da-f]{2}:[\da-f:]*(?:%.*)?)$/;

type Refuse = (detail: string) => BmcError;

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  const full = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text);
  if (full !== null) return { scheme: (full[1] ?? '').toLowerCase(), rest: full[2] ?? '' };
  // Metal3 also takes `redfish:10.0.0.7/redfish/v1/Systems/1`.
  const short = /^([a-z][a-z0-9+-]*):(?!\d+(?:\/|$))(.+)$/is.exec(text);
  const name = (short?.[1] ?? '').toLowerCase();
  if (short !== null && (metal3Schemes[name.split('+')[0] ?? ''] !== undefined || name === 'ipmi')) {
    return { scheme: name, rest: short[2] ?? '' };
  }
  return { scheme: '', rest: text };
}

function readScheme(scheme: string, refuse: Refuse): SchemeFacts & { readonly isTls: boolean } {
  if (scheme === '' || scheme === 'https') return { ...plainFacts, isTls: true };
  if (scheme === 'http') return { ...plainFacts, isTls: false };
  const [name = '', transport = 'https', ...more] = scheme.split('+');
  const facts = Object.hasOwn(metal3Schemes, name) ? metal3Schemes[name] : undefined;
  if (facts !== undefined && more.length === 0 && (transport === 'https' || transport === 'http')) {
    return { ...facts, isTls: transport === 'https' };
  }
  if (name === 'ipmi' || name === 'libvirt') throw refuse('only Redfish is spoken here, not IPMI; use redfish://');
  const known = ['https', 'http', ...Object.keys(metal3Schemes)].join(', ');
  throw refuse(`its scheme ${scheme} is not known; these are: ${known}, the latter also with +http and +https`);
}

function splitPort(authority: string, refuse: Refuse): { readonly hostText: string; readonly portText: string } {
  if (authority === '') throw refuse('it names no host');
  if (authority.startsWith('[')) {
    const end = authority.indexOf(']');
    const after = authority.slice(end + 1);
    if (end === -1 || (after !== '' && !after.startsWith(':')))
      throw refuse('its brackets do not hold an IPv6 address');
    return { hostText: authority.slice(0, end + 1), portText: after.slice(1) };
  }
  const colon = authority.indexOf(':');
  // Two colons and no brackets: an IPv6 address alone, which cannot have a port.
  if (colon === -1 || authority.includes(':', colon + 1)) return { hostText: authority, portText: '' };
  return { hostText: authority.slice(0, colon), portText: authority.slice(colon + 1) };
}

/** Not node:net's: nothing here but the transport knows the network. */
function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

function isIPv6(text: string): boolean {
  return /^[0-9a-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function readPort(text: string, refuse: Refuse): number | undefined {
  if (text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw refuse('its port is not a number from 1 to 65535');
  return port;
}

/** The host to connect to, and how an origin writes it. */
function readHost(text: string, refuse: Refuse): { readonly host: string; readonly written: string } {
  const isBracketed = text.startsWith('[');
  const inner = isBracketed ? text.slice(1, -1) : text;
  if (isBracketed || inner.includes(':')) return readIpv6(inner, refuse);
  const host = toAscii(inner).toLowerCase().replace(/\.$/, '');
  if (isIPv4(host)) return { host, written: host };
  if (/^[\d.]+$|(^|\.)(\d+|0x[\da-f]*)$/.test(host)) throw refuse('it is not a complete IPv4 address');
  if (!dnsName.test(host)) throw refuse('its host is neither a name nor an IP address');
  return { host, written: host };
}

/** Names beyond ASCII as DNS has them (IDN): `bücher.example` is `xn--bcher-kva.example`. Unchanged where that fails. */
function toAscii(host: string): string {
  const plain = host.normalize('NFKC').replaceAll('\u3002', '.');
  if (/^[\x21-\x7e]*$/.test(plain)) return plain;
  if (/[%:/?#@\\[\]]/.test(plain)) return host;
  const name = URL.parse(`http://${plain}`)?.hostname;
  // URLs take three numbers for an IPv4 address too.
  return name === undefined || isIPv4(name) ? host : name;
}

function readIpv6(text: string, refuse: Refuse): { readonly host: string; readonly written: string } {
  const at = text.indexOf('%');
  const address = at === -1 ? text : text.slice(0, at);
  // A zone is written %25eth0 in URLs and %eth0 everywhere else.
  const zone = at === -1 ? '' : text.slice(at + 1).replace(/^25(?=.)/, '');
  if (!isIPv6(address)) throw refuse('its host is not an IPv6 address');
  if (at !== -1 && !/^[A-Za-z0-9._~-]+$/.test(zone)) throw refuse('the zone of its IPv6 address is not a name');
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = readMappedIpv4(short);
  if (mapped !== undefined && zone === '') return { host: mapped, written: mapped };
  return zone === ''
    ? { host: short, written: `[${short}]` }
    : { host: `${short}%${zone}`, written: `[${short}%25${zone}]` };
}

/** An IPv4 address within IPv6, as dual-stack sockets show it: `::ffff:a00:7` is 10.0.0.7. */
function readMappedIpv4(short: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return words.flatMap((word) => [word >> 8, word & 255]).join('.');
}

/** Paths of the service root and of the collection of systems name no system. */
const noSystem = /^(?:redfish(?:\/v1(?:\/Systems)?)?)?$/i;

/** Also of systems that a composition service lists. */
const aSystem = /^redfish\/v1\/(?:.+\/)?Systems\/./i;

function readSystemPath(path: string, refuse: Refuse): string | undefined {
  const trimmed = decodeUnreserved(path)
    .replaceAll(/\/+/g, '/')
    .replaceAll(/^\/|\/$/g, '');
  if (noSystem.test(trimmed)) return undefined;
  if (trimmed.split('/').some((part) => part === '.' || part === '..')) throw refuse('its path goes up');
  if (!aSystem.test(trimmed)) throw refuse('its path is not that of a system');
  return `/${trimmed}`;
}

/** `%2E` and `.` are the same in a path; what has to be escaped stays, with capital letters. */
function decodeUnreserved(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

/** The address for a message: without what may be a password, and not endless. */
function shown(text: string): string {
  const safe = text.replace(/^([a-z0-9+.-]*:\/\/)?.*@/is, '$1...@').replace(/([?#]).*$/s, '$1...');
  return JSON.stringify(safe.length > 200 ? `${safe.slice(0, 200)}...` : safe);
}
