import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clusterAnnotations } from '../../api/index.ts';
import { type PlayedHosts, playHosts } from '../testing/played-hosts.ts';
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
} from '../testing/rig.ts';

let api: MachineApi;
let rig: MachineRig;
let played: PlayedHosts;
before(async () => {
  api = await startMachineApi();
  rig = await startMachineRig(api);
  played = playHosts(api);
});
after(async () => {
  await played.stop();
  await rig.stop();
  await api.close();
});

test('hosts that appear become nodes of the set that selects them; one that breaks is replaced by the next that appears', async () => {
  await putCluster(api, 'prod');
  const labels = { rack: 'r1' };
  await putSet(api, 'workers', {
    replicas: 0,
    machine: { hostSelector: { matchLabels: labels } },
    annotations: { [clusterAnnotations.autoscaleToHosts]: '' },
  });
  await putHost(api, 'other', { labels: { rack: 'r2' } });
  await putHost(api, 'h1', { labels });
  await putHost(api, 'h2', { labels });
  await until(api.sets, 'workers', ({ spec, status }) => spec.replicas === 2 && status?.readyReplicas === 2);
  const broken = await api.hosts.get({ namespace: fleet, name: 'h1' });
  assert.ok(broken.status !== undefined);
  await api.hosts.status.replace({
    ...broken,
    status: { ...broken.status, errorMessage: 'power supply', poweredOn: false },
  });
  await putHost(api, 'h3', { labels });
  await until(api.sets, 'workers', ({ spec, status }) => spec.replicas === 3 && status?.readyReplicas === 3);
  const { spec } = await api.hosts.get({ namespace: fleet, name: 'other' });
  assert.equal(spec?.consumerRef, undefined);
});

test('a set that is scaled down by hand stays so until there is a new host', async () => {
  await api.sets.patch({ namespace: fleet, name: 'workers' }, { type: 'merge', body: { spec: { replicas: 2 } } });
  await untilAll(api.machines, (all) => all.length === 2);
  await putHost(api, 'h4', { labels: { rack: 'r1' } });
  const set = await until(
    api.sets,
    'workers',
    ({ spec, status }) => spec.replicas === 3 && status?.readyReplicas === 3,
  );
  assert.equal(set.spec.replicas, 3);
  await drop(api.clusters, 'prod');
  await untilAll(api.machines, (all) => all.length === 0);
});
