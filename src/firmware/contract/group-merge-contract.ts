import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ServerFirmware } from '../../api/index.ts';
import { ironcoreApiVersion } from '../../api/index.ts';
import { retryOnConflict, systemClock } from '../../kube/index.ts';
import {
  type ApiRig,
  type ControllerRig,
  conditionIn,
  fw,
  putFirmware,
  putGroup,
  putServer,
  startControllers,
  until,
} from '../testing/rig.ts';

const versionsOf = ({ spec }: ServerFirmware): string =>
  (spec.firmwares ?? [])
    .map(({ name, version }) => `${name} ${version}`)
    .toSorted()
    .join(', ');

/** For tests: how a group merges its entries, on any API server. */
export function runGroupMergeContract(where: string, open: () => Promise<ApiRig>): void {
  describe(`on ${where} a group merges its entries into its servers`, () => {
    let api: ApiRig;
    let rig: ControllerRig;
    before(async () => {
      api = await open();
      rig = await startControllers(api);
    });
    after(async () => {
      await rig?.stop();
      await api?.close();
    });

    const member = async (name: string, group: string, firmwares = [] as ReturnType<typeof fw>[]) => {
      await putServer(api, name);
      const spec = firmwares.length === 0 ? {} : { firmwares };
      return putFirmware(api, name, { labels: { group }, spec });
    };
    const has = (name: string, versions: string) => until(api.firmwares, name, (each) => versionsOf(each) === versions);
    const change = (group: string, spec: object) =>
      api.groups.patch({ name: group }, { type: 'merge', body: { spec } });

    test('D7: an override wins before and after the group changes, and what the group wrote follows the group', async () => {
      await member('a1', 'a', [fw('ssd', '9.9')]);
      await member('a2', 'a');
      await putGroup(api, 'a', { firmwares: [fw('ssd', '1.0'), fw('nic', '1.0')] });
      await has('a1', 'nic 1.0, ssd 9.9');
      await has('a2', 'nic 1.0, ssd 1.0');
      await change('a', { firmwares: [fw('ssd', '2.0'), fw('nic', '2.0')] });
      await has('a1', 'nic 2.0, ssd 9.9');
      await has('a2', 'nic 2.0, ssd 2.0');
    });

    test('an entry that the group drops goes, one that a user took over stays', async () => {
      await member('b1', 'b');
      await putGroup(api, 'b', { firmwares: [fw('ssd', '1.0'), fw('nic', '1.0')] });
      await has('b1', 'nic 1.0, ssd 1.0');
      // As kubectl edit does it.
      await retryOnConflict({ clock: systemClock, random: Math.random }, async () => {
        const seen = await api.firmwares.get({ name: 'b1' });
        const firmwares = (seen.spec.firmwares ?? []).map((each) => (each.name === 'ssd' ? fw('ssd', '5.0') : each));
        await api.firmwares.replace({ ...seen, spec: { ...seen.spec, firmwares } }, { fieldManager: 'kubectl-edit' });
      });
      await change('b', { firmwares: [fw('ssd', '2.0')] });
      await has('b1', 'ssd 5.0');
      await change('b', { firmwares: [] });
      await change('b', { firmwares: [fw('gpu', '1')] });
      await has('b1', 'gpu 1, ssd 5.0');
    });

    test('an override that is taken away gives way to the group', async () => {
      await putServer(api, 'c1');
      const mine = { fieldManager: 'gitops', isForced: true };
      const base = {
        apiVersion: ironcoreApiVersion,
        kind: 'ServerFirmware',
        metadata: { name: 'c1', labels: { group: 'c' } },
      } as const;
      await api.firmwares.apply({ ...base, spec: { serverRef: { name: 'c1' }, firmwares: [fw('ssd', '9')] } }, mine);
      await putGroup(api, 'c', { firmwares: [fw('ssd', '1')] });
      await change('c', { firmwares: [fw('ssd', '2'), fw('nic', '2')] });
      await has('c1', 'nic 2, ssd 9');
      await api.firmwares.apply({ ...base, spec: { serverRef: { name: 'c1' } } }, mine);
      await has('c1', 'nic 2, ssd 2');
    });

    test('a BIOS that a user sets wins over the entry of the group, whichever was there first, and gives way when it goes', async () => {
      const bios = (version: string) => fw('BIOS', version, 'LENOVO');
      const mine = { fieldManager: 'admin', isForced: true };
      const base = { apiVersion: ironcoreApiVersion, kind: 'ServerFirmware', metadata: { name: 'h1' } } as const;
      await member('h1', 'h');
      await api.firmwares.apply({ ...base, spec: { serverRef: { name: 'h1' }, bios: { version: '2.0' } } }, mine);
      await putGroup(api, 'h', { firmwares: [bios('3.0'), fw('ssd', '1')] });
      await has('h1', 'ssd 1');
      await change('h', { firmwares: [bios('4.0'), fw('ssd', '2')] });
      await has('h1', 'ssd 2');
      await api.firmwares.apply({ ...base, spec: { serverRef: { name: 'h1' } } }, mine);
      await has('h1', 'BIOS 4.0, ssd 2');
      await api.firmwares.apply({ ...base, spec: { serverRef: { name: 'h1' }, bios: { version: '2.0' } } }, mine);
      await has('h1', 'ssd 2');
    });

    test('a deleted group and a server that leaves take the entries of the group away, and nothing else', async () => {
      await member('d1', 'd', [fw('bmc', '7')]);
      await member('d2', 'd');
      await putGroup(api, 'd', { firmwares: [fw('ssd', '1')] });
      await has('d1', 'bmc 7, ssd 1');
      await has('d2', 'ssd 1');
      await api.firmwares.patch({ name: 'd2' }, { type: 'merge', body: { metadata: { labels: { group: null } } } });
      await has('d2', '');
      await api.groups.delete({ name: 'd' });
      const left = await has('d1', 'bmc 7');
      assert.equal(left.metadata.annotations?.['metal.ironcore.dev/firmware-group'], undefined);
    });

    test('a server of another model is not touched, not counted and reported', async () => {
      await member('e1', 'e');
      await putServer(api, 'e2', { status: { manufacturer: 'Dell Inc.', model: 'R750' } });
      await putFirmware(api, 'e2', { labels: { group: 'e' } });
      await putGroup(api, 'e', { manufacturer: 'LENOVO', model: '7X21', firmwares: [fw('ssd', '1')] });
      await has('e1', 'ssd 1');
      const group = await until(api.groups, 'e', (each) => conditionIn(each, 'OtherHardware')?.status === 'True');
      assert.match(conditionIn(group, 'OtherHardware')?.message ?? '', /left alone: e2/);
      assert.equal(group.status?.serversInGroup, 1);
      assert.equal(versionsOf(await api.firmwares.get({ name: 'e2' })), '');
    });

    test('a paused group writes nothing until it goes on', async () => {
      await member('f1', 'f');
      await putGroup(api, 'f', { firmwares: [fw('ssd', '1')] });
      await has('f1', 'ssd 1');
      await change('f', { paused: true, firmwares: [fw('ssd', '2')] });
      await until(api.groups, 'f', (each) => conditionIn(each, 'Paused')?.status === 'True');
      assert.equal(versionsOf(await api.firmwares.get({ name: 'f1' })), 'ssd 1');
      await change('f', { paused: false });
      await has('f1', 'ssd 2');
    });

    test('a later label that makes two groups overlap stops both on that server, and both name it', async () => {
      await member('g1', 'g');
      await member('g2', 'g');
      await putGroup(api, 'g', { firmwares: [fw('ssd', '1')] });
      await putGroup(api, 'g-rack', { serverSelector: { matchLabels: { rack: 'r1' } }, firmwares: [fw('ssd', '5')] });
      await has('g1', 'ssd 1');
      await api.firmwares.patch({ name: 'g1' }, { type: 'merge', body: { metadata: { labels: { rack: 'r1' } } } });
      for (const name of ['g', 'g-rack']) {
        const group = await until(api.groups, name, (each) => conditionIn(each, 'SelectorConflict')?.status === 'True');
        assert.match(conditionIn(group, 'SelectorConflict')?.message ?? '', /g1/);
      }
      await change('g', { firmwares: [fw('ssd', '2')] });
      await has('g2', 'ssd 2');
      assert.equal(versionsOf(await api.firmwares.get({ name: 'g1' })), 'ssd 1');
      await api.firmwares.patch({ name: 'g1' }, { type: 'merge', body: { metadata: { labels: { group: null } } } });
      await has('g1', 'ssd 5');
      await until(api.groups, 'g', (each) => conditionIn(each, 'SelectorConflict')?.status === 'False');
    });
  });
}
