import { isIP } from 'node:net';
import {
  type AdmissionRule,
  type AdmissionServer,
  type AnyKubeObject,
  type CertifiedKey,
  createRotatingCertificates,
  createSecretAuthorityStore,
  createWebhookPublisher,
  type KubeClient,
  startAdmissionServer,
  systemClock,
  type WebhookTarget,
} from '../../kube/index.ts';
import type { Settings } from '../settings.ts';
import { followCertificateFolder } from './certificate-folder.ts';
import { kindConversions } from './conversions.ts';
import { explainListenError } from './listen-error.ts';
import { systemNamespace } from './system-namespace.ts';

/** Whether the API server of a cluster can reach this process: it was told how, or both are on one machine. */
export function isReachable(client: Pick<KubeClient, 'server'>, { webhookUrl }: Settings<'webhookUrl'>): boolean {
  return webhookUrl !== undefined || isLoopback(new URL(client.server).hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

/** Webhooks that are served. */
export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/** What an API server asks this process. */
export interface Webhooks {
  /** Of the authority that certificates are issued with. */
  readonly name: string;
  readonly configurations: readonly WebhookConfiguration[];
  /** Names of definitions whose versions are converted here. */
  readonly convertedDefinitions?: readonly string[];
}

/** Rules that are published together. */
export interface WebhookConfiguration {
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
}

/** Where webhooks listen, and how they are reached. */
export type WebhookSettings = Settings<'host' | 'port' | 'webhookUrl'> &
  Partial<Settings<'webhookService' | 'webhookCertificate' | 'installed'>>;

/** Serves conversions and admission over HTTPS, with certificates that the cluster trusts for them. */
export async function serveWebhooks(
  client: KubeClient,
  { name, configurations, convertedDefinitions = [] }: Webhooks,
  settings: WebhookSettings,
): Promise<Serving> {
  if (settings.installed !== true) await ensureSystemNamespace(client);
  let server: AdmissionServer | undefined;
  const rules = configurations.flatMap((configuration) => configuration.rules);
  const url = (): string => urlOf(settings, server?.port ?? 0);
  const certificates = certificatesOf(client, settings, {
    name,
    async publish(bundle) {
      const target = targetOf(settings, server?.port ?? 0);
      for (const [index, configuration] of configurations.entries()) {
        const converted = index === 0 ? convertedDefinitions : [];
        const publication = { ...configuration, convertedDefinitions: converted, target };
        await createWebhookPublisher(client, publication, { fieldManager: 'rackwright' })(bundle);
      }
    },
    async serve(certificate) {
      if (server === undefined) server = await listen(certificate, rules, settings);
      else server.setCertificate(certificate);
    },
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

interface Certifying {
  readonly name: string;
  publish(caBundlePem: string): Promise<void>;
  serve(certificate: CertifiedKey): Promise<void>;
}

/** Those of a folder, or such that are made here and that all replicas find in a Secret. */
function certificatesOf(client: KubeClient, settings: WebhookSettings, { name, ...told }: Certifying) {
  const shared = { ...told, clock: systemClock, random: Math.random };
  const { webhookCertificate: folder } = settings;
  if (folder !== undefined) return followCertificateFolder({ ...told, folder, clock: systemClock });
  return createRotatingCertificates({
    ...shared,
    store: createSecretAuthorityStore(client, { namespace: systemNamespace, name: `${name}-webhook` }),
    names: namesFor(urlOf(settings, 0)),
  });
}

function urlOf({ webhookUrl, webhookService: service, host }: WebhookSettings, port: number): string {
  if (service !== undefined) return `https://${service.name}.${service.namespace}.svc:${port}`;
  return webhookUrl ?? `https://${hostInUrl(host)}:${port}`;
}

function targetOf(settings: WebhookSettings, port: number): WebhookTarget {
  const { webhookService: service } = settings;
  return service === undefined ? { url: urlOf(settings, port) } : { service: { ...service, port } };
}

async function listen(
  certificate: CertifiedKey,
  rules: readonly AdmissionRule[],
  settings: WebhookSettings,
): Promise<AdmissionServer> {
  const { host, port } = settings;
  try {
    return await startAdmissionServer({ rules, conversions: kindConversions(), certificate, host, port });
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
