import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  changeObject,
  makeNamespaces,
  makeObject,
  objectAt,
  openCore,
  removeObject,
  until,
} from '../controllers/controller-fixture.ts';
import type { ServerCore } from '../core.ts';
import type { KubeObject } from '../object.ts';
import type { Key } from '../store/store.ts';
import { temporaryDirectory } from '../store/temporary-store.ts';
import { renameOnly } from './conversion.ts';
import { CrdLifecycle } from './crd-lifecycle.ts';
import { type Crd, crdBucket } from './crd-object.ts';

interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly shortNames?: string[];
}

const group = 'example.com';
const definitionAt = (plural: string): Key => ({ bucket: crdBucket, namespace: '', name: `${plural}.${group}` });
const widgetAt = (name: string): Key => ({ bucket: `${group}/widgets`, namespace: 'default', name });

function definition(names: Names = { plural: 'widgets', kind: 'Widget' }): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const metadata = { name: `${names.plural}.${group}` };
  const spec = { group, names, scope: 'Namespaced', versions };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
}

function widget(name: string, finalizers?: string[]): KubeObject {
  const metadata = { name, namespace: 'default', ...(finalizers === undefined ? {} : { finalizers }) };
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata };
}

const fail = (error: unknown): never => {
  throw error;
};

function begin(core: ServerCore): { close(): void } {
  return new CrdLifecycle({ core, converterFor: () => renameOnly, onFault: fail }).start();
}

async function opened(t: TestContext): Promise<ServerCore> {
  const core = await openCore(temporaryDirectory(t));
  await makeNamespaces(core, 'default');
  t.after(() => core.store.close());
  return core;
}

function conditionOf(core: ServerCore, plural: string, type: string) {
  const crd = objectAt(core, definitionAt(plural)) as unknown as Crd | undefined;
  return crd?.status?.conditions?.find((condition) => condition.type === type);
}

const isServed = (core: ServerCore, plural: string): boolean => core.registry.find(group, 'v1', plural) !== undefined;

describe('a definition', () => {
  it('is served once its names are accepted, and again after a restart', async (t) => {
    const core = await opened(t);
    const first = begin(core);
    await makeObject(core, crdBucket, definition());
    await until(() => conditionOf(core, 'widgets', 'Established')?.status === 'True');
    assert.ok(isServed(core, 'widgets'));
    first.close();
    core.registry.remove(group, 'widgets');
    begin(core).close();
    assert.ok(isServed(core, 'widgets'));
  });

  it('waits for a name that another one has, and gets it when that one goes', async (t) => {
    const core = await opened(t);
    const lifecycle = begin(core);
    t.after(() => lifecycle.close());
    await makeObject(core, crdBucket, definition());
    await until(() => isServed(core, 'widgets') && conditionOf(core, 'widgets', 'Established') !== undefined);
    await makeObject(core, crdBucket, definition({ plural: 'others', kind: 'Widget' }));
    await until(() => conditionOf(core, 'others', 'NamesAccepted')?.reason === 'ListKindConflict');
    assert.ok(!isServed(core, 'others'));
    await removeObject(core, definitionAt('widgets'));
    await until(() => conditionOf(core, 'others', 'Established')?.status === 'True');
    assert.ok(isServed(core, 'others'));
    assert.ok(!isServed(core, 'widgets'));
  });

  it('goes after its objects, which go after their finalizers', async (t) => {
    const core = await opened(t);
    const lifecycle = begin(core);
    t.after(() => lifecycle.close());
    await makeObject(core, crdBucket, definition());
    await until(() => isServed(core, 'widgets'));
    await makeObject(core, `${group}/widgets`, widget('free'));
    await makeObject(core, `${group}/widgets`, widget('held', ['example.com/hold']));
    await removeObject(core, definitionAt('widgets'));
    await until(() => core.store.get(widgetAt('free')) === undefined);
    await until(() => objectAt(core, widgetAt('held'))?.metadata.deletionTimestamp !== undefined);
    assert.notEqual(core.store.get(definitionAt('widgets')), undefined);
    await assert.rejects(makeObject(core, `${group}/widgets`, widget('late')), /is terminating/);
    await changeObject(core, widgetAt('held'), {
      edit: ({ metadata: { finalizers: _gone, ...metadata }, ...rest }) => ({ ...rest, metadata }),
    });
    await until(() => core.store.get(definitionAt('widgets')) === undefined);
    await until(() => !isServed(core, 'widgets'));
  });

  it('is cleaned up by the next server when this one stops in the middle', async (t) => {
    const core = await opened(t);
    const first = begin(core);
    await makeObject(core, crdBucket, definition());
    await until(() => isServed(core, 'widgets'));
    await makeObject(core, `${group}/widgets`, widget('held', ['example.com/hold']));
    await removeObject(core, definitionAt('widgets'));
    await until(() => objectAt(core, widgetAt('held'))?.metadata.deletionTimestamp !== undefined);
    first.close();
    await changeObject(core, widgetAt('held'), {
      edit: ({ metadata: { finalizers: _gone, ...metadata }, ...rest }) => ({ ...rest, metadata }),
    });
    assert.notEqual(core.store.get(definitionAt('widgets')), undefined);
    const lifecycle = begin(core);
    t.after(() => lifecycle.close());
    await until(() => core.store.get(definitionAt('widgets')) === undefined);
  });
});
