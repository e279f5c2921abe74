import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clusterKinds, crdOf } from '../../api/index.ts';
import {
  type AnyKubeObject,
  createMayDo,
  installDefinitions,
  type KubeClient,
  KubeError,
  meetUser,
  systemClock,
} from '../../kube/index.ts';
import { fleet, type HostApi, startHostApi } from '../testing/rig.ts';
import { createHostAdmission } from './host-rules.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const core = 'cluster.x-k8s.io';
const verbs = ['get', 'create', 'update', 'patch'];
const machineRules = [
  { apiGroups: [infrastructure], resources: ['metal3machines', 'metal3machinetemplates'], verbs },
  { apiGroups: [core], resources: ['machines', 'machinesets', 'machinedeployments'], verbs },
];
const mayReadBoot = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['boot'] };

const refOf = (group: string, resource: string, kind: string) => ({
  ...{ group, version: 'v1beta1', resource, kind, namespaced: true },
});
const image = { url: 'http://images.example/os.qcow2', checksum: 'abc' };
const infrastructureRef = { apiVersion: `${infrastructure}/v1beta1`, kind: 'Metal3MachineTemplate', name: 't' };
const machineSpec = (bootstrap: object) => ({ clusterName: 'c', bootstrap, infrastructureRef });
const selector = { matchLabels: { a: 'b' } };
const template = (bootstrap: object) => ({ metadata: { labels: { a: 'b' } }, spec: machineSpec(bootstrap) });

/** Each way to have a Secret of the namespace given to a host. */
const ways = [
  {
    ref: refOf(infrastructure, 'metal3machines', 'Metal3Machine'),
    specOf: (name: string) => ({ image, userData: { name } }),
  },
  {
    ref: refOf(infrastructure, 'metal3machinetemplates', 'Metal3MachineTemplate'),
    specOf: (name: string) => ({ template: { spec: { image, networkData: { name } } } }),
  },
  {
    ref: refOf(core, 'machines', 'Machine'),
    specOf: (name: string) => machineSpec({ dataSecretName: name }),
  },
  {
    ref: refOf(core, 'machinesets', 'MachineSet'),
    specOf: (name: string) => ({ clusterName: 'c', selector, template: template({ dataSecretName: name }) }),
  },
  {
    ref: refOf(core, 'machinedeployments', 'MachineDeployment'),
    specOf: (name: string) => ({ clusterName: 'c', selector, template: template({ dataSecretName: name }) }),
  },
];

describe('a role that makes machines without the right to Secrets', () => {
  let api: HostApi;
  let user: KubeClient;
  const admission = createHostAdmission();

  before(async () => {
    api = await startHostApi(admission.rules);
    await installDefinitions(api.client, clusterKinds.map(crdOf) as unknown as AnyKubeObject[], {
      fieldManager: 'test',
    });
    user = await meetUser(api, 'user', [...machineRules, mayReadBoot]);
    const hosts = { byIndex: () => [], get: () => undefined };
    const read = (key: Parameters<typeof api.hosts.get>[0]) => api.hosts.get(key);
    admission.attach({ hosts, read, mayDo: createMayDo(api.client), clock: systemClock });
  });
  after(async () => {
    await user.close();
    await api.close();
  });

  for (const { ref, specOf } of ways) {
    it(`has none given to a host by a ${ref.kind} but those that it may read`, async () => {
      const objects = user.resource<AnyKubeObject>(ref);
      const key = { namespace: fleet, name: 'm' };
      const isRefused = (promise: Promise<unknown>): Promise<void> =>
        assert.rejects(promise, (error) => {
          assert.ok(error instanceof KubeError, String(error));
          assert.match(error.message, /where the Secret bmc-login is sent can read it, and user may not get it/);
          return true;
        });
      await isRefused(objects.create({ metadata: key, spec: specOf('bmc-login') }));
      await objects.create({ metadata: key, spec: specOf('boot') });
      if (ref.kind !== 'Metal3MachineTemplate')
        await isRefused(objects.patch(key, { type: 'merge', body: { spec: specOf('bmc-login') } }));
      await objects.patch(key, { type: 'merge', body: { metadata: { labels: { mine: 'still' } } } });
    });
  }
});
