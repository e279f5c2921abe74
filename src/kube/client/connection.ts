import { type CertifiedKey, splitCertificates } from '../pem.ts';

/** TLS settings of a connection, as node:tls takes them. */
export interface TlsSettings {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

/** What proves who we are: headers of a request and TLS settings of the connection. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsSettings;
}

/** A server, and how to get credentials for it. */
export interface Connection {
  readonly server: string;
  /** The namespace commands use when none is named. */
  readonly namespace: string | undefined;
  readonly proxyUrl: string | undefined;
  /** `fresh` asks again, after the server refused the last ones. */
  credentials(options?: { readonly fresh?: boolean }): Promise<Credentials>;
}

/** Who to act as, for a caller that may impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** A connection given field by field. */
export interface DirectConnectionOptions {
  readonly server: string;
  readonly caPem?: string | undefined;
  readonly token?: string | (() => Promise<string> | string) | undefined;
  readonly clientCertificate?: CertifiedKey | undefined;
  readonly serverName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly isTlsUnverified?: boolean | undefined;
}

/** A connection to the given server with the given credentials. */
export function connectDirect(options: DirectConnectionOptions): Connection {
  const tls: TlsSettings = {
    ca: options.caPem,
    cert: options.clientCertificate?.certificatePem,
    key: options.clientCertificate?.privateKeyPem,
    servername: options.serverName,
    ...(options.isTlsUnverified === true ? { rejectUnauthorized: false } : {}),
  };
  const { token } = options;
  return {
    server: options.server,
    namespace: options.namespace,
    proxyUrl: options.proxyUrl,
    async credentials() {
      const bearer = typeof token === 'function' ? await token() : token;
      return { headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }, tls };
    },
  };
}

/** Adds impersonation headers to every request of a connection. */
export function impersonate(connection: Connection, as: Impersonation): Connection {
  return {
    ...connection,
    async credentials(options) {
      const { headers, tls } = await connection.credentials(options);
      const groups =
        as.groups === undefined || as.groups.length === 0 ? {} : { 'impersonate-group': as.groups.join('\n') };
      return { headers: { ...headers, 'impersonate-user': as.user, ...groups }, tls };
    },
  };
}

/** TLS settings with the authority bundle taken apart, since node:tls wants a list. */
export function tlsConnectOptions(tls: TlsSettings): { [option: string]: unknown } {
  const { ca, ...rest } = tls;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const bundle = ca === undefined ? [] : splitCertificates(ca);
  return { ...Object.fromEntries(given), ...(ca === undefined ? {} : { ca: bundle.length > 0 ? bundle : ca }) };
}
