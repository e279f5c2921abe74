import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fc } from '#fast-check';
import type { ServerCore } from '../core.ts';
import type { KubeObject, OwnerReference } from '../object.ts';
import { ApiError } from '../status.ts';
import type { Key, Stored } from '../store/store.ts';
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
import { GarbageCollector } from './garbage-collector.ts';

interface Running {
  readonly core: ServerCore;
  readonly collector: GarbageCollector;
  stop(): Promise<void>;
}

async function begin(directory: string, onFault: (error: unknown) => void = fail): Promise<Running> {
  const core = await openCore(directory);
  await makeNamespaces(core, 'default', 'a', 'b');
  const collector = new GarbageCollector(core, onFault);
  const buckets = new EveryBucket(core.store, core.registry);
  collector.start(buckets);
  buckets.start();
  return {
    core,
    collector,
    async stop() {
      buckets.close();
      await collector.close();
      await core.store.close();
    },
  };
}

function fail(error: unknown): never {
  throw error;
}

async function started(t: TestContext): Promise<Running> {
  const running = await begin(temporaryDirectory(t));
  t.after(() => running.stop());
  return running;
}

/** Everything committed so far has been judged, and so has what came of it. */
async function settled({ core, collector }: Running): Promise<void> {
  for (let quiet = 0; quiet < 25; quiet++) {
    await setImmediate();
    if (!collector.isIdle) quiet = 0;
    else if (quiet === 20) await core.store.durable(core.store.get(defaultNamespace) as Stored);
  }
}

const defaultNamespace: Key = { bucket: '/namespaces', namespace: '', name: 'default' };
const at = (name: string, namespace = 'a'): Key => ({ bucket: '/configmaps', namespace, name });

