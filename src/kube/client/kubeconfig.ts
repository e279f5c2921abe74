import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import type { Clock } from '../clock.ts';
import { kubeError } from '../errors.ts';
import type { Connection, Credentials } from './connection.ts';

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
    const text = options.text ?? (options.file === undefined ? undefined : await readFile(options.file, 'utf8'));
    if (text === undefined) config.loadFromDefault();
    else loadText(config, text, options.file === undefined ? '.' : dirname(options.file));
  } catch (cause) {
    throw kubeError(
      'BadConnectionSettings',
      // The lines after the first quote the file, tokens included.
      `cannot read the kubeconfig ${options.file ?? ''}: ${String(cause).split('\n', 1)[0]}`,
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

interface UserEntry {
  readonly name?: string;
  readonly user?: { readonly tokenFile?: string } | null;
}

/** Loads a kubeconfig, and what the library leaves out of it: the file that a token is read from again and again. */
function loadText(config: KubeConfig, text: string, folder: string): void {
  config.loadFromString(text);
  config.makePathsAbsolute(folder);
  const { users = [] } = parseYaml(text) as { users?: UserEntry[] };
  const files = new Map(users.map(({ name, user }) => [name, user?.tokenFile]));
  config.users = config.users.map((user) => {
    const tokenFile = files.get(user.name);
    if (tokenFile === undefined) return user;
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(folder, tokenFile) } } };
  });
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
