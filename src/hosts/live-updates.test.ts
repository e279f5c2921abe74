import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  allKinds,
  type HostUpdatePolicy,
  type HostUpdatePolicySpec,
  metal3ApiVersion,
  personaRolesOf,
} from '../api/index.ts';
import { type AnyKubeObject, createClient, type KubeClient, type KubeObject } from '../kube/index.ts';
import { resources } from './resources.ts';
import { rebootOnce } from './testing/live-host.ts';
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

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const allowAll = { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' } as const;
const goesOn = { kind: 'continue', afterMs: 60_000, hasStarted: true } as const;

function policyObject(name: string, spec: HostUpdatePolicySpec = allowAll): HostUpdatePolicy & KubeObject {
  const metadata = { namespace: fleet, name };
  return { apiVersion: metal3ApiVersion, kind: 'HostUpdatePolicy', metadata, spec };
}

describe('live updates on an API server', () => {
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

  const servicesOf = (name: string) =>
    rig.provisioners.calls.filter(({ host, method }) => host === name && method === 'service');
  const want = (name: string, settings: Record<string, string>) =>
    api.firmwareSettings.patch(
      { namespace: fleet, name },
      // What is there is replaced, not added to.
      { type: 'json', operations: [{ op: 'add', path: '/spec/settings', value: settings }] },
    );
  const reboot = (name: string) =>
    api.hosts.patch(
      { namespace: fleet, name },
      { type: 'merge', body: { metadata: { annotations: { [rebootOnce]: '' } } } },
    );
  const untilStatus = (name: string, operationalStatus: string) =>
    until(api.hosts, name, ({ status }) => status?.operationalStatus === operationalStatus);
  const inUse = async (name: string): Promise<void> => {
    await putHost(api, name, { spec: { image } });
    await untilState(api, name, 'provisioned');
    await until(api.firmwareSettings, name, ({ status }) => status?.lastUpdated !== undefined);
  };
  /** All that was written has reached the one who looks after the host. */
  const untilItWaits = (name: string) =>
    until(api.hosts, name, ({ status }) =>
      (status?.conditions ?? []).some(({ reason }) => reason === 'WaitsForReboot'),
    );
  const serviced = async (name: string): Promise<void> => {
    await inUse(name);
    await api.updatePolicies.create(policyObject(name));
    rig.provisioners.answer('service', goesOn);
    await want(name, { ProcVirtualization: 'Enabled' });
    await untilItWaits(name);
    await reboot(name);
    await untilStatus(name, 'servicing');
    await until(api.hosts, name, ({ metadata }) => metadata.annotations?.[rebootOnce] === undefined);
  };

  it('go from the annotation to servicing to OK, and the host has what was wanted', async () => {
    await inUse('v1');
    await api.updatePolicies.create(policyObject('v1'));
    await want('v1', { ProcVirtualization: 'Enabled' });
    await untilItWaits('v1');
    await reboot('v1');
    const host = await until(
      api.hosts,
      'v1',
      ({ status }) => (status?.operationHistory?.service?.end ?? null) !== null,
    );
    assert.equal(host.status?.operationalStatus, 'OK');
    assert.equal(host.metadata.annotations?.[rebootOnce], undefined);
    assert.equal(rig.provisioners.machine('v1').settings.ProcVirtualization, 'Enabled');
    assert.equal(servicesOf('v1').length, 1);
    assert.deepEqual(rig.provisioners.methods('v1').filter((each) => each === 'setPower').length, 0);
  });

  const ends: readonly (readonly [string, string, (name: string) => Promise<unknown>])[] = [
    ['their policy is deleted', 'v2', (name) => api.updatePolicies.delete({ namespace: fleet, name })],
    ['what is wanted is emptied', 'v3', (name) => want(name, {})],
    [
      'their policy says onPreparing',
      'v4',
      (name) =>
        api.updatePolicies.patch(
          { namespace: fleet, name },
          { type: 'merge', body: { spec: { firmwareSettings: 'onPreparing' } } },
        ),
    ],
  ];
  for (const [what, name, end] of ends) {
    it(`are given up as soon as ${what}`, async () => {
      await serviced(name);
      await end(name);
      await untilStatus(name, 'OK');
      assert.deepEqual((servicesOf(name).at(-1)?.order as { isSpecified: boolean } | undefined)?.isSpecified, false);
    });
  }

  it('are not missed by a reboot that is asked for in the same breath', async () => {
    const names = ['v8', 'v9', 'v10', 'v11'];
    await Promise.all(names.map(inUse));
    await Promise.all(
      names.map(async (name) => {
        await api.updatePolicies.create(policyObject(name));
        await want(name, { ProcVirtualization: 'Enabled' });
        await reboot(name);
        await until(api.hosts, name, ({ metadata }) => metadata.annotations?.[rebootOnce] === undefined);
        await until(api.hosts, name, ({ status }) => (status?.operationHistory?.service?.end ?? null) !== null);
      }),
    );
    for (const name of names) {
      assert.equal(rig.provisioners.machine(name).settings.ProcVirtualization, 'Enabled');
      assert.ok(!rig.provisioners.methods(name).includes('setPower'), name);
    }
  });

  it('are not called failed because what they made cannot be read just then', async () => {
    await inUse('v7');
    await api.updatePolicies.create(policyObject('v7'));
    await want('v7', { ProcVirtualization: 'Enabled' });
    await untilItWaits('v7');
    rig.provisioners.answer('readFirmwareSettings', { kind: 'busy', afterMs: 10, message: 'it is starting' });
    await reboot('v7');
    const host = await until(api.hosts, 'v7', ({ status }) => {
      assert.notEqual(status?.operationalStatus, 'error', status?.errorMessage);
      return (status?.operationHistory?.service?.end ?? null) !== null;
    });
    assert.equal(host.status?.operationalStatus, 'OK');
  });

  it('are given up when their host is deleted', async () => {
    await serviced('v5');
    await api.hosts.delete({ namespace: fleet, name: 'v5' });
    await untilGone(api.hosts, 'v5');
    assert.ok(rig.provisioners.methods('v5').includes('deprovision'));
  });

  describe('and who may allow them', () => {
    const open: KubeClient[] = [];
    before(() => putRoles(api));
    after(async () => {
      for (const client of open) await client.close();
    });
    const connectAs = async (name: string, role: string): Promise<KubeClient> => {
      const client = await userWith(api, name, role);
      open.push(client);
      return client;
    };
    const refused = { code: 403 };

    for (const role of ['rackwright-host-user', 'rackwright-tenant', 'rackwright-viewer']) {
      it(`is not a user with ${role}: neither made, nor changed, nor deleted by them`, async () => {
        const name = `p-${role.replace('rackwright-', '')}`;
        const client = await connectAs(name, role);
        const theirs = client.resource<HostUpdatePolicy & KubeObject>(resources.updatePolicies);
        const key = { namespace: fleet, name };
        await assert.rejects(theirs.create(policyObject(name)), refused);
        await assert.rejects(theirs.apply(policyObject(name), { fieldManager: 'user', isForced: true }), refused);
        await api.updatePolicies.create(policyObject(name, {}));
        const patch = { type: 'merge', body: { spec: allowAll } } as const;
        await assert.rejects(theirs.patch(key, patch), refused);
        await assert.rejects(theirs.replace({ ...(await api.updatePolicies.get(key)), spec: allowAll }), refused);
        await assert.rejects(theirs.delete(key), refused);
        assert.deepEqual(Object.values((await api.updatePolicies.get(key)).spec ?? {}).includes('onReboot'), false);
      });
    }

    it('is a user with rackwright-live-updates', async () => {
      const theirs = (await connectAs('allower', 'rackwright-live-updates')).resource<HostUpdatePolicy & KubeObject>(
        resources.updatePolicies,
      );
      await theirs.create(policyObject('p-allowed', {}));
      await theirs.patch(
        { namespace: fleet, name: 'p-allowed' },
        { type: 'merge', body: { spec: { firmwareUpdates: 'onReboot' } } },
      );
      await theirs.delete({ namespace: fleet, name: 'p-allowed' });
    });

    it('a user of hosts changes and reboots one, which is only rebooted until somebody allows more', async () => {
      await inUse('v6');
      const client = await connectAs('v6-user', 'rackwright-host-user');
      const settings = client.resource<AnyKubeObject>(resources.firmwareSettings);
      const hosts = client.resource<AnyKubeObject>(resources.hosts);
      const key = { namespace: fleet, name: 'v6' };
      await settings.patch(key, { type: 'merge', body: { spec: { settings: { ProcVirtualization: 'Enabled' } } } });
      const isDetected = ({ type, status }: { type: string; status: string }) =>
        type === 'ChangeDetected' && status === 'True';
      await until(api.firmwareSettings, 'v6', ({ status }) => status?.conditions?.some(isDetected) === true);
      await hosts.patch(key, { type: 'merge', body: { metadata: { annotations: { [rebootOnce]: '' } } } });
      await until(
        api.hosts,
        'v6',
        ({ metadata, status }) => metadata.annotations?.[rebootOnce] === undefined && status?.poweredOn === true,
      );
      const switched = () => rig.provisioners.methods('v6').filter((each) => each === 'setPower').length;
      assert.deepEqual([servicesOf('v6').length, switched()], [0, 2]);
      await api.updatePolicies.create(policyObject('v6'));
      await untilItWaits('v6');
      await hosts.patch(key, { type: 'merge', body: { metadata: { annotations: { [rebootOnce]: '' } } } });
      await until(api.hosts, 'v6', ({ status }) => (status?.operationHistory?.service?.end ?? null) !== null);
      assert.deepEqual([servicesOf('v6').length, switched()], [1, 2]);
    });
  });
});

const rbac = (resource: string, kind: string) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  namespaced: resource === 'rolebindings',
  kind,
});
const accountsRef = { group: '', version: 'v1', resource: 'serviceaccounts', namespaced: true, kind: 'ServiceAccount' };

async function putRoles({ client }: HostApi): Promise<void> {
  const roles = client.resource<AnyKubeObject>(rbac('clusterroles', 'ClusterRole'));
  for (const role of personaRolesOf(allKinds)) {
    await roles.apply(role as unknown as AnyKubeObject, { fieldManager: 'test', isForced: true });
  }
}

/** Somebody who is known by a token and has one role where the hosts are. */
async function userWith(api: HostApi, name: string, role: string): Promise<KubeClient> {
  const accounts = api.client.resource<AnyKubeObject>(accountsRef);
  await accounts.create({ metadata: { name, namespace: fleet } });
  await api.client.resource<AnyKubeObject>(rbac('rolebindings', 'RoleBinding')).create({
    metadata: { name, namespace: fleet },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace: fleet }],
  });
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const made = await accounts.subresource<AnyKubeObject>('token').create({ name, namespace: fleet }, wish);
  const { token } = made.status as { token: string };
  return createClient({ ...api.connection, token } as Parameters<typeof createClient>[0]);
}
