import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AnyKubeObject, isNotFound } from '../../../src/kube/index.ts';
import { clusterApiGates, withConversion, writeCertificates } from '../cluster-api/real-cluster-api.ts';
import { namespace, type ObjectAddress, type Objects, valueAt } from './objects.ts';
import type { Scenario } from './scenario.ts';

const home = 'cluster-api';
const core = 'cluster.x-k8s.io/v1beta2';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const infrastructureKinds = ['TestCluster', 'TestControlPlane', 'TestMachine', 'TestMachineTemplate'] as const;
const provider = `${infrastructure}/v1beta1`;
const pollMs = 300;

/** The core of Cluster API makes machines of deployments, replaces and removes them; the infrastructure is played. */
export const clusterApi: Scenario = {
  name: 'cluster-api',
  async prepare({ objects, program, folder, authority, kubeconfig, ports }) {
    const certificates = join(folder, 'webhook');
    await writeCertificates(authority, certificates);
    const port = await ports(3);
    const webhook = { url: `https://127.0.0.1:${port}/convert`, caPem: authority.certPem };
    await objects.apply(
      namespace(home),
      ...program.definitions.map((each) => withConversion(each, webhook)),
      ...infrastructureKinds.map(infrastructureDefinition),
    );
    return {
      args: [
        ...['--kubeconfig', kubeconfig.path, '--feature-gates', clusterApiGates],
        ...['--webhook-port', String(port), '--webhook-cert-dir', certificates],
        ...['--health-addr', `127.0.0.1:${port + 1}`, '--diagnostics-address', `127.0.0.1:${port + 2}`],
        '--insecure-diagnostics',
      ],
      // Conversions fail before, and its probe says that it is ready before its caches are full.
      logsWhenWorking: /Starting workers.*controller="machinedeployment"/,
    };
  },
  async work({ objects, kubeconfig }, round) {
    const name = `round-${round}-prod`;
    const cluster: ObjectAddress = { apiVersion: core, kind: 'Cluster', name, namespace: home };
    const deployment = { ...cluster, kind: 'MachineDeployment' };
    const infrastructureCluster = { ...cluster, apiVersion: provider, kind: 'TestCluster' };
    const controlPlane = { ...infrastructureCluster, kind: 'TestControlPlane' };
    const template = { ...infrastructureCluster, kind: 'TestMachineTemplate' };
    const stop = new AbortController();
    const playing = playInfrastructure(objects, stop.signal);
    const metadata = { name, namespace: home };
    const labels = { 'cluster.x-k8s.io/cluster-name': name };
    await objects.apply(
      { ...typeOf(template), metadata, spec: { template: { spec: {} } } },
      { ...typeOf(infrastructureCluster), metadata, spec: {} },
      { ...typeOf(controlPlane), metadata, spec: {} },
      {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-kubeconfig`, namespace: home, labels } },
        stringData: { value: kubeconfig.text },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-boot`, namespace: home },
        stringData: { value: '' },
      },
      {
        ...{ ...typeOf(cluster), metadata },
        spec: {
          infrastructureRef: { apiGroup: infrastructure, kind: infrastructureCluster.kind, name },
          controlPlaneRef: { apiGroup: infrastructure, kind: controlPlane.kind, name },
        },
      },
      { ...typeOf(deployment), metadata, spec: deploymentSpec(name) },
    );
    await objects.until(cluster, (object) => valueAt(object, 'status.phase') === 'Provisioned');
    const hasRunning = (count: number) => (object: AnyKubeObject) =>
      valueAt(object, 'status.replicas') === count &&
      valueAt(object, 'status.upToDateReplicas') === count &&
      valueAt(object, 'status.phase') === 'Running' &&
      valueAt(object, 'status.observedGeneration') === object.metadata?.generation;
    await objects.until(deployment, hasRunning(2));
    await objects.merge(deployment, { spec: { replicas: 3 } });
    await objects.until(deployment, hasRunning(3));
    // Another template makes it replace its machines one by one.
    await objects.merge(deployment, { spec: { template: { spec: { failureDomain: 'row-b' } } } });
    await objects.until(deployment, hasRunning(3));
    await objects.merge(deployment, { spec: { replicas: 1 } });
    await objects.until(deployment, hasRunning(1));
    await objects.delete(cluster);
    await objects.untilGone(cluster, deployment, infrastructureCluster, controlPlane);
    stop.abort();
    await playing;
    await objects.delete(
      { apiVersion: 'v1', kind: 'Secret', name: `${name}-kubeconfig`, namespace: home },
      { apiVersion: 'v1', kind: 'Secret', name: `${name}-boot`, namespace: home },
    );
  },
};

function typeOf({ apiVersion, kind }: ObjectAddress): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}

function deploymentSpec(name: string): object {
  // The webhooks of Cluster API, which are not installed, would add the first.
  const labels = { 'cluster.x-k8s.io/cluster-name': name, pool: name };
  return {
    clusterName: name,
    replicas: 2,
    selector: { matchLabels: labels },
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    template: {
      metadata: { labels },
      spec: {
        clusterName: name,
        bootstrap: { dataSecretName: `${name}-boot` },
        infrastructureRef: { apiGroup: infrastructure, kind: 'TestMachineTemplate', name },
      },
    },
  };
}

/** A definition of a kind of infrastructure whose spec and status may hold anything. */
function infrastructureDefinition(kind: (typeof infrastructureKinds)[number]): AnyKubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${infrastructure}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta1' } },
    spec: {
      ...{ group: infrastructure, scope: 'Namespaced' },
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1beta1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

/** Plays the provider: everything is provisioned at once, and each machine becomes a node. */
async function playInfrastructure(objects: Objects, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const kind of ['TestCluster', 'TestControlPlane', 'TestMachine'] as const) {
      for (const each of await objects.list(provider, kind, home)) {
        if (valueAt(each, 'status.initialization.provisioned') === true) continue;
        await provision(objects, kind, each.metadata?.name ?? '').catch(ignoreGone);
      }
    }
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The conditions that a kubelet writes; without all of them no machine is available. */
const healthy = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
  ...{ type, status: type === 'Ready' ? 'True' : 'False' },
  ...{ reason: 'Kubelet', message: '' },
}));

type ProvisionedKind = Exclude<(typeof infrastructureKinds)[number], 'TestMachineTemplate'>;

async function provision(objects: Objects, kind: ProvisionedKind, name: string): Promise<void> {
  const address = { apiVersion: provider, kind, name, namespace: home };
  if (kind === 'TestCluster') {
    await objects.merge(address, { spec: { controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 } } });
  }
  if (kind === 'TestMachine') {
    const providerID = `test://${name}`;
    await objects.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID } });
    await objects.mergeStatus({ apiVersion: 'v1', kind: 'Node', name }, { conditions: healthy });
    await objects.merge(address, { spec: { providerID } });
  }
  await objects.mergeStatus(address, { initialization: { provisioned: true, controlPlaneInitialized: true } });
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
