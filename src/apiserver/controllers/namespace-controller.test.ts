import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import { forbidden } from '../status.ts';
import type { Key } from '../store/store.ts';
import { temporaryDirectory } from '../store/temporary-store.ts';
import {
  changeObject,
  makeNamespaces,
  makeObject,
  objectAt,
  openCore,
  removeObject,
  until,
} from './controller-fixture.ts';
import { EveryBucket } from './every-bucket.ts';
import { namespaceConditions } from './namespace-conditions.ts';
import { NamespaceController } from './namespace-controller.ts';

const space: Key = { bucket: '/namespaces', namespace: '', name: 'a' };
const held: Key = { bucket: '/configmaps', namespace: 'a', name: 'held' };

function begin(core: ServerCore): { stop(): Promise<void> } {
  const controller = new NamespaceController(core, (error) => {
    throw error;
  });
  const buckets = new EveryBucket(core.store, core.registry);
  controller.start(buckets);
  buckets.start();
  return {
    async stop() {
      buckets.close();
      await controller.close();
    },
  };
}

async function opened(t: TestContext): Promise<ServerCore> {
  const core = await openCore(temporaryDirectory(t));
  await makeNamespaces(core, 'a', 'b');
  t.after(() => core.store.close());
  return core;
}

function configMap(name: string, namespace: string, finalizers?: string[]): KubeObject {
  const metadata = { name, namespace, ...(finalizers === undefined ? {} : { finalizers }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

const free = ({ metadata: { finalizers: _gone, ...metadata }, ...rest }: KubeObject): KubeObject => ({
  ...rest,
  metadata,
});

describe('a namespace that is deleted', () => {
  it('takes everything in it along and nothing from elsewhere', async (t) => {
    const core = await opened(t);
    await makeObject(core, '/configmaps', configMap('x', 'a'));
    await makeObject(core, '/configmaps', configMap('x', 'b'));
    const { stop } = begin(core);
    t.after(stop);
    await removeObject(core, space);
    await until(() => core.store.get(space) === undefined);
    assert.equal(core.store.get({ ...held, name: 'x' }), undefined);
    assert.notEqual(core.store.get({ ...held, name: 'x', namespace: 'b' }), undefined);
  });

  it('says what it waits for, and goes when that is gone', async (t) => {
    const core = await opened(t);
    await makeObject(core, '/configmaps', configMap('held', 'a', ['example.com/hold']));
    const { stop } = begin(core);
    t.after(stop);
    await removeObject(core, space);
    await until(() => core.store.get(space)?.json.includes('SomeFinalizersRemain') ?? false);
    const status = objectAt(core, space)?.status as { conditions: { type: string; message: string }[] } | undefined;
    const messageOf = (type: string) => status?.conditions.find((condition) => condition.type === type)?.message;
    assert.match(messageOf('NamespaceContentRemaining') ?? '', /configmaps\. has 1 resource instances/);
    assert.match(messageOf('NamespaceFinalizersRemaining') ?? '', /example\.com\/hold in 1 resource instances/);
    await changeObject(core, held, { edit: free });
    await until(() => core.store.get(space) === undefined);
  });

  it('is emptied by the next server when this one stops in the middle', async (t) => {
    const core = await opened(t);
    await makeObject(core, '/configmaps', configMap('held', 'a', ['example.com/hold']));
    const first = begin(core);
    await removeObject(core, space);
    await until(() => core.store.get(space)?.json.includes('SomeFinalizersRemain') ?? false);
    await first.stop();
    await changeObject(core, held, { edit: free });
    assert.notEqual(core.store.get(space), undefined);
    const { stop } = begin(core);
    t.after(stop);
    await until(() => core.store.get(space) === undefined);
  });

  it('waits for its pods before it touches anything else', async (t) => {
    const core = await opened(t);
    const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'example.com/app:1' }] };
    await makeObject(core, '/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'a' }, spec });
    await makeObject(core, '/configmaps', configMap('x', 'a'));
    const { stop } = begin(core);
    t.after(stop);
    await removeObject(core, space);
    await until(() => core.store.get(space)?.json.includes('SomeResourcesRemain') ?? false);
    assert.notEqual(core.store.get({ ...held, name: 'x' }), undefined);
    await removeObject(core, { bucket: '/pods', namespace: 'a', name: 'p' }, { gracePeriodSeconds: 0 });
    await until(() => core.store.get(space) === undefined);
  });

  it('reports what may not be deleted, and tries again', async (t) => {
    const core = await opened(t);
    await makeObject(core, '/configmaps', configMap('kept', 'a'));
    let isRefused = true;
    const refusing: ServerCore = {
      ...core,
      admission: {
        ...core.admission,
        isIdle: () => false,
        async validate({ resource, name }) {
          if (isRefused && resource.resource === 'configmaps') throw forbidden(resource, name, 'not now');
        },
      },
    };
    const { stop } = begin(refusing);
    t.after(stop);
    await removeObject(core, space);
    await until(() => core.store.get(space)?.json.includes('ContentDeletionFailed') ?? false);
    isRefused = false;
    await until(() => core.store.get(space) === undefined);
  });
});

describe('the conditions of a namespace', () => {
  it('keep their times while what they say stays the same', () => {
    const none = { resources: new Map(), finalizers: new Map(), failures: [] };
    const first = namespaceConditions(none, [], new Date('2025-01-01T00:00:00Z'));
    const some = { ...none, resources: new Map([['pods.', 2]]) };
    const second = namespaceConditions(some, first, new Date('2025-01-01T00:01:00Z'));
    const changed = second.filter(({ lastTransitionTime }) => lastTransitionTime === '2025-01-01T00:01:00Z');
    assert.deepEqual(
      changed.map(({ type, status }) => [type, status]),
      [['NamespaceContentRemaining', 'True']],
    );
  });
});
