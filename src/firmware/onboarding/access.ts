import { type BMC, type BMCSecret, bmcSecretKeys, type Server } from '../../api/index.ts';
import type { Inertness } from '../fleet/fleet.ts';

/** How a Server says itself where its BMC is. */
export type InlineBmc = NonNullable<Server['spec']['bmc']>;

type Protocol = InlineBmc['protocol'];

/** Where a BMC is. */
export function originOf({ spec }: BMC): string {
  return originAt(spec.access?.ip ?? '', spec.protocol);
}

/** Where the BMC is that a Server names by its address. */
export function inlineOrigin({ address, protocol }: InlineBmc): string {
  return originAt(address, protocol);
}

function originAt(address: string, { scheme = 'https', port }: Protocol): string {
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  return `${scheme}://${host}:${port}`;
}

/** The log-in in a BMCSecret; empty texts where it has none. */
export function loginOf(secret: BMCSecret | undefined): { readonly username: string; readonly password: string } {
  const read = (key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString('utf8');
  return { username: read(bmcSecretKeys.username), password: read(bmcSecretKeys.password) };
}

/** What is wrong with how a BMC is to be spoken to. */
export function accessFault(
  protocol: Protocol,
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
export function addressFault({ address, protocol }: InlineBmc): Inertness | undefined {
  const url = URL.parse(originAt(address, protocol));
  const isHost = url !== null && /^[^/?#@\\\s]+$/.test(address) && url.pathname === '/' && url.username === '';
  return isHost
    ? undefined
    : { code: 'BadAddress', message: `${JSON.stringify(address)} is no host name or IP address` };
}
