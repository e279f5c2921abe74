import { startDiscoveryControllers } from '../../../src/discovery/index.ts';
import { startHostControllers } from '../../../src/hosts/index.ts';
import {
  createClient,
  createRotatingCertificates,
  createSecretAuthorityStore,
  type KubeClient,
  systemClock,
} from '../../../src/kube/index.ts';
import { home, webhookName } from '../../../src/manifests/index.ts';
import { createAbsentProvisioners } from '../../../src/provisioners/index.ts';
import { silentLogger } from '../../../src/telemetry/index.ts';
import { createKubernetesLauncher, type LaunchOrder } from '../../../src/update-service/index.ts';
import { until } from '../ironic/until.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import type { RunningComponent } from './component-processes.ts';

/**
 * What components do after minutes or months only, no setting of theirs says when: the same code does it here at once,
 * as the same accounts, once they themselves have ended.
 */
export async function doLateWork(
  ended: readonly RunningComponent[],
  objects: ClusterObjects,
  /** Whose components they are, where every tenant has their own. */
  tenant?: string,
): Promise<void> {
  const as = async (component: string, work: (client: KubeClient) => Promise<void>) => {
    const kubeconfig = ended.find(({ name }) => name === `rackwright-${component}`)?.kubeconfig ?? '';
    const client = await createClient({ kubeconfig });
    try {
      await work(client);
    } finally {
      await client.close();
    }
  };
  await as('hosts', (client) => forgetSchemas(client, objects, tenant));
  await as('hosts', (client) => forgetClaims(client, objects, tenant));
  if (tenant === undefined) await as('webhooks', renewAuthority);
}

/**
 * What a Job of an earlier lease left is thrown away before the next Job of the same work is made, and a Job that cannot begin is
 * buried; both take the ends of leases. The same code does it here at once, as the update service.
 */
export async function replaceJob(
  ended: readonly RunningComponent[],
  { objects, namespace }: { readonly objects: ClusterObjects; readonly namespace: string },
): Promise<void> {
  const kubeconfig = ended.find(({ name }) => name === 'rackwright-update-service')?.kubeconfig ?? '';
  const client = await createClient({ kubeconfig });
  const [jobId, image] = ['late', 'example/none'];
  const left = { name: `rackwright-job-${jobId}`, namespace };
  await objects.apply(
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: left, stringData: { of: 'before' } }),
  );
  const launcher = createKubernetesLauncher({
    ...{ client, namespace, image, clock: systemClock, logger: silentLogger },
    updateService: { url: 'https://nobody.example' },
    bmcOf: async () => undefined,
  });
  const order = { jobId, token: 'of-nobody', type: 'discovery', work: { lease: { token: 1 } } };
  try {
    // Launchers of jobs outside their process look at nothing else of the order.
    const { handle } = await launcher.launch(order as LaunchOrder);
    await launcher.bury?.(handle);
  } finally {
    await client.close();
  }
}

const timeoutMs = 240_000;

/** A schema that no host has any more goes after ten minutes. */
async function forgetSchemas(client: KubeClient, objects: ClusterObjects, namespace?: string): Promise<void> {
  const provisioners = createAbsentProvisioners({ message: 'No host is left.' });
  const settings = { schemaKeepMs: 0 };
  const shared = { client, provisioners, settings, namespace };
  const hosts = startHostControllers({ ...shared, clock: systemClock, random: Math.random });
  const look = async () =>
    (await objects.list('FirmwareSchema', 'metal3.io/v1alpha1', objects.namespace)).length === 0 || undefined;
  await until({ what: 'the end of all schemas', timeoutMs, look }).finally(() => hosts.stop());
}

/** The claim of a machine that nobody knows any more goes after ten minutes. */
async function forgetClaims(client: KubeClient, objects: ClusterObjects, namespace?: string): Promise<void> {
  const settings = { forgetMs: 1000, ...(namespace === undefined ? {} : { claimNamespace: namespace }) };
  const discovery = startDiscoveryControllers({
    ...{ client, settings, namespace },
    ...{ clock: systemClock, random: Math.random, sources: [] },
  });
  const isClaim = ({ metadata }: { metadata?: { name?: string } }) => metadata?.name?.startsWith('host-') === true;
  const leases = () => objects.list('Lease', 'coordination.k8s.io/v1', namespace ?? home);
  const look = async () => !(await leases()).some(isClaim) || undefined;
  await until({ what: 'the end of all claims', timeoutMs, look }).finally(() => discovery.stop());
}

/** The authority of the webhooks is renewed months before it ends. */
async function renewAuthority(client: KubeClient): Promise<void> {
  const monthsMs = 300 * 86_400_000;
  const certificates = createRotatingCertificates({
    store: createSecretAuthorityStore(client, { namespace: home, name: `${webhookName}-webhook` }),
    publish: async () => {},
    serve: () => {},
    names: { dns: ['localhost'] },
    clock: { ...systemClock, now: () => systemClock.now() + monthsMs },
    random: Math.random,
  });
  await certificates.tick();
}
