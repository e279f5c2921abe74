import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import type { Node } from '../builtins/nodes.ts';
import type { ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { Key } from '../store/store.ts';
import { temporaryDirectory } from '../store/temporary-store.ts';
import { changeObject, makeNamespaces, makeObject, objectAt, openCore, until } from './controller-fixture.ts';
import { EveryBucket } from './every-bucket.ts';
import { NodeLifecycle } from './node-lifecycle.ts';

const graceMs = 40_000;
const at = (name: string): Key => ({ bucket: '/nodes', namespace: '', name });
const leaseAt = (name: string): Key => ({ bucket: 'coordination.k8s.io/leases', namespace: 'kube-node-lease', name });

async function opened(t: TestContext): Promise<{ core: ServerCore; clock: FakeClock }> {
  const clock = createFakeClock();
  const core = await openCore(temporaryDirectory(t), () => new Date(clock.now()));
  await makeNamespaces(core, 'kube-node-lease');
  t.after(() => core.store.close());
  return { core, clock };
}

function begin(t: TestContext, core: ServerCore, clock: FakeClock): void {
  const onFault = (error: unknown): never => {
    throw error;
  };
  const lifecycle = new NodeLifecycle({ core, clock, graceMs, onFault });
  const buckets = new EveryBucket(core.store, core.registry);
  lifecycle.start(buckets);
  buckets.start();
  t.after(() => buckets.close());
  t.after(() => lifecycle.close());
}

const heartbeat = (clock: FakeClock) => (node: KubeObject) => {
  const lastHeartbeatTime = new Date(clock.now()).toISOString();
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastHeartbeatTime }];
  return { ...node, status: { ...(node as Node).status, conditions } } as KubeObject;
};

async function putNode(core: ServerCore, clock: FakeClock, name: string): Promise<void> {
  await makeObject(core, '/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  await changeObject(core, at(name), { subresource: 'status', edit: heartbeat(clock) });
}

function readyOf(core: ServerCore, name: string) {
  return (objectAt(core, at(name)) as Node | undefined)?.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Lets time pass in small steps, each of which is worked through. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    clock.advance(5_000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('nodes', () => {
  it('are not known to be ready any more once their kubelet is silent, and are again when it is not', async (t) => {
    const { core, clock } = await opened(t);
    begin(t, core, clock);
    await putNode(core, clock, 'dead');
    await putNode(core, clock, 'alive');
    for (let beat = 0; beat < 5; beat++) {
      await pass(clock, 10_000);
      await changeObject(core, at('alive'), { subresource: 'status', edit: heartbeat(clock) });
    }
    await until(() => readyOf(core, 'dead')?.status === 'Unknown');
    assert.equal(readyOf(core, 'dead')?.reason, 'NodeStatusUnknown');
    assert.equal(readyOf(core, 'alive')?.status, 'True');
    await changeObject(core, at('dead'), { subresource: 'status', edit: heartbeat(clock) });
    assert.equal(readyOf(core, 'dead')?.status, 'True');
    await pass(clock, 30_000);
    assert.equal(readyOf(core, 'dead')?.status, 'True', 'it is given the whole time again');
    await pass(clock, 20_000);
    await until(() => readyOf(core, 'dead')?.status === 'Unknown');
  });

  it('stay ready as long as their Lease is renewed', async (t) => {
    const { core, clock } = await opened(t);
    begin(t, core, clock);
    await putNode(core, clock, 'leased');
    const spec = { holderIdentity: 'leased', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' };
    const metadata = { namespace: 'kube-node-lease', name: 'leased' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec } as KubeObject;
    await makeObject(core, 'coordination.k8s.io/leases', lease);
    for (let beat = 0; beat < 6; beat++) {
      await pass(clock, 10_000);
      const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
      const edit = (live: KubeObject) => ({ ...live, spec: { ...spec, renewTime } }) as KubeObject;
      await changeObject(core, leaseAt('leased'), { edit });
    }
    assert.equal(readyOf(core, 'leased')?.status, 'True');
    await pass(clock, 50_000);
    await until(() => readyOf(core, 'leased')?.status === 'Unknown');
  });

  it('that no kubelet ever told of are not known to be ready either', async (t) => {
    const { core, clock } = await opened(t);
    await makeObject(core, '/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'made' } });
    begin(t, core, clock);
    await pass(clock, 50_000);
    await until(() => readyOf(core, 'made')?.reason === 'NodeStatusNeverUpdated');
  });
});
