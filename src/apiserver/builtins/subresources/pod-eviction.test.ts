import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  changeObject,
  makeNamespaces,
  makeObject,
  objectAt,
  openCore,
  until,
} from '../../controllers/controller-fixture.ts';
import { DisruptionController } from '../../controllers/disruption-controller.ts';
import { EveryBucket } from '../../controllers/every-bucket.ts';
import type { ServerCore } from '../../core.ts';
import { systemContext } from '../../handlers/system-context.ts';
import type { KubeObject } from '../../object.ts';
import { ApiError } from '../../status.ts';
import type { Key } from '../../store/store.ts';
import { temporaryDirectory } from '../../store/temporary-store.ts';
import { budgetBucket, type PodDisruptionBudget } from '../pod-disruption-budgets.ts';
import { type Pod, podBucket } from '../pod-object.ts';
import { podEviction } from './pod-eviction.ts';

const podAt = (name: string): Key => ({ bucket: podBucket, namespace: 'a', name });
const budgetAt: Key = { bucket: budgetBucket, namespace: 'a', name: 'keep' };

async function begin(t: TestContext): Promise<ServerCore> {
  const core = await openCore(temporaryDirectory(t));
  await makeNamespaces(core, 'a');
  const controller = new DisruptionController(core, (error) => {
    throw error;
  });
  const buckets = new EveryBucket(core.store, core.registry);
  controller.start(buckets);
  buckets.start();
  t.after(async () => {
    buckets.close();
    await controller.close();
    await core.store.close();
  });
  return core;
}

async function makePod(core: ServerCore, name: string): Promise<void> {
  const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'example.com/app:1' }] };
  const metadata = { name, namespace: 'a', labels: { app: 'x' } };
  await makeObject(core, podBucket, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const edit = (pod: Pod): KubeObject => ({ ...pod, status: { ...pod.status, phase: 'Running', conditions } });
  await changeObject(core, podAt(name), { subresource: 'status', edit });
}

async function makeBudget(core: ServerCore, minAvailable: number): Promise<void> {
  const spec = { minAvailable, selector: { matchLabels: { app: 'x' } } };
  const metadata = { name: 'keep', namespace: 'a' };
  await makeObject(core, budgetBucket, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec });
}

function budget(core: ServerCore): NonNullable<PodDisruptionBudget['status']> {
  return (objectAt(core, budgetAt) as PodDisruptionBudget).status ?? {};
}

function evict(core: ServerCore, name: string) {
  const served = core.registry.storage(podBucket);
  assert.ok(served !== undefined);
  const context = systemContext(core, served, { verb: 'create', namespace: 'a', name, subresource: 'eviction' });
  return podEviction(core).handle(context, { metadata: { name } });
}

const isTooMany = (error: unknown): boolean => error instanceof ApiError && error.code === 429;

describe('an eviction', () => {
  it('is allowed as often as the budget allows, and again when a pod takes the place', async (t) => {
    const core = await begin(t);
    for (const name of ['p1', 'p2', 'p3']) await makePod(core, name);
    await makeBudget(core, 2);
    await until(() => budget(core).disruptionsAllowed === 1 && budget(core).currentHealthy === 3);
    await evict(core, 'p1');
    assert.notEqual(objectAt(core, podAt('p1'))?.metadata.deletionTimestamp, undefined);
    await assert.rejects(evict(core, 'p2'), isTooMany);
    await makePod(core, 'p4');
    await until(() => budget(core).disruptionsAllowed === 1 && budget(core).currentHealthy === 3);
    await evict(core, 'p2');
    assert.notEqual(objectAt(core, podAt('p2'))?.metadata.deletionTimestamp, undefined);
  });

  it('never takes more than the budget allows, however many ask at once', async (t) => {
    const core = await begin(t);
    const names = ['p1', 'p2', 'p3', 'p4', 'p5'];
    for (const name of names) await makePod(core, name);
    await makeBudget(core, 3);
    await until(() => budget(core).disruptionsAllowed === 2 && budget(core).currentHealthy === 5);
    const results = await Promise.allSettled(names.map((name) => evict(core, name)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2);
    for (const result of results) if (result.status === 'rejected') assert.ok(isTooMany(result.reason));
  });

  it('is refused while the numbers of the budget are not those of its spec', async (t) => {
    const core = await openCore(temporaryDirectory(t));
    t.after(() => core.store.close());
    await makeNamespaces(core, 'a');
    await makePod(core, 'p1');
    await makeBudget(core, 0);
    await assert.rejects(evict(core, 'p1'), /would violate/);
  });
});
