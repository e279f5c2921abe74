import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isNotFound, KubeError } from '../errors.ts';
import type { AnyKubeObject } from '../object.ts';
import { applyObject } from './apply-object.ts';
import { createClientOver } from './client.ts';
import { createResourceMapper } from './discovery.ts';
import type { TransportRequest } from './transport.ts';

const verbs = ['get', 'list'];
const widget = {
  singularName: 'widget',
  namespaced: true,
  kind: 'Widget',
  verbs,
  shortNames: ['wd'],
  categories: ['all'],
};

/** A server of before aggregated discovery. */
const old: Record<string, object> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'example.com', versions: [{ groupVersion: 'example.com/v2' }, { groupVersion: 'example.com/v1' }] },
      { name: 'away.io', versions: [{ groupVersion: 'away.io/v1' }] },
    ],
  },
  '/api/v1': {
    resources: [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'Node', verbs },
      { name: 'events', singularName: 'event', namespaced: true, kind: 'Event', verbs, shortNames: ['ev'] },
    ],
  },
  '/apis/example.com/v2': {
    resources: [
      { ...widget, name: 'widgets' },
      { ...widget, name: 'widgets/status' },
    ],
  },
  '/apis/example.com/v1': {
    resources: [
      { ...widget, name: 'widgets' },
      { ...widget, name: 'events', singularName: 'event', kind: 'Event', shortNames: [] },
      { ...widget, name: 'olds', singularName: 'old', kind: 'Old', shortNames: [] },
    ],
  },
};

function setUp(answers: Record<string, object> = old) {
  const sent: TransportRequest[] = [];
  const client = createClientOver(
    {
      async send(request) {
        sent.push(request);
        const answer = request.method === 'GET' ? answers[request.path] : {};
        const code = request.path.startsWith('/apis/away') ? 503 : answer === undefined ? 404 : 200;
        const text = JSON.stringify(answer ?? { kind: 'Status', code });
        return { status: code, headers: {}, body: (async function* () {})(), text: async () => text };
      },
      close: async () => {},
    },
    { server: 'test', namespace: 'lab' },
  );
  return { client, sent, mapper: createResourceMapper(client) };
}

describe('a resource mapper', () => {
  test('reads discovery of older servers, also while a group is away', async () => {
    const { mapper } = setUp();
    const found = await mapper.byName('wd');
    assert.deepEqual([found.group, found.version, found.isPreferred], ['example.com', 'v2', true]);
    assert.deepEqual(found.subresources, ['status']);
    assert.equal((await mapper.byName('node')).singular, 'node');
    assert.equal((await mapper.byKind('example.com/v1', 'Widget')).version, 'v1');
    assert.equal((await mapper.byName('widgets.v1.example.com')).version, 'v1');
    assert.equal((await mapper.byName('olds')).version, 'v1');
  });

  test('prefers the core group, and takes the group that is named', async () => {
    const { mapper } = setUp();
    assert.equal((await mapper.byName('events')).group, '');
    assert.equal((await mapper.byName('events.example.com')).group, 'example.com');
  });

  test('looks again before it says that something is not served', async () => {
    const answers = { ...old };
    const { mapper, sent } = setUp(answers);
    await mapper.byName('nodes');
    await assert.rejects(
      mapper.byName('gadgets'),
      (error) => isNotFound(error) && /resource type "gadgets"/.test(error.message),
    );
    answers['/api/v1'] = { resources: [{ ...widget, name: 'gadgets', kind: 'Gadget' }] };
    assert.equal((await mapper.byName('gadgets')).kind, 'Gadget');
    const before = sent.length;
    await mapper.byName('gadgets');
    assert.equal(sent.length, before);
  });

  test('a failed read is not remembered', async () => {
    const answers: Record<string, object> = {};
    const { mapper } = setUp(answers);
    await assert.rejects(mapper.all(), (error) => error instanceof KubeError);
    Object.assign(answers, old);
    assert.ok((await mapper.all()).length > 0);
  });
});

describe('applying any object', () => {
  test('puts a namespaced one into the namespace of the connection, and leaves a cluster-scoped one alone', async () => {
    const { client, mapper, sent } = setUp();
    const apply = (object: AnyKubeObject) => applyObject(client, mapper, object, { fieldManager: 'me' });
    await apply({ apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } });
    assert.equal(sent.at(-1)?.path, '/apis/example.com/v2/namespaces/lab/widgets/w?fieldManager=me');
    assert.equal(JSON.parse(sent.at(-1)?.body ?? '').metadata.namespace, 'lab');
    await apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    assert.equal(sent.at(-1)?.path, '/api/v1/nodes/n?fieldManager=me');
    await assert.rejects(
      apply({ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'n' } }),
      /no matches for kind "Nothing" in version "v1"/,
    );
    await assert.rejects(apply({ kind: 'Node' }), /needs apiVersion, kind and metadata.name/);
  });
});
