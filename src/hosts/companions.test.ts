import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { metal3ApiVersion } from '../api/index.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  putHost,
  startHostApi,
  startHostRig,
  until,
  untilGone,
  untilState,
} from './testing/rig.ts';

describe('companions of hosts on an API server', () => {
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    api = await startHostApi();
    rig = await startHostRig(api, { settings: { schemaKeepMs: 50 } });
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });
  const settingsFor = (name: string, settings: Record<string, string | number>) =>
    api.firmwareSettings.create({
      apiVersion: metal3ApiVersion,
      kind: 'HostFirmwareSettings',
      metadata: { namespace: fleet, name },
      spec: { settings },
    });

  it('that were there before are adopted, and what they ask for is made before the host is available', async () => {
    await settingsFor('c1', { ProcVirtualization: 'Enabled', NumaNodesPerSocket: 2 });
    const { metadata } = await putHost(api, 'c1');
    await untilState(api, 'c1', 'available');
    const settings = await until(
      api.firmwareSettings,
      'c1',
      ({ status }) => status?.settings.NumaNodesPerSocket === '2',
    );
    assert.equal(settings.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    assert.equal(settings.status?.conditions?.find(({ type }) => type === 'ChangeDetected')?.status, 'False');
    const prepared = rig.provisioners.calls.filter(({ host, method }) => host === 'c1' && method === 'prepare');
    assert.deepEqual((prepared[0]?.order as { settings: unknown } | undefined)?.settings, {
      ProcVirtualization: 'Enabled',
      NumaNodesPerSocket: 2,
    });
    assert.equal(prepared.length, 1);
  });

  it('that change while the host is available have it prepared anew', async () => {
    await putHost(api, 'c2');
    await untilState(api, 'c2', 'available');
    await until(api.firmwareSettings, 'c2', ({ status }) => status?.lastUpdated !== undefined);
    await api.firmwareSettings.patch(
      { namespace: fleet, name: 'c2' },
      { type: 'merge', body: { spec: { settings: { QuietBoot: 'false' } } } },
    );
    await until(api.firmwareSettings, 'c2', ({ status }) => status?.settings.QuietBoot === 'false');
    assert.equal(rig.provisioners.machine('c2').settings.QuietBoot, 'false');
    await untilState(api, 'c2', 'available');
  });

  it('tell when firmware was begun to be installed', async () => {
    await putHost(api, 'c3');
    await untilState(api, 'c3', 'available');
    await until(api.firmwareComponents, 'c3', ({ status }) => status?.lastUpdated !== undefined);
    const updates = [{ component: 'bios', url: 'http://fw.example/bios-2' }];
    await api.firmwareComponents.patch(
      { namespace: fleet, name: 'c3' },
      { type: 'merge', body: { spec: { updates } } },
    );
    const components = await until(api.firmwareComponents, 'c3', ({ status }) => status?.updates?.length === 1);
    assert.deepEqual(components.status?.updates, updates);
    await untilState(api, 'c3', 'available');
  });

  it('are not made where the host tells of no components', async () => {
    rig.provisioners.machine('c4').components = [];
    await putHost(api, 'c4');
    await untilState(api, 'c4', 'available');
    await until(api.firmwareSettings, 'c4', ({ status }) => status?.lastUpdated !== undefined);
    const { items } = await api.firmwareComponents.list({ namespace: fleet, fieldSelector: 'metadata.name=c4' });
    assert.deepEqual(items, []);
  });

  it('which are policies get the host as their owner', async () => {
    await putHost(api, 'c5');
    await api.updatePolicies.create({
      apiVersion: metal3ApiVersion,
      kind: 'HostUpdatePolicy',
      metadata: { namespace: fleet, name: 'c5' },
      spec: { firmwareSettings: 'onReboot' },
    });
    const policy = await until(api.updatePolicies, 'c5', ({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
    assert.equal(policy.metadata.ownerReferences?.[0]?.name, 'c5');
  });

  it('which are schemas go when nothing refers to them', async () => {
    await api.firmwareSchemas.create({
      apiVersion: metal3ApiVersion,
      kind: 'FirmwareSchema',
      metadata: { namespace: fleet, name: 'schema-00000000' },
      spec: { schema: {} },
    });
    await untilGone(api.firmwareSchemas, 'schema-00000000');
    const { items } = await api.firmwareSchemas.list({ namespace: fleet });
    assert.equal(items.length, 1, 'the one that hosts refer to stays');
  });

  it('which are schemas are made again when somebody takes them away', async () => {
    const { items } = await api.firmwareSchemas.list({ namespace: fleet });
    const { name = '', uid } = items[0]?.metadata ?? {};
    await api.firmwareSchemas.delete({ namespace: fleet, name });
    await until(api.firmwareSchemas, name, ({ metadata }) => metadata.uid !== uid);
  });
});
