import { createServer } from 'node:net';

/** Where one BMC listens; port 0 stands for any free one. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Addresses of a block of 256 that are given away: 1 to 254. */
const perBlock = 254;

/** The address of BMC number `index` in `address` mode: 127.0.1.1 and up. */
export function bmcAddress(index: number): string {
  const block = Math.floor(index / perBlock) + 1;
  return `127.${block >> 8}.${block & 255}.${(index % perBlock) + 1}`;
}

/** `https://[::1]:8443`. */
export function urlOf(endpoint: Endpoint, scheme: 'http' | 'https'): string {
  const host = endpoint.address.includes(':') ? `[${endpoint.address}]` : endpoint.address;
  return `${scheme}://${host}:${endpoint.port}`;
}

/** True where addresses of 127/8 beyond 127.0.0.1 can be used without setting them up first (Linux; not macOS). */
export function hasLoopbackBlock(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(0, bmcAddress(0), () => probe.close(() => resolve(true)));
  });
}
