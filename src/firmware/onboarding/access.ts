import { type BMCSecret, bmcSecretKeys } from '../../api/index.ts';
import { tryParseBmcAddress } from '../../bmc/index.ts';
import { type InlineBmc, urlOf } from '../fleet/bmc-location.ts';
import type { Inertness } from '../fleet/fleet.ts';

/** The log-in in a BMCSecret; empty texts where it has none. */
export function loginOf(secret: BMCSecret | undefined): { readonly username: string; readonly password: string } {
  const read = (key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString('utf8');
  return { username: read(bmcSecretKeys.username), password: read(bmcSecretKeys.password) };
}

/** What is wrong with how a BMC is to be spoken to. */
export function accessFault(
  protocol: InlineBmc['protocol'],
  { name, secret }: { readonly name: string; readonly secret: BMCSecret | undefined },
): Inertness | undefined {
  if (!protocol.name.startsWith('Redfish')) {
    return { code: 'ProtocolNotSupported', message: `${protocol.name} is not spoken here, only Redfish` };
  }
  if (secret === undefined) return { code: 'SecretNotFound', message: `there is no BMCSecret ${name}` };
  const { username, password } = secret.data ?? {};
  return username === undefined || password === undefined
    ? { code: 'SecretIncomplete', message: `BMCSecret ${name} lacks username or password` }
    : undefined;
}

/** What is wrong with an address that somebody wrote by hand: it must be a host and nothing else. */
export function addressFault({ address, protocol }: Pick<InlineBmc, 'address' | 'protocol'>): Inertness | undefined {
  const parsed = tryParseBmcAddress(urlOf(address, protocol));
  if (parsed !== undefined && parsed.systemPath === undefined && !/[/?#@\\\s]/.test(address)) return undefined;
  const message = `${JSON.stringify(address)} is no host name or IP address; write it like 10.0.0.7, fd00::7 or bmc7.example.com, and the port in protocol.port`;
  return { code: 'BadAddress', message };
}
