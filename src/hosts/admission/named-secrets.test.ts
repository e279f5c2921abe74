import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import { createMayDo, type KubeClient, KubeError, type KubeObject, meetUser, systemClock } from '../../kube/index.ts';
import { resources } from '../resources.ts';
import { fleet, type HostApi, hostObject, startHostApi } from '../testing/rig.ts';
import { createHostAdmission } from './host-rules.ts';

const hostRule = {
  apiGroups: ['metal3.io'],
  resources: ['baremetalhosts'],
  verbs: ['get', 'create', 'update', 'patch'],
};
const secretRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };

describe('a role without the right to a Secret (security.md: credential-destinations)', () => {
  let api: HostApi;
  const clients: Record<string, KubeClient> = {};
  const admission = createHostAdmission();
  const bmc = { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', credentialsName: 'bmc-login' };
  const leavingBmc = { ...bmc, address: 'redfish://10.0.0.7/redfish/v1/Systems/2' };
  const detached = {
    ...{ operationalStatus: 'detached', errorCount: 0, errorMessage: '', poweredOn: false },
    provisioning: { ID: '', state: 'registering', image: { url: '' } },
  };

  before(async () => {
    api = await startHostApi(admission.rules);
    clients.user = await meetUser(api, 'user', [hostRule]);
    clients.keeper = await meetUser(api, 'keeper', [hostRule, { ...secretRule, resourceNames: ['bmc-login'] }]);
    clients.infra = await meetUser(api, 'infra', [hostRule, secretRule]);
    const hosts = { byIndex: () => [], get: () => undefined };
    const read = (key: Parameters<typeof api.hosts.get>[0]) => api.hosts.get(key);
    admission.attach({ hosts, read, mayDo: createMayDo(api.client), clock: systemClock });
    await api.hosts.create(hostObject('h', { spec: { bmc } }));
    // Its address can change at all.
    await api.hosts
      .subresource('status')
      .patch({ namespace: fleet, name: 'h' }, { type: 'merge', body: { status: detached } });
  });
  after(async () => {
    for (const client of Object.values(clients)) await client.close();
    await api.close();
  });

  const hostsOf = (user: string) => {
    const client = clients[user];
    assert.ok(client !== undefined);
    return client.resource<BareMetalHost & KubeObject>(resources.hosts);
  };
  const change = (user: string, spec: object) =>
    hostsOf(user).patch({ namespace: fleet, name: 'h' }, { type: 'merge', body: { spec } });
  const isRefused = (promise: Promise<unknown>, secret: string): Promise<void> =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof KubeError, String(error));
      assert.match(
        error.message,
        new RegExp(`where the Secret ${secret} is sent can read it, and user may not get it`),
      );
      return true;
    });

  for (const [what, spec] of [
    ['another address', { bmc: { address: 'redfish://10.6.6.6/redfish/v1/Systems/1' } }],
    ['plain HTTP', { bmc: { address: 'redfish+http://10.0.0.7/redfish/v1/Systems/1' } }],
    ['whatever certificate is shown', { bmc: { disableCertificateVerification: true } }],
  ] as const) {
    it(`does not have it sent to ${what}`, async () => {
      await isRefused(change('user', spec), 'bmc-login');
      assert.deepEqual((await api.hosts.get({ namespace: fleet, name: 'h' })).spec?.bmc, bmc);
    });
  }

  it('names no Secret in its place, nor as data of the first boot', async () => {
    await isRefused(change('user', { bmc: { credentialsName: 'other' } }), 'other');
    for (const name of ['userData', 'networkData', 'metaData'])
      await isRefused(change('user', { [name]: { name: 'other' } }), 'other');
    await isRefused(change('user', { preprovisioningNetworkDataName: 'other' }), 'other');
  });

  it('brings no host with it', async () => {
    const host = hostObject('mine', { spec: { bmc: { ...bmc, address: 'redfish://10.6.6.6' } } });
    await isRefused(hostsOf('user').create(host), 'bmc-login');
  });

  it('does not have it sent elsewhere by a host that is being deleted, which still loses its finalizer', async () => {
    const key = { namespace: fleet, name: 'leaving' };
    const metadata = { namespace: fleet, name: 'leaving', finalizers: ['example.com/wait'] };
    await api.hosts.create({ ...hostObject('leaving', { spec: { bmc: leavingBmc } }), metadata });
    await api.hosts.subresource('status').patch(key, { type: 'merge', body: { status: detached } });
    await api.hosts.delete(key);
    const spec = { bmc: { address: 'redfish://10.6.6.6/redfish/v1/Systems/2' } };
    await isRefused(hostsOf('user').patch(key, { type: 'merge', body: { spec } }), 'bmc-login');
    await isRefused(
      hostsOf('user').patch(key, { type: 'merge', body: { spec: { bmc: { credentialsName: 'other' } } } }),
      'other',
    );
    await hostsOf('user').patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    await assert.rejects(api.hosts.get(key), /not found/);
  });

  it('changes all else of the host, and whoever may read the Secret changes its address', async () => {
    await change('user', { description: 'still mine', online: true });
    await change('keeper', { bmc: { address: 'redfish://10.0.0.8/redfish/v1/Systems/1' } });
    await change('infra', { bmc, userData: { name: 'other' } });
    await change('user', { description: 'names it no other way', userData: { name: 'other' } });
    await change('user', { userData: null });
  });
});
