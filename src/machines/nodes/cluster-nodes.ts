import { createClient, isNotFound, type KubeClient, type KubeObject, type ObjectKey } from '../../kube/index.ts';
import { resources } from '../resources.ts';
import { type NodeAccess, nodesOnDemand } from './own-nodes.ts';
import { readKubeconfig } from './read-kubeconfig.ts';
import type { NodeSearch, WorkloadNodes } from './workload-nodes.ts';

/** How the nodes of clusters are reached. */
export interface ClusterNodesOptions {
  /** Of the API with the Clusters, which also has the Secrets with their kubeconfigs. */
  readonly client: KubeClient;
  /** The nodes of that API itself, for Clusters without a kubeconfig; undefined: such a Cluster has no nodes yet. */
  readonly own: () => NodeAccess | undefined;
}

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

interface Open {
  readonly version: string | undefined;
  readonly client: KubeClient;
  readonly access: NodeAccess;
}

const requestMs = 10_000;

/** The nodes of Clusters: those of the kubeconfig in the Secret `NAME-kubeconfig`, as Cluster API has it. */
export function createClusterNodes({ client, own }: ClusterNodesOptions): WorkloadNodes {
  const secrets = client.resource<Secret>(resources.secrets);
  const opened = new Map<string, Open>();

  const open = async (cluster: ObjectKey, secret: Secret): Promise<NodeAccess | string> => {
    const key = `${cluster.namespace}/${cluster.name}`;
    const version = secret.metadata?.resourceVersion;
    const known = opened.get(key);
    if (known !== undefined && known.version === version) return known.access;
    const read = readKubeconfig(Buffer.from(secret.data?.value ?? '', 'base64').toString('utf8'));
    if (read.kind === 'refused') return `The Secret ${cluster.name}-kubeconfig cannot be used: ${read.message}.`;
    const other = await createClient(read.connection, { timeoutMs: requestMs });
    await known?.client.close();
    const access = nodesOnDemand(other);
    opened.set(key, { version, client: other, access });
    return access;
  };

  const accessTo = async (cluster: ObjectKey): Promise<NodeAccess | string | undefined> => {
    try {
      const name = `${cluster.name}-kubeconfig`;
      return await open(cluster, await secrets.get({ name, namespace: cluster.namespace }));
    } catch (error) {
      if (isNotFound(error)) return own();
      throw error;
    }
  };

  const change = async (cluster: ObjectKey, work: (access: NodeAccess) => Promise<void>): Promise<void> => {
    const access = await accessTo(cluster);
    if (typeof access === 'object') await work(access);
  };

  return {
    async find(cluster, wish): Promise<NodeSearch> {
      try {
        const access = await accessTo(cluster);
        if (typeof access === 'string') return { kind: 'unreachable', message: access };
        const node = await access?.find(wish);
        return access === undefined || node === undefined
          ? { kind: 'none' }
          : { kind: 'found', node, isFollowed: access.isFollowed };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { kind: 'unreachable', message: `The nodes of the Cluster ${cluster.name} cannot be read: ${why}.` };
      }
    },
    name: (cluster, node, providerId) => change(cluster, (access) => access.name(node, providerId)),
    cordon: (cluster, node) => change(cluster, (access) => access.cordon(node)),
    remove: (cluster, node) => change(cluster, (access) => access.remove(node)),
    async close() {
      const all = [...opened.values()];
      opened.clear();
      await Promise.all(all.map((each) => each.client.close()));
    },
  };
}
