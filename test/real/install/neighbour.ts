import type { ClusterObjects } from './cluster-objects.ts';
import { core, metal3 } from './living.ts';
import { clusterOfMachines } from './machine-life.ts';

/** What is in the namespace of a tenant whose controllers do not run: each object with its version, and what others make of it. */
export interface LeftAlone {
  readonly before: readonly string[];
  now(): Promise<readonly string[]>;
}

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';

const machines = `
${clusterOfMachines}---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3MachineTemplate
metadata: { name: any }
spec:
  template:
    spec:
      hostSelector: {}
      image: { url: "http://images.example/node.qcow2", checksum: "http://images.example/node.qcow2.sha256", diskFormat: qcow2 }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: { name: any }
spec:
  clusterName: prod
  replicas: 1
  selector: { matchLabels: { pool: any } }
  template:
    metadata: { labels: { pool: any } }
    spec:
      clusterName: prod
      bootstrap: { dataSecretName: join }
      infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3MachineTemplate, name: any }
`;

const others = `
apiVersion: v1
kind: Secret
metadata: { name: h1-bmc }
stringData: { username: root, password: of-the-neighbour }
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: { name: h1, labels: { pool: machines } }
spec: { online: true, bootMACAddress: "52:54:00:aa:00:01", bmc: { address: "redfish+https://127.0.0.1:1/redfish/v1/Systems/1", credentialsName: h1-bmc } }
---
apiVersion: metal3.io/v1alpha1
kind: FixtureSwitch
metadata: { name: leaf1 }
spec: { ports: [Ethernet1] }
---
apiVersion: metal3.io/v1alpha1
kind: Switch
metadata: { name: leaf1 }
spec: { provider: { kind: FixtureSwitch, name: leaf1 }, ports: { leaf1-e1: { name: Ethernet1 } } }
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHostDiscovery
metadata: { name: all }
spec: { resourceNameTemplate: { prefix: new-, hardwareDetails: boot-mac }, pollIntervalSeconds: 5 }
`;

/** Kinds that are looked at: also those of objects that only controllers make. */
const kinds: readonly (readonly [kind: string, apiVersion: string])[] = [
  ...['BareMetalHost', 'HardwareData', 'HostFirmwareSettings', 'HostFirmwareComponents'].map(
    (kind) => [kind, metal3] as const,
  ),
  ...['FixtureSwitch', 'Switch', 'SwitchPort', 'BareMetalHostDiscovery'].map((kind) => [kind, metal3] as const),
  ...['Cluster', 'MachineSet', 'Machine'].map((kind) => [kind, core] as const),
  ...['Metal3Cluster', 'Metal3MachineTemplate', 'Metal3Machine'].map((kind) => [kind, infrastructure] as const),
  ...['Secret', 'Event'].map((kind) => [kind, 'v1'] as const),
  ['Lease', 'coordination.k8s.io/v1'],
];

/** Writes objects that would be worked on if anybody looked after the namespace: of machines, or of everything. */
export async function leaveAlone(objects: ClusterObjects, of: 'machines' | 'all'): Promise<LeftAlone> {
  await objects.apply(of === 'all' ? `${machines}---${others}` : machines);
  const now = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      kinds.map(async ([kind, apiVersion]) =>
        (await objects.list(kind, apiVersion, objects.namespace)).map(
          ({ metadata }) => `${kind} ${metadata?.name} ${metadata?.resourceVersion}`,
        ),
      ),
    );
    return found.flat().toSorted();
  };
  return { before: await now(), now };
}
