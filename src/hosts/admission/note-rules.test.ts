import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import { createMayDo, type KubeClient, KubeError, type KubeObject, meetUser, systemClock } from '../../kube/index.ts';
import { discoveryNote, writeDiscoveryNote } from '../annotations/discovery-note.ts';
import { resources } from '../resources.ts';
import { fleet, type HostApi, hostObject, startHostApi } from '../testing/rig.ts';
import { someHardware } from '../testing/scripted-provisioners.ts';
import { createHostAdmission } from './host-rules.ts';

const all = ['get', 'create', 'update', 'patch', 'delete'];

/** People, and what each may write besides hosts. */
const people = {
  racker: [],
  controller: ['baremetalhostdiscoveries/status'],
  infra: ['baremetalhostdiscoveries'],
} as const;
type Person = keyof typeof people;

describe('the note that says which machine a host is', () => {
  let api: HostApi;
  const clients = new Map<Person, KubeClient>();
  const admission = createHostAdmission();
  let number = 0;

  before(async () => {
    api = await startHostApi(admission.rules);
    for (const [user, also] of Object.entries(people)) {
      const rules = [{ apiGroups: ['metal3.io'], resources: ['baremetalhosts', ...also], verbs: all }];
      clients.set(user as Person, await meetUser(api, user, rules));
    }
  });
  after(async () => {
    for (const client of clients.values()) await client.close();
    await api.close();
  });

  const hostsOf = (user: Person | 'admin') => {
    const client = user === 'admin' ? api.client : clients.get(user);
    assert.ok(client !== undefined);
    return client.resource<BareMetalHost & KubeObject>(resources.hosts);
  };
  const noted = (id: string) => ({
    [discoveryNote]: writeDiscoveryNote({ provisionerId: id, hardware: someHardware }),
  });
  const create = (user: Person | 'admin', annotations: Record<string, string>) => {
    number += 1;
    const spec = { bmc: undefined as never, bootMACAddress: `52:54:00:bb:00:0${number}` };
    return hostsOf(user).create(hostObject(`n${number}`, { spec, annotations }));
  };
  const note = (user: Person | 'admin', { metadata }: BareMetalHost, value: string | null) =>
    hostsOf(user).patch(
      { namespace: fleet, name: metadata.name ?? '' },
      { type: 'merge', body: { metadata: { annotations: { [discoveryNote]: value } } } },
    );
  const isRefused = (promise: Promise<unknown>, message: RegExp): Promise<void> =>
    assert.rejects(promise, (error) => error instanceof KubeError && message.test(error.message));

  it('comes with no host while nobody can be asked who may bring it', async () => {
    await isRefused(create('controller', noted('a')), /try again in a moment/);
    const { client } = api;
    const hosts = { byIndex: () => [], get: () => undefined };
    admission.attach({ hosts, read: (key) => api.hosts.get(key), mayDo: createMayDo(client), clock: systemClock });
  });

  it('is brought by the discovery controller and by those who write BareMetalHostDiscoveries, and by nobody else', async () => {
    await isRefused(create('racker', noted('a')), /who may update BareMetalHostDiscoveries in fleet; racker may not/);
    await create('racker', {});
    await create('controller', noted('b'));
    await create('infra', noted('c'));
    await create('admin', noted('d'));
  });

  it('is neither added nor changed on a host that is there, also one that goes, whoever asks for it', async () => {
    const without = await create('racker', {});
    const host = await create('controller', noted('e'));
    const other = writeDiscoveryNote({ provisionerId: 'another' });
    for (const user of ['racker', 'controller', 'admin'] as const) {
      await isRefused(note(user, without, other), /cannot be said or changed once the host is there/);
      await isRefused(note(user, host, other), /cannot be said or changed once the host is there/);
    }
    const key = { namespace: fleet, name: host.metadata.name ?? '' };
    await api.hosts.patch(key, { type: 'merge', body: { metadata: { finalizers: ['x/y'] } } });
    await api.hosts.delete(key);
    await isRefused(note('racker', host, other), /cannot be said or changed/);
    await api.hosts.patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
  });

  it('loses its hardware once that is kept elsewhere, and goes where somebody takes it off', async () => {
    const host = await create('controller', noted('f'));
    await isRefused(note('racker', host, JSON.stringify({ provisionerID: 'f', hardware: {} })), /cannot be said/);
    await note('racker', host, writeDiscoveryNote({ provisionerId: 'f' }));
    await hostsOf('racker').patch(
      { namespace: fleet, name: host.metadata.name ?? '' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } }, spec: { description: 'c' } } },
    );
    await note('racker', host, null);
    await isRefused(note('racker', host, writeDiscoveryNote({ provisionerId: 'f' })), /cannot be said/);
  });
});
