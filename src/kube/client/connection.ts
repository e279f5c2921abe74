import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock.ts';
import { kubeError } from '../errors.ts';
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

/** Which kubeconfig to read: a file, its text, or whatever kubectl would use. */
export interface KubeconfigOptions {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly context?: string | undefined;
  readonly clock: Clock;
}

/** How long credentials are used before files and plug-ins are asked again. */
const credentialsAgeMs = 10_000;

/** A connection as a kubeconfig describes it, exec plug-ins and token files included. */
export async function connectKubeconfig(options: KubeconfigOptions): Promise<Connection> {
  const config = await newKubeConfig();
  try {
    if (options.text !== undefined) config.loadFromString(options.text);
    else if (options.file !== undefined) config.loadFromFile(options.file);
    else config.loadFromDefault();
  } catch (cause) {
    throw kubeError(
      'BadConnectionSettings',
      `cannot read the kubeconfig ${options.file ?? ''}: ${String(cause)}`,
      cause,
    );
  }
  if (options.context !== undefined) config.setCurrentContext(options.context);
  return connectLoaded(config, options.clock);
}

/** A connection from inside a pod, by its service account. */
export async function connectInCluster(options: { readonly clock: Clock }): Promise<Connection> {
  const config = await newKubeConfig();
  config.loadFromCluster();
  return connectLoaded(config, options.clock);
}

type KubeConfig = import('@kubernetes/client-node').KubeConfig;

/** Loaded only when needed: the library costs tens of megabytes that an embedded set-up does without. */
async function newKubeConfig(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig();
}

function connectLoaded(config: KubeConfig, clock: Clock): Connection {
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const message = `the kubeconfig has no cluster for its context "${config.getCurrentContext() ?? ''}"; name another with --context`;
    throw kubeError('BadConnectionSettings', message);
  }
  // The library refuses plain HTTP unless told; which server to trust is for whoever wrote the kubeconfig to say.
  const isPlain = cluster.server.startsWith('http:');
  if (isPlain)
    config.clusters = config.clusters.map((c) => (c.name === cluster.name ? { ...c, skipTLSVerify: true } : c));
  let last: { at: number; credentials: Credentials } | undefined;
  return {
    server: cluster.server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    proxyUrl: cluster.proxyUrl,
    async credentials({ fresh = false } = {}) {
      if (!fresh && last !== undefined && clock.monotonic() - last.at < credentialsAgeMs) return last.credentials;
      const credentials = await readCredentials(config);
      last = { at: clock.monotonic(), credentials };
      return credentials;
    },
  };
}

interface HttpsOptions {
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  auth?: unknown;
  servername?: string;
  rejectUnauthorized?: boolean;
  headers?: IncomingHttpHeaders;
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const options: HttpsOptions = {};
  try {
    await config.applyToHTTPSOptions(options as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
  } catch (cause) {
    throw kubeError('BadConnectionSettings', `cannot get credentials from the kubeconfig: ${String(cause)}`, cause);
  }
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name.toLowerCase(), String(value)]],
  );
  if (typeof options.auth === 'string') {
    headers.push(['authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`]);
  }
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;
  return {
    headers: Object.fromEntries(headers),
    tls: {
      ca: text(options.ca),
      cert: text(options.cert),
      key: text(options.key),
      servername: options.servername,
      ...(options.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: options.rejectUnauthorized }),
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
