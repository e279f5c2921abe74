import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bareMetalHost, clusterAnnotations, infrastructureKinds } from '../../../src/api/index.ts';
import { installKinds } from '../../../src/cli/plane/install-kinds.ts';
import { serveWebhooks } from '../../../src/cli/plane/webhooks.ts';
import { type AnyKubeObject, createClient, type KubeObject } from '../../../src/kube/index.ts';
import { type PlayedHosts, playHosts } from '../../../src/machines/testing/played-hosts.ts';
import {
  drop,
  fleet,
  type MachineApi,
  type MachineRig,
  openMachineApi,
  putCluster,
  putHost,
  putSet,
  startMachineRig,
  until,
  untilAll,
  untilGone,
} from '../../../src/machines/testing/rig.ts';
import { putOlderCluster, putOlderSet } from './older-manifests.ts';
import { type RealClusterApi, startRealClusterApi } from './real-cluster-api.ts';

// Run by cluster-api.real.test.ts, in a network of its own.

const kinds = [...infrastructureKinds, bareMetalHost];
const converted = infrastructureKinds.map(({ plural, group }) => `${plural}.${group}`);
const patient = { limitMs: 240_000 };

for (const contract of ['v1beta2', 'v1beta1'] as const) {
  // Users of the older contract write their manifests in the older version too: that is how it is tried.
  describe(`machines under the real Cluster API, by the contract and manifests of ${contract}`, () => {
    const ends: (() => Promise<void>)[] = [];
    let real: RealClusterApi;
    let api: MachineApi;
    let rig: MachineRig;
    let played: PlayedHosts;
    before(async () => {
      real = await startRealClusterApi();
      ends.push(() => real.stop());
      await prepare(real, contract, ends);
      api = await openMachineApi(real.connection, []);
      ends.push(() => api.close());
      rig = await startMachineRig(api, { settings: { nodePollMs: 500 } });
      ends.push(() => rig.stop());
      played = playHosts(api);
      ends.push(() => played.stop());
    });
    after(async () => {
      for (const end of ends.reverse()) await end();
    });

    it('leaves Clusters and Machines to it', () => assert.equal(rig.controllers.ownership.isCoreOurs(), false));

    it('brings the machines of a set to Running, each on a host of its own', async () => {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'prod' };
      const value = Buffer.from(real.kubeconfig).toString('base64');
      const metadata = { namespace: fleet, name: 'prod-kubeconfig', labels };
      await api.secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { value } });
      if (contract === 'v1beta2') await putCluster(api, 'prod');
      else await putOlderCluster(api.client, 'prod');
      const cluster = await until(api.clusters, 'prod', ({ status }) => status?.phase === 'Provisioned', patient);
      assert.equal(cluster.spec?.controlPlaneEndpoint?.host, '192.0.2.10');
      assert.deepEqual(
        cluster.status?.failureDomains?.map(({ name }) => name),
        ['row-a'],
      );
      for (const name of ['h1', 'h2', 'h3']) await putHost(api, name, { labels: { rack: 'r1' } });
      const hostLabels = { rack: 'r1' };
      if (contract === 'v1beta2') {
        await putSet(api, 'workers', { replicas: 2, machine: { hostSelector: { matchLabels: hostLabels } } });
      } else await putOlderSet(api.client, 'workers', { cluster: 'prod', replicas: 2, hostLabels });
      const machines = await untilAll(
        api.machines,
        (all) => all.length === 2 && all.every(({ status }) => status?.phase === 'Running'),
        patient,
      );
      for (const { metadata, spec } of machines) {
        assert.match(spec.providerID ?? '', new RegExp(`^metal3://${fleet}/h[123]/${metadata.name}$`));
      }
      assert.equal(new Set(played.history).size, 2);
      await checkAsWritten(api, contract);
    });

    it('gives the hosts back when the set shrinks', async () => {
      await api.sets.patch({ namespace: fleet, name: 'workers' }, { type: 'merge', body: { spec: { replicas: 0 } } });
      await untilAll(api.machines, (all) => all.length === 0, patient);
      const free = await untilAll(
        api.hosts,
        (all) => all.every(({ spec }) => spec?.consumerRef === undefined && spec?.image === undefined),
        patient,
      );
      assert.equal(free.length, 3);
    });

    it('lets the set follow its hosts, and everything go with the Cluster', async () => {
      const annotations = { [clusterAnnotations.autoscaleToHosts]: '' };
      // Scaled down by hand it would be left alone: nothing was scaled here yet, so all hosts count.
      await api.sets.patch(
        { namespace: fleet, name: 'workers' },
        { type: 'merge', body: { metadata: { annotations } } },
      );
      await untilAll(
        api.machines,
        (all) => all.length === 3 && all.every(({ status }) => status?.phase === 'Running'),
        patient,
      );
      await drop(api.clusters, 'prod');
      await untilGone(api.clusters, 'prod', patient);
      assert.deepEqual((await api.metal3Machines.list({ namespace: fleet })).items, []);
      const { items } = await api.hosts.list({ namespace: fleet });
      assert.ok(items.every(({ spec }) => spec?.consumerRef === undefined));
    });
  });
}

/** What machines say of themselves in the version that their owners wrote. */
async function checkAsWritten({ client }: MachineApi, version: 'v1beta1' | 'v1beta2'): Promise<void> {
  const group = 'infrastructure.cluster.x-k8s.io';
  const own = client.resource<Told>({ group, version, resource: 'metal3machines', namespaced: true });
  for (const { spec, status } of (await own.list({ namespace: fleet })).items) {
    assert.match(spec?.providerID ?? '', /^metal3:/);
    assert.deepEqual(
      [status?.ready, status?.initialization?.provisioned],
      version === 'v1beta1' ? [true, undefined] : [undefined, true],
    );
    assert.deepEqual(
      [spec?.image?.format, spec?.image?.diskFormat],
      [version === 'v1beta1' ? 'qcow2' : undefined, undefined],
    );
  }
}

interface Told extends KubeObject {
  spec?: { providerID?: string; image?: { format?: string; diskFormat?: string } };
  status?: { ready?: boolean; initialization?: { provisioned?: boolean } };
}

const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespaced: false,
};

/** Installs our kinds with their conversions; with both labels the newer contract would win. */
async function prepare(real: RealClusterApi, contract: string, ends: (() => Promise<void>)[]): Promise<void> {
  const client = await createClient(real.connection);
  ends.push(() => client.close());
  const signal = new AbortController().signal;
  await installKinds(client, { kinds, isReplacingOthers: false, conversion: 'elsewhere', signal });
  const settings = { host: '127.0.0.1', port: 0, webhookUrl: undefined };
  const serving = await serveWebhooks(
    client,
    { name: 'rackwright', configurations: [{ name: 'rackwright', rules: [] }], convertedDefinitions: converted },
    settings,
  );
  ends.push(() => serving.close());
  if (contract === 'v1beta2') return;
  const body = { metadata: { labels: { 'cluster.x-k8s.io/v1beta2': null } } };
  for (const name of converted) {
    await client.resource<AnyKubeObject>(definitions).patch({ name }, { type: 'merge', body });
  }
}
