import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type BMC, ironcoreApiVersion, type Server } from '../../api/index.ts';
import { createMayDo, type KubeClient, KubeError, type KubeObject, meetUser } from '../../kube/index.ts';
import { resources } from '../resources.ts';
import { type ApiRig, startApi } from '../testing/rig.ts';
import { createFirmwareAdmission } from './firmware-rules.ts';

const group = 'metal.ironcore.dev';
const write = {
  apiGroups: [group],
  resources: ['bmcs', 'servers'],
  verbs: ['get', 'create', 'update', 'patch', 'delete'],
};
const read = { apiGroups: [group], resources: ['bmcsecrets'], verbs: ['get'], resourceNames: ['login'] };
const protocol = { name: 'Redfish', port: 443, scheme: 'https' } as const;
const bmcSecretRef = { name: 'login' };
const systemUUID = '38947555-7742-3448-3784-823347823834';

const bmcOf = (name: string, ip: string) => ({
  ...({ apiVersion: ironcoreApiVersion, kind: 'BMC', metadata: { name } } as const),
  spec: { access: { ip }, bmcSecretRef, protocol },
});
const serverOf = (name: string, address: string) => ({
  ...({ apiVersion: ironcoreApiVersion, kind: 'Server', metadata: { name } } as const),
  spec: { systemUUID, bmc: { address, bmcSecretRef, protocol } },
});

describe('a role without the right to a BMCSecret (security.md: credential-destinations)', () => {
  let api: ApiRig;
  const clients: Record<string, KubeClient> = {};
  const admission = createFirmwareAdmission();

  before(async () => {
    api = await startApi(admission.rules);
    await api.bmcs.create(bmcOf('b', '10.0.0.7'));
    await api.servers.create(serverOf('s', '10.0.0.7'));
    clients.user = await meetUser(api, 'user', [write]);
    clients.keeper = await meetUser(api, 'keeper', [write, read]);
  });
  after(async () => {
    for (const client of Object.values(clients)) await client.close();
    await api.close();
  });

  const of = (user: string) => {
    const client = clients[user];
    assert.ok(client !== undefined);
    return {
      bmcs: client.resource<BMC & KubeObject>(resources.bmcs),
      servers: client.resource<Server & KubeObject>(resources.servers),
    };
  };
  const merge = (spec: object) => ({ type: 'merge', body: { spec } }) as const;
  const isRefused = (promise: Promise<unknown>, message: RegExp): Promise<void> =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof KubeError, String(error));
      assert.match(error.message, message);
      return true;
    });
  const noRight = /where the BMCSecret \S+ is sent can read it, and user may not get it/;

  test('says nothing about it while nobody can be asked for rights', async () => {
    await isRefused(of('keeper').bmcs.create(bmcOf('early', '10.0.0.9')), /caches of the firmware controllers/);
    admission.attach({ fleet: undefined, discovered: { byIndex: () => [] } } as never, createMayDo(api.client));
  });

  test('has it sent neither to a new object, another port nor over plain HTTP', async () => {
    await isRefused(of('user').bmcs.create(bmcOf('mine', '10.6.6.6')), noRight);
    await isRefused(of('user').bmcs.patch({ name: 'b' }, merge({ protocol: { port: 8443 } })), noRight);
    await isRefused(of('user').bmcs.patch({ name: 'b' }, merge({ protocol: { scheme: 'http' } })), noRight);
    await isRefused(of('user').bmcs.patch({ name: 'b' }, merge({ hostname: 'evil.example' })), noRight);
    await isRefused(of('user').servers.create(serverOf('mine', '10.6.6.6')), noRight);
    await isRefused(of('user').servers.patch({ name: 's' }, merge({ bmc: { address: '10.6.6.6' } })), noRight);
    await isRefused(of('user').servers.patch({ name: 's' }, merge({ bmc: { protocol: { scheme: 'http' } } })), noRight);
  });

  test('names no other BMCSecret', async () => {
    await isRefused(of('user').bmcs.patch({ name: 'b' }, merge({ bmcSecretRef: { name: 'all' } })), noRight);
    await isRefused(of('keeper').bmcs.patch({ name: 'b' }, merge({ bmcSecretRef: { name: 'all' } })), /keeper may not/);
    await isRefused(
      of('user').servers.patch({ name: 's' }, merge({ bmc: { bmcSecretRef: { name: 'all' } } })),
      noRight,
    );
  });

  test('has it sent nowhere else by objects that are being deleted, which still lose their finalizers', async () => {
    const finalizers = ['example.com/wait'];
    const withFinalizer = <T extends { metadata: { name: string } }>(object: T) => ({
      ...object,
      metadata: { ...object.metadata, finalizers },
    });
    const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await api.bmcs.create(withFinalizer(bmcOf('leaving', '10.0.0.17')));
    await api.servers.create(withFinalizer(serverOf('leaving', '10.0.0.17')));
    const key = { name: 'leaving' };
    await api.bmcs.delete(key);
    await api.servers.delete(key);
    await isRefused(of('user').bmcs.patch(key, merge({ protocol: { port: 8443 } })), noRight);
    await isRefused(of('user').servers.patch(key, merge({ bmc: { address: '10.6.6.6' } })), noRight);
    await of('user').bmcs.patch(key, free);
    await of('user').servers.patch(key, free);
    await assert.rejects(api.bmcs.get(key), /not found/);
  });

  test('changes all else, and whoever may read it says where it is sent', async () => {
    await of('user').bmcs.patch({ name: 'b' }, merge({ bmcUUID: 'x' }));
    await of('user').servers.patch({ name: 's' }, merge({ unclaimable: true }));
    await of('keeper').servers.patch({ name: 's' }, merge({ bmc: { address: '10.0.0.8' } }));
    await of('keeper').bmcs.patch({ name: 'b' }, merge({ protocol: { port: 8443 } }));
    await of('user').bmcs.delete({ name: 'b' });
  });
});
