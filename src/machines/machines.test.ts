import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clusterLabels } from '../api/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { type PlayedHosts, playHosts } from './testing/played-hosts.ts';
import {
  drop,
  fleet,
  type MachineApi,
  type MachineRig,
  putCluster,
  putHost,
  putSet,
  startMachineApi,
  startMachineRig,
  until,
  untilAll,
  untilGone,
} from './testing/rig.ts';

describe('machines on hosts that are played', () => {
  let api: MachineApi;
  let rig: MachineRig;
  let played: PlayedHosts;
  before(async () => {
    api = await startMachineApi();
    rig = await startMachineRig(api);
    played = playHosts(api);
    await putCluster(api, 'prod');
  });
  after(async () => {
    await played.stop();
    await rig.stop();
    await api.close();
  });

  it('a Cluster follows its Metal3Cluster', async () => {
    const cluster = await until(api.clusters, 'prod', ({ status }) => status?.phase === 'Provisioned');
    assert.equal(cluster.spec?.controlPlaneEndpoint?.host, '192.0.2.10');
    assert.deepEqual(cluster.status?.failureDomains, [{ name: 'row-a' }]);
  });

  it('the machines of a set run on as many hosts, and give them back when it shrinks', async () => {
    for (const name of ['a1', 'a2', 'a3']) await putHost(api, name, { labels: { rack: 'a' } });
    await putSet(api, 'workers', { replicas: 2, machine: { hostSelector: { matchLabels: { rack: 'a' } } } });
    const set = await until(api.sets, 'workers', ({ status }) => status?.readyReplicas === 2);
    assert.equal(set.status?.replicas, 2);
    const machines = await untilAll(api.machines, (all) => all.every(({ status }) => status?.phase === 'Running'));
    assert.equal(machines.length, 2);
    for (const machine of machines) {
      const name = machine.metadata.name ?? '';
      const own = await api.metal3Machines.get({ namespace: fleet, name });
      assert.match(own.spec.providerID ?? '', new RegExp(`^metal3://${fleet}/a[123]/${name}$`));
      assert.equal(machine.spec.providerID, own.spec.providerID);
      assert.equal(own.status?.initialization?.provisioned, true);
    }
    const used = await untilAll(api.hosts, (all) => all.filter(({ spec }) => spec?.consumerRef).length === 2);
    for (const { spec, metadata } of used.filter((host) => host.spec?.consumerRef !== undefined)) {
      assert.equal(spec?.userData?.name, 'workers-boot');
      assert.equal(spec?.online, true);
      assert.equal(metadata.labels?.[clusterLabels.clusterName], 'prod');
    }
    await api.sets.patch({ namespace: fleet, name: 'workers' }, { type: 'merge', body: { spec: { replicas: 0 } } });
    await untilAll(api.metal3Machines, (all) => all.length === 0);
    await untilAll(api.machines, (all) => all.length === 0);
    const free = await untilAll(api.hosts, (all) => all.every(({ spec }) => spec?.consumerRef === undefined));
    for (const { spec, metadata, status } of free) {
      assert.deepEqual([spec?.image, spec?.userData, spec?.online], [undefined, undefined, false]);
      assert.equal(metadata.labels?.[clusterLabels.clusterName], undefined);
      assert.equal(status?.provisioning.state, 'available');
    }
    assert.deepEqual((await api.nodes.list()).items, []);
    await drop(api.sets, 'workers');
    for (const name of ['a1', 'a2', 'a3']) await drop(api.hosts, name);
  });

  it('both versions of the API tell that a machine is provisioned, each as its contract has it', async () => {
    await putHost(api, 'b1', { labels: { rack: 'b' } });
    await putSet(api, 'contract', { machine: { hostSelector: { matchLabels: { rack: 'b' } } } });
    await until(api.sets, 'contract', ({ status }) => status?.readyReplicas === 1);
    const [newer] = (await api.metal3Machines.list({ namespace: fleet })).items;
    const older = await api.client
      .resource<KubeObject & { status?: { ready?: boolean; conditions?: { type: string; status: string }[] } }>({
        ...{
          group: 'infrastructure.cluster.x-k8s.io',
          version: 'v1beta1',
          resource: 'metal3machines',
          namespaced: true,
        },
      })
      .get({ namespace: fleet, name: newer?.metadata.name ?? '' });
    assert.equal(newer?.status?.initialization?.provisioned, true);
    assert.equal(older.status?.ready, true);
    assert.deepEqual(
      older.status?.conditions?.map(({ type, status }) => `${type} ${status}`),
      ['Ready True', 'AssociateBareMetalHost True'],
    );
    await drop(api.sets, 'contract');
    await untilAll(api.machines, (all) => all.length === 0);
    await drop(api.hosts, 'b1');
  });

  it('a paused Cluster pauses its hosts, and its end takes all that belongs to it away', async () => {
    await putCluster(api, 'short');
    await putHost(api, 'c1', { labels: { rack: 'c' } });
    await putSet(api, 'short', { cluster: 'short', machine: { hostSelector: { matchLabels: { rack: 'c' } } } });
    await until(api.sets, 'short', ({ status }) => status?.readyReplicas === 1);
    const key = { namespace: fleet, name: 'short' };
    await api.clusters.patch(key, { type: 'merge', body: { spec: { paused: true } } });
    const paused = await until(
      api.hosts,
      'c1',
      ({ metadata }) => metadata.annotations?.['baremetalhost.metal3.io/paused'] === 'metal3.io/capm3',
    );
    const noted = JSON.parse(paused.metadata.annotations?.['baremetalhost.metal3.io/status'] ?? '{}');
    assert.equal(noted.provisioning.state, 'provisioned');
    await api.clusters.patch(key, { type: 'merge', body: { spec: { paused: false } } });
    await until(
      api.hosts,
      'c1',
      ({ metadata }) => metadata.annotations?.['baremetalhost.metal3.io/paused'] === undefined,
    );
    await drop(api.clusters, 'short');
    await untilGone(api.clusters, 'short');
    assert.deepEqual((await api.metal3Machines.list({ namespace: fleet })).items, []);
    const { spec } = await api.hosts.get({ namespace: fleet, name: 'c1' });
    assert.equal(spec?.consumerRef, undefined);
    await drop(api.hosts, 'c1');
  });

  it('a host that is kept for reuse goes to the machine that takes the place of its last one', async () => {
    for (const name of ['d1', 'd2']) await putHost(api, name, { labels: { rack: 'd' } });
    await putSet(api, 'reused', { isReused: true, machine: { hostSelector: { matchLabels: { rack: 'd' } } } });
    await until(api.sets, 'reused', ({ status }) => status?.readyReplicas === 1);
    const hostsOf = async () =>
      (await api.hosts.list({ namespace: fleet })).items.filter(
        ({ spec }) => spec?.consumerRef?.kind === 'Metal3Machine',
      );
    const [first] = await hostsOf();
    const [machine] = (await api.machines.list({ namespace: fleet })).items;
    await drop(api.machines, machine?.metadata.name ?? '');
    await untilAll(
      api.machines,
      (all) =>
        all.length === 1 &&
        all.every(({ metadata, status }) => metadata.uid !== machine?.metadata.uid && status?.phase === 'Running'),
    );
    const [second] = await hostsOf();
    assert.equal(second?.metadata.name, first?.metadata.name);
    assert.equal(second?.metadata.labels?.[clusterLabels.nodeReuse], undefined);
    await drop(api.sets, 'reused');
    await untilAll(api.machines, (all) => all.length === 0);
    const free = await untilAll(api.hosts, (all) => all.every(({ spec }) => spec?.consumerRef === undefined));
    assert.ok(free.every(({ metadata }) => metadata.labels?.[clusterLabels.nodeReuse] === undefined));
    for (const name of ['d1', 'd2']) await drop(api.hosts, name);
  });
});
