import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMetrics } from '../telemetry/index.ts';
import { finalizers, secretLabel } from './resources.ts';
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

describe('hosts on an API server', () => {
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    api = await startHostApi();
    rig = await startHostRig(api);
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });

  it('become available, with all that goes with them', async () => {
    await putHost(api, 'h1');
    const host = await untilState(api, 'h1', 'available');
    assert.deepEqual(host.metadata.finalizers, [finalizers.host]);
    const secret = await api.secrets.get({ namespace: fleet, name: 'h1-bmc' });
    assert.equal(secret.metadata.labels?.[secretLabel.name], secretLabel.value);
    assert.deepEqual(secret.metadata.finalizers, [finalizers.secret]);
    assert.equal(secret.metadata.ownerReferences?.[0]?.uid, host.metadata.uid);
    assert.notEqual(secret.metadata.ownerReferences?.[0]?.controller, true);
    assert.equal(host.status?.goodCredentials?.credentialsVersion, secret.metadata.resourceVersion);
    const data = await api.hardwareData.get({ namespace: fleet, name: 'h1' });
    assert.deepEqual(data.metadata.finalizers, [finalizers.hardwareData]);
    assert.equal(data.metadata.ownerReferences?.[0]?.controller, true);
    const settings = await until(api.firmwareSettings, 'h1', ({ status }) => status?.lastUpdated !== undefined);
    assert.equal(settings.status?.settings.ProcVirtualization, 'Disabled');
    assert.equal(settings.status?.settings.AdminPassword, undefined);
    const schema = await api.firmwareSchemas.get({ namespace: fleet, name: settings.status?.schema?.name ?? '' });
    assert.equal(schema.metadata.ownerReferences, undefined);
    const components = await until(api.firmwareComponents, 'h1', ({ status }) => status?.lastUpdated !== undefined);
    assert.deepEqual(
      components.status?.components?.map(({ component }) => component),
      ['bios', 'bmc'],
    );
    assert.equal(host.spec?.architecture, 'x86_64');
  });

  it('are provisioned, deprovisioned and deleted without a trace', async () => {
    await putHost(api, 'h2');
    await untilState(api, 'h2', 'available');
    const key = { namespace: fleet, name: 'h2' };
    const image = { url: 'http://images.example/a.qcow2', checksum: 'abc', checksumType: 'md5' };
    await api.hosts.patch(key, { type: 'merge', body: { spec: { image } } });
    const provisioned = await untilState(api, 'h2', 'provisioned');
    assert.deepEqual(provisioned.status?.provisioning.image, image);
    await api.hosts.delete(key);
    await untilGone(api.hosts, 'h2');
    const methods = rig.provisioners.methods('h2');
    assert.ok(methods.indexOf('deprovision') > 0 && methods.indexOf('deprovision') < methods.lastIndexOf('setPower'));
    assert.equal(methods.at(-1), 'remove');
    // As in Metal3: the host owned it.
    await untilGone(api.secrets, 'h2-bmc');
  });
});

describe('requests', () => {
  it('are at most 18 for each host from its creation until it is available with companions and events', async () => {
    const api = await startHostApi();
    const metrics = createMetrics();
    const client = await api.connect(metrics);
    const rig = await startHostRig(api, { client });
    const names = Array.from({ length: 10 }, (_, index) => `r${index + 1}`);
    for (const name of names) await putHost(api, name);
    for (const name of names) {
      await untilState(api, name, 'available');
      await until(api.firmwareSettings, name, ({ status }) => status?.lastUpdated !== undefined);
      await until(api.firmwareComponents, name, ({ status }) => status?.lastUpdated !== undefined);
    }
    await rig.stop();
    const { items } = await api.events.list({ namespace: fleet });
    const reasons = items
      .filter((event) => (event.involvedObject as { name: string }).name === 'r1')
      .map(({ reason }) => reason);
    assert.deepEqual(reasons.toSorted(), [
      'BMCAccessValidated',
      'InspectionComplete',
      'InspectionStarted',
      'ProfileSet',
      'Registered',
    ]);
    const text = await metrics.expose();
    const counted = text.split('\n').filter((line) => line.startsWith('rest_client_requests_total'));
    const writes = counted.filter((line) => !/verb="(list|watch)"|method="GET"/i.test(line));
    const total = writes.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    assert.ok(
      total > 0,
      text
        .split('\n')
        .filter((line) => line.includes('request'))
        .join('\n'),
    );
    assert.ok(total / names.length <= 18, `${total / names.length} requests a host:\n${counted.join('\n')}`);
    await api.close();
  });
});
