import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { liveUpdate, updatesWith } from './host-actions.ts';

const bios = { component: 'bios', url: 'http://images/bios-2' };
const bmc = { component: 'bmc', url: 'http://images/bmc-7' };
const where = { namespace: 'fleet', name: 'a' };

test('an update joins those that wait, and takes the place of one of the same component', () => {
  assert.deepEqual(updatesWith([], bmc), [bmc]);
  assert.deepEqual(updatesWith([bios], bmc), [bios, bmc]);
  const newer = { ...bios, url: 'http://images/bios-3' };
  assert.deepEqual(updatesWith([bios, bmc], newer), [newer, bmc]);
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A server with one host; whoever is told of a question may change what it has before it is answered. */
function serverWith(t: TestContext, tell: (asked: Asked, components: Components) => void) {
  const components: Components = { metadata: { name: 'a', resourceVersion: '1' }, spec: { updates: [bios] } };
  const asked: Asked[] = [];
  const host = {
    metadata: { name: 'a' },
    status: { conditions: [{ type: 'LiveUpdates', status: 'True', reason: 'Waiting', message: 'bmc waits' }] },
  };
  t.mock.method(globalThis, 'fetch', async (url: string, { method, body }: { method: string; body?: string }) => {
    const question = { method, path: url.replace(/\?.*/, ''), body: body === undefined ? undefined : JSON.parse(body) };
    asked.push(question);
    tell(question, components);
    if (question.path.includes('hostupdatepolicies')) {
      return Response.json({ metadata: { name: 'a' }, spec: { firmwareUpdates: 'onReboot' } });
    }
    if (!question.path.includes('hostfirmwarecomponents')) return Response.json(host);
    if (method === 'GET') return Response.json(components);
    const patch = question.body as { metadata?: { resourceVersion: string }; spec: Components['spec'] };
    if (patch.metadata?.resourceVersion !== components.metadata.resourceVersion) {
      return Response.json({ message: 'the object has been modified' }, { status: 409 });
    }
    components.spec = patch.spec;
    return Response.json(components);
  });
  return { components, asked };
}

interface Components {
  readonly metadata: { readonly name: string; resourceVersion: string };
  spec: { updates: readonly object[] };
}

test('a live update of one component keeps the update of another that waits', async (t) => {
  const { components, asked } = serverWith(t, () => undefined);
  await liveUpdate(where, { kind: 'firmware', ...bmc });
  assert.deepEqual(components.spec.updates, [bios, bmc]);
  assert.equal(asked.filter(({ path, method }) => path.endsWith('baremetalhosts/a') && method === 'PATCH').length, 1);
});

test('what somebody else wants meanwhile is kept too', async (t) => {
  const card = { component: 'nic:eno1', url: 'http://images/nic-1' };
  let isFirst = true;
  const { components } = serverWith(t, ({ method, path }, now) => {
    if (!isFirst || method !== 'PATCH' || !path.includes('hostfirmwarecomponents')) return;
    isFirst = false;
    now.metadata.resourceVersion = '2';
    now.spec = { updates: [bios, card] };
  });
  await liveUpdate(where, { kind: 'firmware', ...bmc });
  assert.deepEqual(components.spec.updates, [bios, card, bmc]);
});
