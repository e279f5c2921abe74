import { parse } from 'yaml';
import type { ConnectionSpec } from '../../kube/index.ts';

interface KubeconfigCluster {
  readonly server?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
}

interface KubeconfigUser {
  readonly token?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key-data'?: string;
}

/** A kubeconfig that a cluster is reached by, or why it is not used. */
export type ReadKubeconfig =
  | { readonly kind: 'connection'; readonly connection: ConnectionSpec }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Reads a kubeconfig that came in a Secret. Whoever writes the Secret must not be able to run programs or read files
 * here, so only what stands in it counts: a server, certificates, a token.
 */
export function readKubeconfig(text: string): ReadKubeconfig {
  let config: Record<string, unknown>;
  try {
    config = (parse(text, { maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
  } catch {
    return refused('it is not YAML');
  }
  const context = entryOf<{ cluster?: string; user?: string }>(config.contexts, config['current-context'], 'context');
  const cluster = entryOf<KubeconfigCluster>(config.clusters, context?.cluster, 'cluster');
  const user = entryOf<KubeconfigUser>(config.users, context?.user, 'user');
  if (typeof cluster?.server !== 'string') return refused('its current context names no cluster with a server');
  const certificate = pemOf(user?.['client-certificate-data']);
  const key = pemOf(user?.['client-key-data']);
  const token = typeof user?.token === 'string' ? user.token : undefined;
  if (token === undefined && (certificate === undefined || key === undefined)) {
    return refused('its user has neither a token nor a client certificate in the kubeconfig itself');
  }
  return {
    kind: 'connection',
    connection: {
      server: cluster.server,
      caPem: pemOf(cluster['certificate-authority-data']),
      serverName: cluster['tls-server-name'],
      isTlsUnverified: cluster['insecure-skip-tls-verify'] === true,
      ...(token === undefined ? {} : { token }),
      ...(certificate === undefined || key === undefined
        ? {}
        : { clientCertificate: { certificatePem: certificate, privateKeyPem: key } }),
    },
  };
}

function refused(message: string): ReadKubeconfig {
  return { kind: 'refused', message };
}

function entryOf<T>(list: unknown, name: unknown, field: string): T | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = (list as (Readonly<Record<string, unknown>> | null)[]).find((each) => each?.name === name);
  const value = found?.[field];
  return typeof value === 'object' && value !== null ? (value as T) : undefined;
}

function pemOf(base64: string | undefined): string | undefined {
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('utf8') : undefined;
}
