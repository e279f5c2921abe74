import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterAnnotations } from '../../api/index.ts';
import { isConflict } from '../../kube/index.ts';
import { consumer } from '../testing/objects.ts';
import { Store, type StoredHost, type StoredMachine } from '../testing/versioned-store.ts';
import { claimHost, givingUpAnnotation, type HostDesk, noteHost } from './take-host.ts';

function deskOf(store: Store): HostDesk {
  return {
    machine: async ({ name }) => store.newest(name) as StoredMachine | undefined,
    host: async ({ name }) => store.newest(name) as StoredHost | undefined,
    patchMachine: async ({ name }, body) => store.patch(name, body),
    patchHost: async ({ name }, body) => store.patch(name, body),
  };
}

describe('how a host is taken', () => {
  const store = () => new Store({ hosts: 2, machines: 1 });
  const machineIn = (from: Store) => from.newest('m0') as StoredMachine;
  const hostIn = (from: Store, name: string) => from.newest(name) as StoredHost;
  const note = (from: Store, host: string) =>
    noteHost(deskOf(from), machineIn(from), { host, failureDomain: undefined });
  /** What somebody decided who saw this version of the host. */
  const claimOf = ({ metadata }: StoredHost) => ({
    host: metadata.name ?? '',
    patch: { metadata: { resourceVersion: metadata.resourceVersion }, spec: { consumerRef: consumer('m0') } },
  });
  const holder = (from: Store, name: string) => hostIn(from, name).spec?.consumerRef?.name;

  test('the one that is noted down is taken, and the machine held', async () => {
    const it = store();
    assert.ok((await note(it, 'h0')).ok);
    assert.ok((await claimHost(deskOf(it), machineIn(it), claimOf(hostIn(it, 'h0')))).ok);
    assert.equal(holder(it, 'h0'), 'm0');
    assert.deepEqual(machineIn(it).metadata.finalizers, ['metal3machine.infrastructure.cluster.x-k8s.io']);
  });

  test('one that is noted no longer is not taken by whoever has not heard of that', async () => {
    const it = store();
    await note(it, 'h0');
    const old = machineIn(it);
    await note(it, 'h1');
    const claimed = await claimHost(deskOf(it), old, claimOf(hostIn(it, 'h0')));
    assert.deepEqual([claimed.ok, holder(it, 'h0')], [false, undefined]);
    assert.equal(machineIn(it).metadata.annotations?.[givingUpAnnotation], 'h0');
  });

  test('one that is given up cannot be taken by a request that is still on its way', async () => {
    const it = store();
    await note(it, 'h0');
    const late = claimOf(hostIn(it, 'h0'));
    await note(it, 'h1');
    assert.ok((await claimHost(deskOf(it), machineIn(it), claimOf(hostIn(it, 'h1')))).ok);
    assert.throws(() => it.patch('h0', late.patch), isConflict);
    assert.deepEqual([holder(it, 'h0'), holder(it, 'h1')], [undefined, 'm0']);
    assert.equal(machineIn(it).metadata.annotations?.[givingUpAnnotation], undefined);
  });

  test('one that was taken before it was given up is the host after all', async () => {
    const it = store();
    await note(it, 'h0');
    const late = claimOf(hostIn(it, 'h0'));
    await note(it, 'h1');
    it.patch('h0', late.patch);
    const claimed = await claimHost(deskOf(it), machineIn(it), claimOf(hostIn(it, 'h1')));
    assert.deepEqual([claimed.ok, holder(it, 'h0'), holder(it, 'h1')], [false, 'm0', undefined]);
    assert.equal(machineIn(it).metadata.annotations?.[clusterAnnotations.bareMetalHost], 'fleet/h0');
  });

  test('one that another machine has is given up without a word to it', async () => {
    const it = store();
    await note(it, 'h0');
    it.patch('h0', { spec: { consumerRef: consumer('other') } });
    await note(it, 'h1');
    const before = hostIn(it, 'h0');
    assert.ok((await claimHost(deskOf(it), machineIn(it), claimOf(hostIn(it, 'h1')))).ok);
    assert.equal(hostIn(it, 'h0'), before);
  });
});
