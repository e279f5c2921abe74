import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  bareMetalHost,
  clusterAnnotations,
  clusterGroup,
  clusterKinds,
  convertInfrastructure,
  crdOf,
  infrastructureGroup,
  infrastructureKinds,
} from '../api/index.ts';
import { inProcessConverter, startApiServer } from '../apiserver/index.ts';
import {
  type AnyKubeObject,
  createClient,
  installDefinitions,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
} from '../kube/index.ts';
import { servedCoreVersion } from './definitions.ts';
import { type PlayedHosts, playHosts } from './testing/played-hosts.ts';
import {
  fleet,
  image,
  type MachineApi,
  type MachineRig,
  openMachineApi,
  putHost,
  startMachineRig,
  until,
} from './testing/rig.ts';

const version = 'v1beta1';
const refs = {
  core: `${clusterGroup}/${version}`,
  infrastructure: `${infrastructureGroup}/${version}`,
};

interface OlderObject extends KubeObject {
  spec?: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

/** An older Cluster API: its kinds are served in the older version only, and are not ours. */
async function installOlderCore(client: KubeClient): Promise<void> {
  const core = clusterKinds.filter(({ group }) => group === clusterGroup).map((kind) => crdOf(kind) as Definition);
  const older = core.map(({ metadata, spec: { conversion: _, ...spec }, ...rest }) => ({
    ...rest,
    metadata: { name: metadata.name, labels: { 'cluster.x-k8s.io/provider': 'cluster-api' } },
    spec: {
      ...spec,
      versions: spec.versions.filter(({ name }) => name === version).map((each) => ({ ...each, storage: true })),
    },
  }));
  await installDefinitions(client, older as unknown as readonly AnyKubeObject[], { fieldManager: 'older-core' });
}

type Definition = ReturnType<typeof crdOf> & {
  readonly spec: { readonly conversion?: object; readonly versions: readonly { readonly name: string }[] };
};

describe('machines under a Cluster API that serves nothing but v1beta1, which is played', () => {
  const ends: (() => Promise<void>)[] = [];
  let api: MachineApi;
  let rig: MachineRig;
  let played: PlayedHosts;

  before(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rackwright-older-core-'));
    const convert = convertInfrastructure as unknown as Parameters<typeof inProcessConverter>[0];
    const server = await startApiServer({ dataDir, port: 0, converterFor: () => inProcessConverter(convert) });
    ends.push(async () => {
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const connection = { server: server.url, caPem: server.caPem, token: server.adminToken };
    const client = await createClient(connection);
    ends.push(() => client.close());
    await installOlderCore(client);
    api = await openMachineApi(connection, [...infrastructureKinds, bareMetalHost]);
    ends.push(() => api.close());
    const coreVersion = await servedCoreVersion(client);
    assert.equal(coreVersion, version);
    rig = await startMachineRig(api, { coreVersion });
    ends.push(() => rig.stop());
    played = playHosts(api);
    ends.push(() => played.stop());
    await putKubeconfig(connection);
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** The API plays the cluster that machines join, too. */
  async function putKubeconfig(facts: { readonly server: string; readonly caPem: string; readonly token: string }) {
    const certificate = Buffer.from(facts.caPem).toString('base64');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'it', cluster: { server: facts.server, 'certificate-authority-data': certificate } }],
      users: [{ name: 'it', user: { token: facts.token } }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
      'current-context': 'it',
    };
    await api.secrets.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: fleet, name: 'prod-kubeconfig' },
      data: { value: Buffer.from(JSON.stringify(config)).toString('base64') },
    });
  }

  function older(group: string, resource: string): ResourceClient<OlderObject> {
    return api.client.resource<OlderObject>({ group, version, resource, namespaced: true });
  }

  async function make(kind: string, name: string, spec: object, more: object = {}): Promise<OlderObject> {
    const isOwn = kind.startsWith('Metal3');
    const apiVersion = isOwn ? refs.infrastructure : refs.core;
    const client = older(isOwn ? infrastructureGroup : clusterGroup, `${kind.toLowerCase()}s`);
    return client.create({ apiVersion, kind, metadata: { namespace: fleet, name, ...more }, spec } as OlderObject);
  }

