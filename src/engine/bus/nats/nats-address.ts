import { BusError } from '../errors.ts';

/** How to prove who we are to NATS. */
export type NatsCredentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  /** The text of a `.creds` file: a signed user and its seed. */
  | { readonly kind: 'creds'; readonly creds: string }
  | { readonly kind: 'nkey'; readonly seed: string };

/** Where NATS is, without any secret, and the credentials that its URLs carried. */
export interface NatsAddress {
  /** `host:port`, safe to show. */
  readonly servers: readonly string[];
  readonly credentials: NatsCredentials | undefined;
  /** True when a URL insists on TLS. */
  readonly isTls: boolean;
}

/** Takes NATS URLs apart, so that what they keep secret goes nowhere but into the login. */
export function readNatsUrls(urls: readonly string[]): NatsAddress {
  if (urls.length === 0) throw new BusError('badUrl', { detail: 'there is none' });
  const parsed = urls.map(readOne);
  const [first] = parsed;
  const differing = parsed.find((one) => JSON.stringify(one.credentials) !== JSON.stringify(first?.credentials));
  if (differing !== undefined) throw new BusError('badUrl', { detail: 'all of them need the same user and password' });
  return {
    servers: parsed.map(({ server }) => server),
    credentials: first?.credentials,
    isTls: parsed.some(({ isTls }) => isTls),
  };
}

interface OneAddress {
  readonly server: string;
  readonly credentials: NatsCredentials | undefined;
  readonly isTls: boolean;
}

function readOne(text: string): OneAddress {
  // What URL.parse refuses is not shown: it may hold a password.
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`);
  if (url === null) throw new BusError('badUrl', { detail: 'it is no URL' });
  if (url.protocol !== 'nats:' && url.protocol !== 'tls:') {
    throw new BusError('badUrl', { detail: `its scheme is ${url.protocol.slice(0, -1)}, which is not spoken here` });
  }
  if (url.hostname === '') throw new BusError('badUrl', { detail: 'it names no host' });
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new BusError('badUrl', { detail: 'it has more than a host and a port' });
  }
  return {
    server: `${url.hostname}:${url.port === '' ? '4222' : url.port}`,
    credentials: credentialsOf(url),
    isTls: url.protocol === 'tls:',
  };
}

function credentialsOf(url: URL): NatsCredentials | undefined {
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === '' && password === '') return undefined;
  // NATS reads a URL with a user only as one with a token.
  return password === '' ? { kind: 'token', token: user } : { kind: 'password', user, password };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BusError('badUrl', { detail: 'its user or password has a % that is no escape' });
  }
}