function configMap(name: string, owners: OwnerReference[] = [], namespace = 'a'): KubeObject {
  const metadata = { name, namespace, ...(owners.length > 0 ? { ownerReferences: owners } : {}) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function owner({ name, uid }: { name: string; uid: string }, extra: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...extra };
}

const ghost = owner({ name: 'ghost', uid: '00000000-0000-4000-8000-000000000000' });

describe('the garbage collector', () => {
  it('deletes what was owned by an object that is gone, and what that owned', async (t) => {
    const running = await started(t);
    const { core } = running;
    const top = await makeObject(core, '/configmaps', configMap('top'));
    const middle = await makeObject(core, '/configmaps', configMap('middle', [owner(top)]));
    await makeObject(core, '/configmaps', configMap('bottom', [owner(middle)]));
    await removeObject(core, at('top'));
    await until(() => core.store.get(at('bottom')) === undefined && core.store.get(at('middle')) === undefined);
  });

  it('keeps an object while one of its owners is there, and forgets the others', async (t) => {
    const running = await started(t);
    const { core } = running;
    const first = await makeObject(core, '/configmaps', configMap('first'));
    const second = await makeObject(core, '/configmaps', configMap('second'));
    await makeObject(core, '/configmaps', configMap('child', [owner(first), owner(second)]));
    await removeObject(core, at('first'));
    await until(() => objectAt(core, at('child'))?.metadata.ownerReferences?.length === 1);
    await settled(running);
    assert.equal(objectAt(core, at('child'))?.metadata.ownerReferences?.[0]?.name, 'second');
  });

  it('takes an owner of the same name in another namespace for none', async (t) => {
    const { core } = await started(t);
    const elsewhere = await makeObject(core, '/configmaps', configMap('owner', [], 'b'));
    await makeObject(core, '/configmaps', configMap('child', [owner(elsewhere)], 'a'));
    await until(() => core.store.get(at('child')) === undefined);
    assert.notEqual(core.store.get(at('owner', 'b')), undefined);
  });

  it('takes a namespaced owner of a cluster-scoped object for a mistake, and deletes nothing', async (t) => {
    const running = await started(t);
    const { core } = running;
    const metadata = { name: 'n1', ownerReferences: [ghost] };
    await makeObject(core, '/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    await settled(running);
    assert.notEqual(objectAt(core, { bucket: '/nodes', namespace: '', name: 'n1' }), undefined);
  });

  it('keeps an object whose owner is of a kind that nobody serves', async (t) => {
    const running = await started(t);
    const { core } = running;
    const strange = { ...ghost, apiVersion: 'example.com/v1', kind: 'Strange' };
    await makeObject(core, '/configmaps', configMap('child', [strange]));
    await settled(running);
    assert.notEqual(objectAt(core, at('child')), undefined);
  });

  it('leaves dependents behind when their owner is orphaned', async (t) => {
    const running = await started(t);
    const { core } = running;
    const top = await makeObject(core, '/configmaps', configMap('top'));
    await makeObject(core, '/configmaps', configMap('child', [owner(top)]));
    await removeObject(core, at('top'), { propagationPolicy: 'Orphan' });
    await until(() => core.store.get(at('top')) === undefined);
    await settled(running);
    assert.equal(objectAt(core, at('child'))?.metadata.ownerReferences, undefined);
    assert.notEqual(objectAt(core, at('child')), undefined);
  });

  it('keeps an owner deleted in the foreground until the dependents that block it are gone', async (t) => {
    const running = await started(t);
    const { core } = running;
    const top = await makeObject(core, '/configmaps', configMap('top'));
    const child = configMap('child', [owner(top, { blockOwnerDeletion: true })]);
    child.metadata.finalizers = ['example.com/hold'];
    await makeObject(core, '/configmaps', child);
    await removeObject(core, at('top'), { propagationPolicy: 'Foreground' });
    await until(() => objectAt(core, at('child'))?.metadata.deletionTimestamp !== undefined);
    await settled(running);
    assert.notEqual(objectAt(core, at('top')), undefined);
    await changeObject(core, at('child'), {
      edit: ({ metadata: { finalizers: _gone, ...metadata }, ...rest }) => ({ ...rest, metadata }),
    });
    await until(() => core.store.get(at('top')) === undefined);
  });

  it('does not wait for dependents that do not block', async (t) => {
    const { core } = await started(t);
    const top = await makeObject(core, '/configmaps', configMap('top'));
    const child = configMap('child', [owner(top)]);
    child.metadata.finalizers = ['example.com/hold'];
    await makeObject(core, '/configmaps', child);
    await removeObject(core, at('top'), { propagationPolicy: 'Foreground' });
    await until(() => core.store.get(at('top')) === undefined);
  });

  it('breaks a circle of owners that wait for each other', async (t) => {
    const { core } = await started(t);
    const blocks = { blockOwnerDeletion: true };
    const left = await makeObject(core, '/configmaps', configMap('left'));
    const right = await makeObject(core, '/configmaps', configMap('right', [owner(left, blocks)]));
    await changeObject(core, at('left'), {
      edit: (live) => ({ ...live, metadata: { ...live.metadata, ownerReferences: [owner(right, blocks)] } }),
    });
    await removeObject(core, at('left'), { propagationPolicy: 'Foreground' });
    await until(() => core.store.get(at('left')) === undefined && core.store.get(at('right')) === undefined);
  });
});

/** A made-up family: who owns whom by number, who is deleted how, and whether the server stops in the middle. */
interface Family {
  readonly owners: readonly (readonly { to: number; blocks: boolean }[])[];
  readonly deletions: readonly { which: number; policy: 'Orphan' | 'Foreground' | 'Background' }[];
  readonly restarts: boolean;
}

const size = 10;
const family: fc.Arbitrary<Family> = fc.record({
  owners: fc.array(
    // One past the last stands for an owner that never was.
    fc.uniqueArray(fc.record({ to: fc.nat({ max: size }), blocks: fc.boolean() }), {
      maxLength: 3,
      selector: ({ to }) => to,
    }),
    { minLength: size, maxLength: size },
  ),
  deletions: fc.array(
    fc.record({
      which: fc.nat({ max: size - 1 }),
      policy: fc.constantFrom('Orphan' as const, 'Foreground' as const, 'Background' as const),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  restarts: fc.boolean(),
});

const nameOf = (index: number): string => `o${index}`;

/** First all objects, then who owns whom, so that circles are possible too. */
async function create({ core }: Running, made: Family, namespace: string): Promise<void> {
  const place = (i: number): Promise<Stored> => makeObject(core, '/configmaps', configMap(nameOf(i), [], namespace));
  const stored = await Promise.all(Array.from({ length: size }, (_, i) => place(i)));
  await Promise.all(
    made.owners.map((owners, i) => {
      if (owners.length === 0) return undefined;
      const ownerReferences = owners.map(({ to, blocks }) => {
        const target = stored[to];
        return target === undefined ? ghost : owner(target, { blockOwnerDeletion: blocks });
      });
      return unlessGone(() =>
        changeObject(core, at(nameOf(i), namespace), {
          edit: (live) => ({ ...live, metadata: { ...live.metadata, ownerReferences } }),
        }),
      );
    }),
  );
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

describe('any family of objects, once settled', () => {
  it('holds nobody whose owners are all gone, and has lost nobody whose owner is still there', async (t) => {
    const directory = temporaryDirectory(t);
    let running = await begin(directory);
    let count = 0;
    const live = async (made: Family): Promise<void> => {
      const namespace = `family-${++count}`;
      await makeNamespaces(running.core, namespace);
      await create(running, made, namespace);
      await settled(running);
      const before = survivors(running.core, namespace);
      const asked = await deleteSome(running.core, made, namespace);
      if (made.restarts) {
        await running.stop();
        running = await begin(directory);
      }
      await settled(running);
      judge(running.core, made, { ...asked, before, namespace });
    };
    try {
      await fc.assert(fc.asyncProperty(family, live), { numRuns: 50 });
    } finally {
      await running.stop();
    }
  });
});

/** All at once, so that the collector works while others delete. */
async function deleteSome(core: ServerCore, made: Family, namespace: string) {
  const deleted = new Set<number>();
  const orphaned = new Set<number>();
  const changedMind = new Set<number>();
  await Promise.all(
    made.deletions.map(async ({ which, policy }) => {
      const key = at(nameOf(which), namespace);
      const result = await unlessGone(() => removeObject(core, key, { propagationPolicy: policy }));
      if (result === undefined) return;
      deleted.add(which);
      if (policy === 'Orphan') orphaned.add(which);
      else changedMind.add(which);
    }),
  );
  // A delete with another policy takes the wish to orphan back, if it comes before the collector has acted on it.
  return { deleted, orphaned: orphaned.difference(changedMind) };
}

function survivors(core: ServerCore, namespace: string): Set<number> {
  const all = Array.from({ length: size }, (_, i) => i);
  return new Set(all.filter((i) => core.store.get(at(nameOf(i), namespace)) !== undefined));
}

interface Seen {
  readonly namespace: string;
  readonly before: ReadonlySet<number>;
  readonly deleted: ReadonlySet<number>;
  readonly orphaned: ReadonlySet<number>;
}

function judge(core: ServerCore, made: Family, seen: Seen): void {
  const alive = survivors(core, seen.namespace);
  for (const i of alive) {
    const { ownerReferences = [], deletionTimestamp } = objectAt(core, at(nameOf(i), seen.namespace))?.metadata ?? {};
    assert.equal(deletionTimestamp, undefined, `${nameOf(i)} waits for ever`);
    const isOwned = ownerReferences.some(({ name }) => alive.has(Number(name.slice(1))));
    assert.ok(ownerReferences.length === 0 || isOwned, `${nameOf(i)} has lost all its owners`);
  }
  for (const i of seen.before) {
    if (alive.has(i) || seen.deleted.has(i)) continue;
    const owners = (made.owners[i] ?? []).map(({ to }) => to);
    assert.ok(owners.length > 0, `${nameOf(i)} had no owner and is gone`);
    assert.ok(!owners.some((to) => alive.has(to)), `${nameOf(i)} is gone though an owner of it is there`);
    const isLeftBehind = owners.every((to) => seen.orphaned.has(to));
    assert.ok(!isLeftBehind, `${nameOf(i)} was to be left behind and is gone`);
  }
}
