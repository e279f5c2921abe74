/** Objects by which servers that nobody has registered become nodes: discovery, and a MachineSet that follows its hosts. */
export function workersOf(namespace: string): readonly object[] {
  const infrastructure = 'infrastructure.cluster.x-k8s.io';
  const cluster = 'cluster.x-k8s.io';
  const at = (name: string): object => ({ metadata: { name, namespace } });
  const ref = (kind: string, name: string): object => ({ apiGroup: infrastructure, kind, name });
  const image = { url: 'http://simulator.example/node.raw', checksum: 'http://simulator.example/node.raw.sha256' };
  return [
    {
      ...{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHostDiscovery', ...at('all') },
      spec: {
        resourceNameTemplate: { prefix: `${namespace}-`, hardwareDetails: 'hostname' },
        pollIntervalSeconds: 5,
        labels: { pool: 'workers' },
      },
    },
    {
      ...{ apiVersion: `${infrastructure}/v1beta2`, kind: 'Metal3Cluster', ...at(namespace) },
      spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 6443 } },
    },
    {
      ...{ apiVersion: `${cluster}/v1beta2`, kind: 'Cluster', ...at(namespace) },
      spec: { infrastructureRef: ref('Metal3Cluster', namespace) },
    },
    {
      ...{ apiVersion: `${infrastructure}/v1beta2`, kind: 'Metal3MachineTemplate', ...at('workers') },
      spec: {
        template: {
          spec: { hostSelector: { matchLabels: { pool: 'workers' } }, image: { ...image, diskFormat: 'raw' } },
        },
      },
    },
    {
      ...{ apiVersion: `${cluster}/v1beta2`, kind: 'MachineSet' },
      metadata: { name: 'workers', namespace, annotations: { 'metal3.io/autoscale-to-hosts': '' } },
      spec: {
        ...{ clusterName: namespace, replicas: 0, selector: { matchLabels: { pool: 'workers' } } },
        template: {
          metadata: { labels: { pool: 'workers' } },
          spec: {
            ...{ clusterName: namespace, bootstrap: { dataSecretName: 'join' } },
            infrastructureRef: ref('Metal3MachineTemplate', 'workers'),
          },
        },
      },
    },
  ];
}
