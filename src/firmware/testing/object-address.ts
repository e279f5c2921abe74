import type { InlineBmc } from '../fleet/bmc-location.ts';

/** For tests: how an object says where a BMC is, and which system is meant. */
export interface ObjectAddress extends Pick<InlineBmc, 'address' | 'protocol'> {
  readonly systemURI?: string;
}

/** For tests: takes an address apart into the fields that objects have for it; the host stays as it is written. */
export function objectAddress(text: string): ObjectAddress {
  const [, scheme = 'https', rest = ''] = /^(?:([a-z][a-z0-9+-]*):(?:\/\/|(?=\d+\.)))?(.*)$/is.exec(text.trim()) ?? [];
  const isTls = !/(^|\+)http$/i.test(scheme);
  const slash = rest.indexOf('/');
  const authority = slash === -1 ? rest : rest.slice(0, slash);
  const path = slash === -1 ? '' : rest.slice(slash);
  const [, host = authority, port = ''] = /^(\[.*\]|[^:]*):(\d*)$/.exec(authority) ?? [];
  const protocol = {
    name: 'Redfish',
    scheme: isTls ? 'https' : 'http',
    port: Number(port) || (isTls ? 443 : 80),
  } as const;
  return { address: host, protocol, ...(path === '' ? {} : { systemURI: path }) };
}
