import { isBmcError, parseBmcAddress, parseBmcLocation } from '../../bmc/index.ts';
import { type BmcScheme, bmcSchemes } from './schemes.ts';

/** What a BMC address of a host says. */
export interface HostBmcAddress extends BmcScheme {
  /** As written, in small letters: `idrac-virtualmedia+https`. */
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** Of Redfish: `https://10.0.0.7`; empty for IPMI. */
  readonly origin: string;
  /** The system that a Redfish address names. */
  readonly systemPath: string | undefined;
  /** Of IPMI: what its user may do. */
  readonly privilegeLevel: string;
  /** Equal for two addresses exactly when they lead to the same BMC; as `parseBmcAddress` spells it. */
  readonly bmc: string;
  /** Equal for two addresses exactly when they name the same system, however they are written. */
  readonly system: string;
}

/** An address as it was understood, or why it was not. */
export type BmcAddressReading =
  | { readonly kind: 'known'; readonly address: HostBmcAddress }
  | { readonly kind: 'unknown-type'; readonly type: string; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string };

const ipmiPort = 623;

/** Reads the BMC address of a host; one without a scheme is of IPMI. */
export function readBmcAddress(text: string): BmcAddressReading {
  const { scheme, rest } = splitScheme(text.trim());
  const [name = '', transport, ...more] = scheme.split('+');
  const facts = Object.hasOwn(bmcSchemes, name) ? bmcSchemes[name] : undefined;
  const isTransportKnown =
    transport === undefined || (facts?.protocol === 'redfish' && ['http', 'https'].includes(transport));
  if (facts === undefined || !isTransportKnown || more.length > 0) {
    return { kind: 'unknown-type', type: scheme, message: unknownType(scheme, text) };
  }
  try {
    const address = facts.protocol === 'ipmi' ? readIpmi(scheme, rest, facts) : readRedfish(scheme, rest, facts);
    return { kind: 'known', address };
  } catch (error) {
    if (!isBmcError(error)) throw error;
    return { kind: 'invalid', message: `failed to parse BMC address information: ${error.message}` };
  }
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  const full = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text);
  if (full !== null) return { scheme: (full[1] ?? '').toLowerCase(), rest: full[2] ?? '' };
  // Metal3 also takes `redfish:10.0.0.7`; `10.0.0.7:623` and `bmc.example:623` are hosts with ports.
  const short = /^([a-z][a-z0-9+-]*):(?!\d+$)(.+)$/is.exec(text);
  const name = (short?.[1] ?? '').toLowerCase();
  if (short !== null && Object.hasOwn(bmcSchemes, name.split('+')[0] ?? '')) {
    return { scheme: name, rest: short[2] ?? '' };
  }
  return { scheme: 'ipmi', rest: text };
}

function readRedfish(scheme: string, rest: string, facts: BmcScheme): HostBmcAddress {
  const { host, port, origin, systemPath, bmc, system } = parseBmcAddress(`${scheme}://${rest}`);
  return { ...facts, scheme, host, port, origin, systemPath, privilegeLevel: '', bmc, system };
}

function readIpmi(scheme: string, rest: string, facts: BmcScheme): HostBmcAddress {
  const location = parseBmcLocation(rest.replace(/\/?(?:\?.*)?$/s, ''), ipmiPort);
  const query = new URLSearchParams(rest.includes('?') ? rest.slice(rest.indexOf('?') + 1) : '');
  const privilegeLevel = query.get('privilegelevel') ?? 'ADMINISTRATOR';
  const { bmc } = location;
  return { ...facts, ...location, scheme, origin: '', systemPath: undefined, privilegeLevel, system: bmc };
}

function unknownType(scheme: string, text: string): string {
  const known = Object.keys(bmcSchemes).join(', ');
  const right = 'such as redfish://10.0.0.7:8443 or ipmi://10.0.0.7';
  return `Unknown BMC type '${scheme}' for address ${shown(text)}; write it with one of ${known}, ${right}`;
}

/** The address for a message: without what may be a password, and not endless. */
function shown(text: string): string {
  return text.replace(/^([a-z0-9+.-]*:\/\/)?.*@/is, '$1...@').slice(0, 200);
}
