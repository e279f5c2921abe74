import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PlayedHosts, playHosts } from './testing/played-hosts.ts';
import {
  type MachineApi,
  type MachineRig,
  putCluster,
  putHost,
  putSet,
  startMachineApi,
  startMachineRig,
  untilAll,
} from './testing/rig.ts';

let api: MachineApi;
let rigs: MachineRig[];
let played: PlayedHosts;
before(async () => {
  api = await startMachineApi();
  // Two that both think they lead, as happens when a lease is lost and nobody has noticed yet.
  rigs = await Promise.all([startMachineRig(api), startMachineRig(api)]);
  played = playHosts(api);
});
after(async () => {
  await played.stop();
  await Promise.all(rigs.map((rig) => rig.stop()));
  await api.close();
});

test('more machines than hosts, two processes: every host is taken once, and by different machines', async () => {
  const [wanted, there] = [14, 9];
  await putCluster(api, 'prod');
  await putSet(api, 'workers', { replicas: wanted });
  await Promise.all(Array.from({ length: there }, (_, index) => putHost(api, `h${index}`)));
  const machines = await untilAll(
    api.machines,
    (all) => all.filter(({ status }) => status?.phase === 'Running').length === there,
  );
  assert.equal(machines.length, wanted);
  const { items } = await api.hosts.list({ namespace: 'fleet' });
  const holders = items.map(({ spec }) => spec?.consumerRef?.name);
  assert.equal(new Set(holders).size, there);
  assert.equal(played.history.length, there, `hosts changed hands: ${played.history.join(', ')}`);
  const waiting = await untilAll(
    api.metal3Machines,
    (all) =>
      all.filter(({ status }) => status?.conditions?.some(({ reason }) => reason === 'NoHostAvailable')).length ===
      wanted - there,
  );
  assert.equal(waiting.length, wanted);
});
