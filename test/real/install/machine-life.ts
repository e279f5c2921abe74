import type { AnyKubeObject } from '../../../src/kube/index.ts';
import { until } from '../ironic/until.ts';
import type { ClusterObjects } from './cluster-objects.ts';
import { core, host, type Living, stateOf } from './living.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const timeoutMs = 240_000;

/** What runs machines on hosts of a pool of the same name. */
interface MachinePool {
  readonly kind: 'MachineSet' | 'MachineDeployment';
  readonly name: string;
  readonly replicas: number;
  /** True where there are to be as many as there are hosts. */
  readonly isScaled: boolean;
  /** More of the template of its Metal3Machines. */
  readonly more?: string;
  /** True where it takes any host. */
  readonly isGreedy?: boolean;
}

function manifestsOf({ kind, name, replicas, isScaled, more = '', isGreedy = false }: MachinePool): string {
  return `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3MachineTemplate
metadata: { name: ${name} }
spec:
  template:
    spec:
      hostSelector: { ${isGreedy ? '' : `matchLabels: { pool: ${name} }`} }
      image: { url: "http://images.example/node.qcow2", checksum: "http://images.example/node.qcow2.sha256", diskFormat: qcow2 }
      ${more}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: ${kind}
metadata: { name: ${name}, annotations: { ${isScaled ? 'metal3.io/autoscale-to-hosts: ""' : ''} } }
spec:
  clusterName: prod
  replicas: ${replicas}
  selector: { matchLabels: { pool: ${name} } }
  template:
    metadata: { labels: { pool: ${name} } }
    spec:
      clusterName: prod
      bootstrap: { dataSecretName: join }
      infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3MachineTemplate, name: ${name} }
`;
}

/** What machines belong to. */
export const clusterOfMachines = `apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3Cluster
metadata: { name: prod }
spec: { controlPlaneEndpoint: { host: 127.0.0.1, port: 6443 } }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: prod }
spec: { infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3Cluster, name: prod } }
`;

/** A MachineSet claims the first host, a MachineDeployment another. */
export async function claimMachine({ objects, switchesIn }: Living): Promise<void> {
  await objects.apply(`
apiVersion: v1
kind: Secret
metadata: { name: join }
stringData: { value: "#cloud-config" }
---
${clusterOfMachines}`);
  const scaled = { replicas: 0, isScaled: true };
  const networks = 'networkConfiguration: [{ ConfigurationRef: { name: shop }, nicHint: { name: eth0 } }]';
  const more = ['automatedCleaningMode: metadata', ...(switchesIn === undefined ? [] : [networks])].join('\n      ');
  await objects.apply(manifestsOf({ kind: 'MachineSet', name: 'machines', ...scaled, more }));
  await objects.apply(manifestsOf({ kind: 'MachineDeployment', name: 'deployed', ...scaled }));
  await refuseToScale(objects);
  await scaleDown(objects);
  await objects.untilSo(
    [core, 'MachineDeployment', 'deployed'],
    (it) => (it?.spec as { replicas?: number })?.replicas === 1,
  );
  await joinNode(objects);
}

/** Nobody boots here, so nobody joins either: a Node is written as the host would have it. */
async function joinNode(objects: ClusterObjects): Promise<void> {
  const claimed = await objects.untilSo(host('h1'), (it) => stateOf(it) === 'provisioned');
  const { consumerRef } = (claimed?.spec ?? {}) as { consumerRef: { name: string } };
  await objects.apply(`
apiVersion: v1
kind: Node
metadata: { name: ${consumerRef.name}, labels: { metal3.io/uuid: "${claimed?.metadata?.uid}" } }
spec: { unschedulable: false }
`);
  const isBound = (it: AnyKubeObject | undefined) =>
    (it?.spec as { providerID?: string } | undefined)?.providerID !== undefined;
  await objects.untilSo([infrastructure, 'Metal3Machine', consumerRef.name], isBound);
  await objects.untilSo(['v1', 'Node', consumerRef.name], isBound);
}

/** A MachineSet that would take every host is not scaled, and says so; saying it again is counted, not told anew. */
async function refuseToScale(objects: ClusterObjects): Promise<void> {
  // Of sets that were made in the same second the name says which has a host: this one comes last.
  const name = 'wants-all';
  await objects.apply(manifestsOf({ kind: 'MachineSet', name, replicas: 0, isScaled: true, isGreedy: true }));
  for (const times of [1, 2]) {
    await objects.patch([core, 'MachineSet', name], { metadata: { labels: { looked: `${times}` } } });
    const isRefusal = ({ reason, count }: AnyKubeObject) => reason === 'NotScaledToHosts' && Number(count) >= times;
    const look = async () => (await objects.list('Event', 'v1', objects.namespace)).find(isRefusal);
    await until({ what: `a refusal told ${times} times`, timeoutMs, look });
  }
}

/** A MachineSet has a machine, for which there is no host, and then none. */
async function scaleDown(objects: ClusterObjects): Promise<void> {
  const name = 'idle';
  await objects.apply(manifestsOf({ kind: 'MachineSet', name, replicas: 1, isScaled: false }));
  const isIdle = ({ metadata }: AnyKubeObject) => metadata?.name?.startsWith(`${name}-`) === true;
  const look = async () => (await objects.list('Metal3Machine', infrastructure, objects.namespace)).find(isIdle);
  await until({ what: 'a machine without a host', timeoutMs, look });
  await objects.patch([core, 'MachineSet', name], { spec: { replicas: 0 } });
  const isGone = async () => (await look()) === undefined || undefined;
  await until({ what: 'the end of the machine without a host', timeoutMs, look: isGone });
}
