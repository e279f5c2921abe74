import { isIP } from 'node:net';
import {
  type AdmissionServer,
  type AnyKubeObject,
  type CertifiedKey,
  createClient,
  createRotatingCertificates,
  createSecretAuthorityStore,
  createWebhookPublisher,
  type KubeClient,
  startAdmissionServer,
  systemClock,
} from '../../kube/index.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { convertedKinds, kindConversions } from './conversions.ts';
import { type Installed, installKinds } from './install-kinds.ts';
import { explainListenError } from './listen-error.ts';

/** What working in somebody else's cluster is started with. */
export type ClusterSettings = Settings<'host' | 'port' | 'webhookUrl'> & { readonly kubeconfig: string };

/** A cluster that serves our kinds, and what of us it depends on. */
export interface ClusterPlane {
  readonly server: string;
  readonly installed: Installed;
  /** Where the cluster asks for conversions; undefined when it cannot reach this process. */
  readonly conversionUrl: string | undefined;
  close(): Promise<void>;
}

const systemNamespace = 'rackwright-system';

/** Installs kinds and roles into the cluster of a kubeconfig and serves what the cluster asks back for. */
export async function startClusterPlane(settings: ClusterSettings, terminal: Terminal): Promise<ClusterPlane> {
  const client = await createClient(
    { kubeconfig: settings.kubeconfig },
    { onWarning: (text) => terminal.err(`Warning: ${text}\n`) },
  );
  try {
    const isReachable = settings.webhookUrl !== undefined || isLoopback(new URL(client.server).hostname);
    const installed = await installKinds(client, {
      isReplacingOthers: false,
      conversion: isReachable ? 'elsewhere' : 'impossible',
      signal: terminal.interrupted,
    });
    const serving = isReachable ? await serveConversions(client, installed, settings) : undefined;
    return {
      server: client.server,
      installed,
      conversionUrl: serving?.url,
      async close() {
        await serving?.close();
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves conversions over HTTPS, with certificates that the definitions in the cluster trust. */
async function serveConversions(client: KubeClient, installed: Installed, settings: ClusterSettings): Promise<Serving> {
  await ensureSystemNamespace(client);
  const own = new Set(installed.definitions);
  const names = convertedKinds().map(({ plural, group }) => `${plural}.${group}`);
  const convertedDefinitions = names.filter((name) => own.has(name));
  let server: AdmissionServer | undefined;
  const url = (): string => settings.webhookUrl ?? `https://${hostInUrl(settings.host)}:${server?.port ?? 0}`;
  const certificates = createRotatingCertificates({
    store: createSecretAuthorityStore(client, { namespace: systemNamespace, name: 'rackwright-webhook' }),
    publish: (bundle) =>
      createWebhookPublisher(
        client,
        { name: 'rackwright', rules: [], convertedDefinitions, target: { url: url() } },
        { fieldManager: 'rackwright' },
      )(bundle),
    async serve(certificate) {
      if (server === undefined) server = await listen(certificate, settings);
      else server.setCertificate(certificate);
    },
    names: namesFor(settings.webhookUrl ?? `https://${hostInUrl(settings.host)}`),
    clock: systemClock,
    random: Math.random,
  });
  const stop = new AbortController();
  try {
    await certificates.tick();
  } catch (error) {
    await server?.close();
    throw error;
  }
  const running = certificates.run(stop.signal);
  return {
    url: url(),
    async close() {
      stop.abort();
      await running;
      await server?.close();
    },
  };
}

async function listen(certificate: CertifiedKey, settings: ClusterSettings): Promise<AdmissionServer> {
  const { host, port } = settings;
  try {
    return await startAdmissionServer({ rules: [], conversions: kindConversions(), certificate, host, port });
  } catch (error) {
    throw explainListenError(error, settings);
  }
}

async function ensureSystemNamespace(client: KubeClient): Promise<void> {
  const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
  const labels = { 'app.kubernetes.io/part-of': 'rackwright' };
  await client
    .resource<AnyKubeObject>(namespaces)
    .apply({ metadata: { name: systemNamespace, labels } }, { fieldManager: 'rackwright', isForced: true });
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function namesFor(url: string): { dns: string[]; ips: string[] } {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? { dns: [host], ips: [] } : { dns: [], ips: [host] };
}
