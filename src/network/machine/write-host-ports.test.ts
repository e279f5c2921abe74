import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Informer, isConflict, type KubeObject, parseKey } from '../../kube/index.ts';
import {
  type ApiRig,
  type ControllerRig,
  putConfiguration,
  putHost,
  putLimit,
  putNamespace,
  putSwitch,
  startApi,
  startControllers,
  until,
  untilState,
} from '../testing/rig.ts';
import { judgePorts } from './judge-ports.ts';
import { configureNetwork, filter } from './machine-network.ts';
import { clearMachineNetwork, writeMachineNetwork } from './write-host-ports.ts';

const mac = '52:54:00:00:00:01';
const machine = { networkConfiguration: [{ ConfigurationRef: { name: 'blue' }, nicHint: { name: 'eth0' } }] };

/** What is there already is told at once. */
function untilCached<T extends KubeObject>(informer: Informer<T>, wanted: string): Promise<void> {
  return new Promise((resolve) => {
    informer.onChange((key) => {
      if (key === wanted) resolve();
    });
  });
}

describe('the network of a machine on an API server', () => {
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    api = await startApi();
    rig = await startControllers(api);
    for (const name of ['infra', 'tenant']) await putNamespace(api, name);
    await putSwitch(api, 'infra/leaf');
    await putConfiguration(api, 'tenant/blue', { untaggedVLAN: 10 });
    await putConfiguration(api, 'tenant/red', { untaggedVLAN: 20 });
    await putLimit(api, 'tenant', '10-19');
    const host = await putHost(api, 'tenant/h1', [{ mac, port: { name: 'leaf-1', namespace: 'infra' } }]);
    const status = {
      ...{ errorMessage: '', poweredOn: true, operationalStatus: 'OK', errorCount: 0, provisioningFailCount: 0 },
      provisioning: { state: 'available', ID: 'x' },
      hardware: { nics: [{ name: 'eth0', mac }] },
    };
    await api.hosts.status.patch(parseKey('tenant/h1'), { type: 'merge', body: { status } });
    await untilState(api, 'infra/leaf-1', 'Idle');
    assert.ok(host.metadata.uid !== undefined);
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  test('is written to its host once, and taken out again', async () => {
    const host = await api.hosts.get(parseKey('tenant/h1'));
    const written = await writeMachineNetwork(api.client, { host, machine });
    assert.ok(written.kind === 'written');
    const [entry] = written.host.spec?.ports ?? [];
    assert.deepEqual([entry?.configuration?.name, entry?.configuration?.namespace], ['blue', 'tenant']);
    assert.equal((await writeMachineNetwork(api.client, { host: written.host, machine })).kind, 'written');
    const same = await api.hosts.get(parseKey('tenant/h1'));
    assert.equal(same.metadata.resourceVersion, written.host.metadata?.resourceVersion);
    const cleared = await clearMachineNetwork(api.client, written.host);
    assert.equal(cleared.spec?.ports?.[0]?.configuration, undefined);
    assert.equal(cleared.spec?.ports?.[0]?.port.name, 'leaf-1');
    await assert.rejects(writeMachineNetwork(api.client, { host, machine }), isConflict, 'a host that changed since');
  });

  test('keeps to what the limit of its namespace lets its port have', async () => {
    const host = await until(api.hosts, 'tenant/h1', ({ status }) => status?.hardware !== undefined);
    const { informers } = rig.controllers;
    await untilCached(informers.hosts, 'tenant/h1');
    await untilCached(informers.limits, 'tenant/user-limit');
    for (const name of ['red', 'blue']) await untilCached(informers.configurations, `tenant/${name}`);
    const whyNot = judgePorts(informers, host);
    const other = { networkConfiguration: [{ ConfigurationRef: { name: 'red' } }] };
    assert.deepEqual(filter([host], { ...machine, whyNot }), [host]);
    assert.deepEqual(filter([host], { ...other, whyNot }), []);
    const refused = configureNetwork(host, { ...other, whyNot });
    assert.match(
      refused.kind === 'unfit' ? refused.message : '',
      /red: the namespace tenant may use VLANs 10-19, and the configuration has 20$/,
    );
    const missing = configureNetwork(host, { networkConfiguration: [{ ConfigurationRef: { name: 'no' } }], whyNot });
    assert.match(missing.kind === 'unfit' ? missing.message : '', /there is no SwitchPortConfiguration tenant\/no$/);
    assert.deepEqual(filter([host], other), [host]);
  });
});
