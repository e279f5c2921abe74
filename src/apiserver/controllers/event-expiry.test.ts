import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import type { ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { Key } from '../store/store.ts';
import { temporaryDirectory } from '../store/temporary-store.ts';
import { changeObject, makeNamespaces, makeObject, openCore, until } from './controller-fixture.ts';
import { EventExpiry } from './event-expiry.ts';

const hour = 3_600_000;
const at = (name: string): Key => ({ bucket: '/events', namespace: 'default', name });

function event(name: string): KubeObject {
  const involvedObject = { kind: 'Node', name: 'n1' };
  return { apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'default' }, involvedObject, count: 1 };
}

async function opened(t: TestContext): Promise<{ core: ServerCore; clock: FakeClock }> {
  const clock = createFakeClock();
  const core = await openCore(temporaryDirectory(t), () => new Date(clock.now()));
  await makeNamespaces(core, 'default');
  t.after(() => core.store.close());
  return { core, clock };
}

function begin(core: ServerCore, clock: FakeClock): EventExpiry {
  const onFault = (error: unknown): never => {
    throw error;
  };
  const expiry = new EventExpiry({ core, clock, ttlMs: hour, onFault });
  expiry.start();
  return expiry;
}

describe('events', () => {
  it('go an hour after they were last written, the others stay', async (t) => {
    const { core, clock } = await opened(t);
    const expiry = begin(core, clock);
    t.after(() => expiry.close());
    await makeObject(core, '/events', event('old'));
    await makeObject(core, '/events', event('renewed'));
    clock.advance(hour / 2);
    await changeObject(core, at('renewed'), { edit: (live) => ({ ...live, count: 2 }) });
    clock.advance(hour / 2);
    await until(() => core.store.get(at('old')) === undefined);
    assert.notEqual(core.store.get(at('renewed')), undefined);
    clock.advance(hour / 2);
    await until(() => core.store.get(at('renewed')) === undefined);
  });

  it('that were there before a start go by the times they carry', async (t) => {
    const { core, clock } = await opened(t);
    await makeObject(core, '/events', event('first'));
    clock.advance(hour / 2);
    await makeObject(core, '/events', event('second'));
    const expiry = begin(core, clock);
    t.after(() => expiry.close());
    clock.advance(hour / 2 + 1000);
    await until(() => core.store.get(at('first')) === undefined);
    assert.notEqual(core.store.get(at('second')), undefined);
  });
});
