import type { AnyKubeObject, KubeClient } from '../../../src/kube/index.ts';
import { fleet, image } from '../../../src/machines/testing/rig.ts';

const core = 'cluster.x-k8s.io';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const version = 'v1beta1';

async function create(client: KubeClient, manifest: AnyKubeObject & { readonly spec?: object }): Promise<void> {
  const [group = ''] = (manifest.apiVersion ?? '').split('/');
  const resource = `${(manifest.kind ?? '').toLowerCase()}s`;
  const made = await client.resource<AnyKubeObject>({ group, version, resource, namespaced: true }).create(manifest);
  // Whoever wrote it in that version reads it so.
  if (made.apiVersion !== manifest.apiVersion) throw new Error(`${resource} came back as ${made.apiVersion}`);
}

/** Makes a Cluster with its Metal3Cluster, both in the older version, in the words of that. */
export async function putOlderCluster(client: KubeClient, name: string): Promise<void> {
  await create(client, {
    apiVersion: `${infrastructure}/${version}`,
    kind: 'Metal3Cluster',
    metadata: { namespace: fleet, name },
    spec: {
      controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 },
      noCloudProvider: true,
      failureDomains: { 'row-a': { controlPlane: true } },
    },
  });
  const infrastructureRef = {
    apiVersion: `${infrastructure}/${version}`,
    kind: 'Metal3Cluster',
    namespace: fleet,
    name,
  };
  await create(client, {
    apiVersion: `${core}/${version}`,
    kind: 'Cluster',
    metadata: { namespace: fleet, name },
    spec: { infrastructureRef },
  });
}

/** Makes a MachineSet with its template, both in the older version, and the Secret with the bootstrap data. */
export async function putOlderSet(
  client: KubeClient,
  name: string,
  wish: { readonly cluster: string; readonly replicas: number; readonly hostLabels: Readonly<Record<string, string>> },
): Promise<void> {
  await client
    .resource<AnyKubeObject>({ group: '', version: 'v1', resource: 'secrets', namespaced: true })
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleet, name: `${name}-boot` } });
  await create(client, {
    apiVersion: `${infrastructure}/${version}`,
    kind: 'Metal3MachineTemplate',
    metadata: { namespace: fleet, name },
    spec: {
      nodeReuse: false,
      template: { spec: { image: { ...image, format: 'qcow2' }, hostSelector: { matchLabels: wish.hostLabels } } },
    },
  });
  await create(client, {
    apiVersion: `${core}/${version}`,
    kind: 'MachineSet',
    metadata: { namespace: fleet, name },
    spec: {
      clusterName: wish.cluster,
      replicas: wish.replicas,
      selector: { matchLabels: { pool: name } },
      template: {
        metadata: { labels: { pool: name } },
        spec: {
          clusterName: wish.cluster,
          bootstrap: { dataSecretName: `${name}-boot` },
          infrastructureRef: { apiVersion: `${infrastructure}/${version}`, kind: 'Metal3MachineTemplate', name },
        },
      },
    },
  });
}