  /** As Cluster API makes itself the owner of what is made for one of its objects. */
  const ownedBy = ({ apiVersion = '', kind = '', metadata }: OlderObject) => ({
    ownerReferences: [{ apiVersion, kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true }],
    labels: { 'cluster.x-k8s.io/cluster-name': 'prod' },
  });

  it('leave Clusters and Machines to it', () => assert.equal(rig.controllers.ownership.isCoreOurs(), false));

  it('a Metal3Cluster tells in the words of v1beta1 that it is ready', async () => {
    const endpoint = { host: '192.0.2.10', port: 6443 };
    const infrastructureRef = {
      apiVersion: refs.infrastructure,
      kind: 'Metal3Cluster',
      name: 'prod',
      namespace: fleet,
    };
    const cluster = await make('Cluster', 'prod', { infrastructureRef });
    const spec = { controlPlaneEndpoint: endpoint, failureDomains: { 'row-a': { controlPlane: true } } };
    await make('Metal3Cluster', 'prod', spec, ownedBy(cluster));
    const ready = await until(
      older(infrastructureGroup, 'metal3clusters'),
      'prod',
      ({ status }) => status?.ready === true,
    );
    assert.deepEqual(ready.status?.failureDomains, { 'row-a': { controlPlane: true } });
    const status = { infrastructureReady: true, controlPlaneReady: true, failureDomains: ready.status?.failureDomains };
    const key = { namespace: fleet, name: 'prod' };
    await older(clusterGroup, 'clusters').status.patch(key, { type: 'merge', body: { status } });
  });

  it('a Metal3Machine gets a host, and tells in the words of v1beta1 that it is ready', async () => {
    await putHost(api, 'h1', { labels: { rack: 'r1' } });
    await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: fleet, name: 'boot' } });
    const machine = await make(
      'Machine',
      'm1',
      {
        clusterName: 'prod',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { apiVersion: refs.infrastructure, kind: 'Metal3Machine', name: 'm1', namespace: fleet },
      },
      { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' } },
    );
    const spec = { image: { ...image, format: 'qcow2' }, hostSelector: { matchLabels: { rack: 'r1' } } };
    await make('Metal3Machine', 'm1', spec, ownedBy(machine));
    const ready = await until(
      older(infrastructureGroup, 'metal3machines'),
      'm1',
      ({ status }) => status?.ready === true,
    );
    assert.equal(ready.spec?.providerID, `metal3://${fleet}/h1/m1`);
    assert.equal(ready.status?.initialization, undefined);
    const host = await api.hosts.get({ namespace: fleet, name: 'h1' });
    assert.deepEqual([host.spec?.image?.format, host.spec?.userData?.name], ['qcow2', 'boot']);
  });

  it('a MachineSet follows its hosts', async () => {
    for (const name of ['h2', 'h3']) await putHost(api, name, { labels: { rack: 'r2' } });
    const template = { spec: { image, hostSelector: { matchLabels: { rack: 'r2' } } } };
    await make('Metal3MachineTemplate', 'workers', { template });
    const infrastructureRef = { apiVersion: refs.infrastructure, kind: 'Metal3MachineTemplate', name: 'workers' };
    await make(
      'MachineSet',
      'workers',
      {
        clusterName: 'prod',
        replicas: 0,
        selector: { matchLabels: { pool: 'workers' } },
        template: {
          metadata: { labels: { pool: 'workers' } },
          spec: { clusterName: 'prod', bootstrap: { dataSecretName: 'boot' }, infrastructureRef },
        },
      },
      { annotations: { [clusterAnnotations.autoscaleToHosts]: '' } },
    );
    const sets = older(clusterGroup, 'machinesets');
    await until(sets, 'workers', ({ spec }) => spec?.replicas === 2);
  });

  it('a host is given back when its Metal3Machine goes', async () => {
    await older(infrastructureGroup, 'metal3machines').delete({ namespace: fleet, name: 'm1' });
    const free = await until(api.hosts, 'h1', ({ spec }) => spec?.consumerRef === undefined);
    assert.equal(free.spec?.image, undefined);
  });
});
