import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { metal3ApiVersion } from '../../src/api/index.ts';
import { finalizers, secretLabel } from '../../src/hosts/resources.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  putHost,
  putSecret,
  startHostApi,
  startHostRig,
  until,
  untilGone,
  untilState,
} from '../../src/hosts/testing/rig.ts';
import { createScriptedProvisioners } from '../../src/hosts/testing/scripted-provisioners.ts';
import { createDemoProvisioners } from '../../src/provisioners/testing/demo/index.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

describe('boot images on an API server', () => {
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    api = await startHostApi();
    rig = await startHostRig(api, { scripted: createScriptedProvisioners({ bootImageFormats: ['iso', 'initrd'] }) });
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });

  it('are made for a host with its network, used when built, and gone with it', async () => {
    await putSecret(api, 'net1', { networkData: 'links: []' });
    const address = 'redfish-virtualmedia://10.1.0.1/redfish/v1/Systems/1';
    const spec = { bmc: { address, credentialsName: 'b1-bmc' }, preprovisioningNetworkDataName: 'net1' };
    rig.provisioners.answer('register', { kind: 'done', value: { id: 'id-b1' } as never }, { kind: 'needs-image' });
    const { metadata } = await putHost(api, 'b1', { spec });
    const asked = await until(api.bootImages, 'b1', () => true);
    assert.deepEqual(asked.spec, { networkDataName: 'net1', architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] });
    assert.deepEqual(asked.metadata.finalizers, [finalizers.bootImage]);
    assert.equal(asked.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    await until(api.hosts, 'b1', ({ status }) => status?.provisioning.state === 'inspecting');
    const secret = await until(api.secrets, 'net1', (each) => each.metadata.finalizers !== undefined);
    assert.deepEqual(secret.metadata.finalizers, [finalizers.secret]);
    assert.equal(secret.metadata.labels?.[secretLabel.name], secretLabel.value);
    const ready = { type: 'Ready', status: 'True', reason: 'ImageSuccess', message: '' } as const;
    const generation = asked.metadata.generation ?? 0;
    const status = {
      imageUrl: 'http://images.example/b1.iso',
      format: 'iso',
      architecture: 'x86_64',
      networkData: { name: 'net1', version: secret.metadata.resourceVersion },
      conditions: [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: generation }],
    };
    await api.bootImages.status.patch({ namespace: fleet, name: 'b1' }, { type: 'merge', body: { status } });
    await untilState(api, 'b1', 'available');
    const orders = rig.provisioners.calls.filter(({ method, host }) => method === 'register' && host === 'b1');
    const last = orders.at(-1)?.order as { bootImage?: unknown } | undefined;
    assert.deepEqual(last?.bootImage, { imageUrl: 'http://images.example/b1.iso', format: 'iso' });
    await api.hosts.delete({ namespace: fleet, name: 'b1' });
    await untilGone(api.hosts, 'b1');
    await untilGone(api.bootImages, 'b1');
    await untilGone(api.secrets, 'net1');
  });
});

describe('data images on an API server, with demo hosts', () => {
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    api = await startHostApi();
    rig = await startHostRig(api, { provisioners: createDemoProvisioners() });
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });

  it('are attached by the next start of the host, and taken out by the one after their deletion', async () => {
    const key = { namespace: fleet, name: 'd1' };
    const metadata = { ...key };
    const reboot = () =>
      api.hosts.patch(key, { type: 'merge', body: { metadata: { annotations: { 'reboot.metal3.io': '' } } } });
    await putHost(api, 'd1', { spec: { image } });
    await untilState(api, 'd1', 'provisioned');
    const url = 'https://images.example/data.iso';
    await api.dataImages.create({ apiVersion: metal3ApiVersion, kind: 'DataImage', metadata, spec: { url } });
    const waiting = await until(api.dataImages, 'd1', ({ status }) => status?.conditions?.[0] !== undefined);
    assert.deepEqual(waiting.metadata.finalizers, [finalizers.dataImage]);
    assert.equal(waiting.metadata.ownerReferences?.[0]?.kind, 'BareMetalHost');
    assert.equal(waiting.status?.conditions?.[0]?.reason, 'WaitsForPowerOn');
    await reboot();
    const isAttached = await until(api.dataImages, 'd1', ({ status }) => status?.conditions?.[0]?.status === 'True');
    assert.equal(isAttached.status?.attachedImage?.url, url);
    assert.ok(isAttached.status?.lastReconciled);
    await until(api.hosts, 'd1', ({ status }) => status?.poweredOn === true);
    await api.dataImages.delete(key);
    const held = await api.dataImages.get(key);
    assert.deepEqual(held.metadata.finalizers, [finalizers.dataImage], 'it is still in the drive');
    await reboot();
    await untilGone(api.dataImages, 'd1');
  });

  it('go with a host that is gone', async () => {
    const key = { namespace: fleet, name: 'd2' };
    await putHost(api, 'd2', { spec: { image } });
    await untilState(api, 'd2', 'provisioned');
    const spec = { url: 'https://images.example/data.iso' };
    await api.dataImages.create({ apiVersion: metal3ApiVersion, kind: 'DataImage', metadata: { ...key }, spec });
    await until(api.dataImages, 'd2', ({ metadata }) => metadata.finalizers !== undefined);
    await api.hosts.delete(key);
    await untilGone(api.hosts, 'd2');
    await untilGone(api.dataImages, 'd2');
  });
});
