import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AnyKubeObject, type KubeClient, KubeError, meetUser } from '../../kube/index.ts';
import { providerResources } from '../resources.ts';
import { type ApiRig, startApi } from '../testing/rig.ts';
import { createNetworkAdmission } from './network-rules.ts';

const verbs = ['get', 'create', 'update', 'patch'];
const writeSwitches = { apiGroups: ['metal3.io'], resources: ['ansibleswitches', 'ovsswitches'], verbs };
const mayRead = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['login'] };
const credentialsSecret = { name: 'login' };

describe('a role that describes switches without the right to their Secrets', () => {
  let api: ApiRig;
  const clients: Record<string, KubeClient> = {};

  before(async () => {
    const admission = createNetworkAdmission();
    api = await startApi(admission.rules);
    admission.attach({ tables: undefined as never, client: api.client });
    clients.user = await meetUser(api, 'user', [writeSwitches]);
    clients.keeper = await meetUser(api, 'keeper', [writeSwitches, mayRead]);
  });
  after(async () => {
    for (const client of Object.values(clients)) await client.close();
    await api.close();
  });

  const isRefused = (promise: Promise<unknown>, secret: string): Promise<void> =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof KubeError, String(error));
      assert.match(
        error.message,
        new RegExp(`where the Secret ${secret} is sent can read it, and user may not get it`),
      );
      return true;
    });

  for (const { kind, spec, elsewhere } of [
    { kind: 'AnsibleSwitch', spec: { os: 'fos', ip: '192.0.2.1', credentialsSecret }, elsewhere: { ip: '192.0.2.66' } },
    {
      kind: 'OVSSwitch',
      spec: { address: 'ssl:192.0.2.1:6640', bridge: 'br0', credentialsSecret },
      elsewhere: { address: 'ssl:192.0.2.66:6640' },
    },
  ] as const) {
    test(`has none sent to another address by ${kind}, nor another one`, async () => {
      const of = (user: string) => {
        const client = clients[user];
        assert.ok(client !== undefined);
        return client.resource<AnyKubeObject>(providerResources[kind]);
      };
      const key = { namespace: 'default', name: 's' };
      const merge = (change: object) => ({ type: 'merge', body: { spec: change } }) as const;
      await isRefused(of('user').create({ metadata: key, spec }), 'login');
      await of('keeper').create({ metadata: key, spec });
      await isRefused(of('user').patch(key, merge(elsewhere)), 'login');
      await isRefused(of('user').patch(key, merge({ credentialsSecret: { name: 'other' } })), 'other');
      await of('user').patch(key, { type: 'merge', body: { metadata: { labels: { mine: 'still' } } } });
      await of('keeper').patch(key, merge(elsewhere));
    });
  }
});
