import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { JsonObject, JsonSchema } from '../../schema/index.ts';
import { openAdmission } from '../admission/admission.ts';
import { until } from '../controllers/controller-fixture.ts';
import { type TemporaryServer, temporaryServer } from '../http/temporary-server.ts';
import type { KubeObject } from '../object.ts';
import { CommitGate } from '../store/commit-gate.ts';
import { type Converter, renameOnly } from './conversion.ts';
import { CrdLifecycle } from './crd-lifecycle.ts';
import { crdBucket } from './crd-object.ts';

const group = 'change.example.com';
const bucket = `${group}/gadgets`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definitionAt = `${definitions}/gadgets.${group}`;
const text: JsonSchema = { type: 'string' };

interface Version {
  readonly name: string;
  readonly storage?: boolean;
  readonly spec?: Record<string, JsonSchema>;
  readonly extra?: JsonObject;
}

function definition(...versions: Version[]): JsonObject {
  const made = versions.map(({ name, storage = false, spec = { a: text }, extra = {} }) => {
    const properties = { spec: { type: 'object', properties: spec as JsonObject } };
    return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties } }, ...extra };
  });
  const names = { plural: 'gadgets', kind: 'Gadget' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: made },
  };
}

const storedIn = (version: 'v1' | 'v2', v1?: Version['spec'], v2?: Version['spec']): JsonObject =>
  definition(
    { name: 'v1', storage: version === 'v1', ...(v1 === undefined ? {} : { spec: v1 }) },
    { name: 'v2', storage: version === 'v2', ...(v2 === undefined ? {} : { spec: v2 }) },
  );

const gadgetsAt = (version: string, name?: string): string =>
  `/apis/${group}/${version}/namespaces/default/gadgets${name === undefined ? '' : `/${name}`}`;

function gadget(version: string, name: string, spec: JsonObject = { a: 'x' }): JsonObject {
  return { apiVersion: `${group}/${version}`, kind: 'Gadget', metadata: { name }, spec };
}

interface Options {
  readonly converter?: Converter;
  readonly admission?: typeof openAdmission;
}

async function opened(t: TestContext, first: JsonObject, options: Options = {}): Promise<TemporaryServer> {
  const { admission = openAdmission, converter = renameOnly } = options;
  const server = await temporaryServer(t, { core: { admission } });
  const onFault = (error: unknown): never => {
    throw error;
  };
  const lifecycle = new CrdLifecycle({ core: server.core, converterFor: () => converter, onFault }).start();
  t.after(() => lifecycle.close());
  assert.equal((await server.request('POST', definitions, first)).code, 201);
  await until(() => server.core.registry.storage(bucket) !== undefined);
  return server;
}

async function redefine(server: TemporaryServer, next: JsonObject): Promise<number> {
  return (await server.patch(definitionAt, { spec: next.spec })).code;
}

describe('when the storage version of a definition changes', () => {
  it('what was written while it changed is read in the version that is asked for', async (t) => {
    const server = await opened(t, storedIn('v1'));
    const create = (n: number) => server.request('POST', gadgetsAt('v1'), gadget('v1', `g${n}`));
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const codes = await Promise.all([
      ...numbers.slice(0, 10).map(create),
      server.patch(definitionAt, { spec: storedIn('v2').spec }),
      ...numbers.slice(10).map(create),
    ]);
    assert.deepEqual([...new Set(codes.map(({ code }) => code))].sort(), [200, 201]);
    for (const version of ['v1', 'v2']) {
      const { object } = await server.request('GET', gadgetsAt(version));
      assert.equal(object.items.length, numbers.length);
      for (const item of object.items) assert.equal(item.apiVersion, `${group}/${version}`);
    }
  });

  it('a write that was on its way is done over by the new definition', async (t) => {
    const gate = Promise.withResolvers<void>();
    const seen: KubeObject[] = [];
    const admission = {
      ...openAdmission,
      isIdle: ({ resource }: { resource: string }) => resource !== 'gadgets',
      validate: async ({ object }: { object: KubeObject | undefined }) => {
        if (object !== undefined) seen.push(object);
        if (seen.length === 1) await gate.promise;
      },
    };
    const server = await opened(t, storedIn('v1', { a: text, gone: text }), { admission });
    const creating = server.request('POST', gadgetsAt('v1'), gadget('v1', 'one', { a: 'x', gone: 'y' }));
    await until(() => seen.length === 1);
    assert.equal(await redefine(server, storedIn('v2')), 200);
    gate.resolve();
    const created = await creating;
    assert.equal(created.code, 201);
    assert.match(created.headers.get('warning') ?? '', /unknown field \\"spec.gone\\"/);
    assert.deepEqual(created.object.spec, { a: 'x' });
    assert.equal(seen.length, 2);
    const [stored] = [...server.store.scan(bucket)];
    assert.equal((JSON.parse(stored?.json ?? '{}') as KubeObject).apiVersion, `${group}/v2`);
    assert.deepEqual(server.faults, []);
  });

  it('a write that changes nothing brings an object into it, once', async (t) => {
    const server = await opened(t, storedIn('v1'));
    await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one'));
    await redefine(server, storedIn('v2'));
    const before = (await server.request('GET', gadgetsAt('v2', 'one'))).object;
    const { object } = await server.request('PUT', gadgetsAt('v2', 'one'), before);
    assert.ok(Number(object.metadata.resourceVersion) > Number(before.metadata.resourceVersion));
    assert.equal(object.metadata.generation, 1);
    const [stored] = [...server.store.scan(bucket)];
    assert.equal((JSON.parse(stored?.json ?? '{}') as KubeObject).apiVersion, `${group}/v2`);
    const again = await server.request('PUT', gadgetsAt('v2', 'one'), object);
    assert.equal(again.object.metadata.resourceVersion, object.metadata.resourceVersion);
  });

  it('watches end, and go on under the new definition', async (t) => {
    const server = await opened(t, storedIn('v1'));
    const { object } = await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one'));
    const watch = await server.watch(`${gadgetsAt('v1')}?watch=1`);
    assert.equal((await watch.take(1)).length, 1);
    await redefine(server, storedIn('v2'));
    assert.deepEqual(await watch.take(1), []);
    const next = await server.watch(`${gadgetsAt('v1')}?watch=1&resourceVersion=${object.metadata.resourceVersion}`);
    await server.request('POST', gadgetsAt('v2'), gadget('v2', 'two'));
    const [event] = await next.take(1);
    assert.deepEqual([event?.type, event?.object.apiVersion], ['ADDED', `${group}/v1`]);
    await next.close();
  });
});

describe('when something else about a definition changes', () => {
  it('a write that changes nothing is not stored', async (t) => {
    const server = await opened(t, definition({ name: 'v1', storage: true }));
    const { object } = await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one'));
    const column = { name: 'A', type: 'string', jsonPath: '.spec.a' };
    await redefine(server, definition({ name: 'v1', storage: true, extra: { additionalPrinterColumns: [column] } }));
    const again = await server.request('PUT', gadgetsAt('v1', 'one'), object);
    assert.equal(again.object.metadata.resourceVersion, object.metadata.resourceVersion);
  });

  it('field selectors see the defaults it brings, in lists and in watches', async (t) => {
    const extra = { selectableFields: [{ jsonPath: '.spec.a' }] };
    const server = await opened(t, definition({ name: 'v1', storage: true, extra }));
    await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one', {}));
    await redefine(server, definition({ name: 'v1', storage: true, spec: { a: { ...text, default: 'red' } }, extra }));
    const red = await server.request('GET', `${gadgetsAt('v1')}?fieldSelector=spec.a%3Dred`);
    assert.deepEqual(
      red.object.items.map(({ spec }) => spec),
      [{ a: 'red' }],
    );
    const watch = await server.watch(`${gadgetsAt('v1')}?watch=1&fieldSelector=spec.a%3Dred`);
    assert.equal((await watch.take(1))[0]?.object.metadata.name, 'one');
    await watch.close();
  });
});

describe('an object', () => {
  it('is stored without what the storage version does not know', async (t) => {
    const server = await opened(t, storedIn('v2', { a: text, both: text }, { b: text, both: text }));
    await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one', { a: 'x', both: 'y' }));
    const [stored] = [...server.store.scan(bucket)];
    assert.deepEqual((JSON.parse(stored?.json ?? '{}') as KubeObject).spec, { both: 'y' });
  });

  it('of a definition with unknown keywords is one without them, and a warning says so', async (t) => {
    const spec = { a: { type: 'string', colour: 'red' } as JsonSchema };
    const made = definition({ name: 'v1', storage: true, spec });
    const server = await temporaryServer(t);
    const created = await server.request('POST', definitions, made);
    const path = 'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.a.colour';
    assert.equal(created.headers.get('warning'), `299 - "unknown field \\"${path}\\""`);
    assert.ok(!created.text.includes('colour'));
    const refused = await server.request('POST', `${definitions}?fieldValidation=Strict`, made);
    assert.equal(refused.code, 400);
  });

  it('is selected by what a conversion that takes time makes of it, in order', async (t) => {
    const extra = { selectableFields: [{ jsonPath: '.spec.b' }] };
    const converter: Converter = {
      convert: async (objects, apiVersion) => {
        await setImmediate();
        return objects.map((object) => {
          const { a, b } = object.spec as { a?: string; b?: string };
          const value = a ?? b ?? '';
          const spec = apiVersion.endsWith('v2') ? { b: value } : { a: value };
          return { ...object, apiVersion, spec };
        });
      },
    };
    const versions = [
      { name: 'v1', storage: true },
      { name: 'v2', spec: { b: text }, extra },
    ];
    const server = await opened(t, definition(...versions), { converter });
    const put = (name: string, a: string) => server.request('POST', gadgetsAt('v1'), gadget('v1', name, { a }));
    await put('one', 'red');
    await put('two', 'blue');
    const selected = `${gadgetsAt('v2')}?fieldSelector=spec.b%3Dred`;
    const { object } = await server.request('GET', `${selected}&limit=1`);
    assert.deepEqual(
      object.items.map((item) => [item.metadata.name, item.spec]),
      [['one', { b: 'red' }]],
    );
    const watch = await server.watch(`${selected}&watch=1`);
    await server.patch(gadgetsAt('v1', 'one'), { spec: { a: 'blue' } });
    await server.patch(gadgetsAt('v1', 'two'), { spec: { a: 'red' } });
    const events = await watch.take(3);
    assert.deepEqual(
      events.map(({ type, object: shown }) => `${type} ${shown.metadata.name ?? ''}`),
      ['ADDED one', 'DELETED one', 'ADDED two'],
    );
    await watch.close();
  });
});

describe('when a definition goes', () => {
  it('whoever watches its objects sees them go, and then the watch ends', async (t) => {
    const server = await opened(t, storedIn('v1'));
    await server.request('POST', gadgetsAt('v1'), gadget('v1', 'one'));
    const watch = await server.watch(`${gadgetsAt('v1')}?watch=1`);
    await watch.take(1);
    await server.request('DELETE', definitionAt);
    assert.deepEqual(
      (await watch.take(2)).map(({ type }) => type),
      ['DELETED'],
    );
    assert.equal((await server.request('GET', definitionAt)).code, 404);
  });

  it('objects that are being created meanwhile go as well', async (t) => {
    const server = await opened(t, storedIn('v1'));
    for (let round = 0; round < 10; round++) {
      const create = (n: number) => server.request('POST', gadgetsAt('v1'), gadget('v1', `g${n}`));
      await Promise.all([server.request('DELETE', definitionAt), ...Array.from({ length: 8 }, (_, n) => create(n))]);
      await until(() => server.store.count(crdBucket) === 0);
      assert.equal(server.store.count(bucket), 0);
      await server.request('POST', definitions, storedIn('v1'));
      await until(() => server.core.registry.storage(bucket) !== undefined);
    }
  });

  it('an object goes as well whose creation was accepted before and reaches the disk after', async (t) => {
    const server = await opened(t, storedIn('v1'));
    await until(() => server.store.stats().pendingWrites === 0);
    const gate = new CommitGate(t);
    const key = { bucket, namespace: 'default', name: 'late' };
    const definitionKey = { bucket: crdBucket, namespace: '', name: `gadgets.${group}` };
    const deleting = server.request('DELETE', definitionAt);
    const isMarked = () => server.store.head(definitionKey)?.json.includes('deletionTimestamp') === true;
    await until(isMarked);
    await gate.part();
    const creating = server.request('POST', gadgetsAt('v1'), gadget('v1', 'late'));
    await until(() => server.store.head(key) !== undefined);
    assert.equal(await gate.pass(), 1);
    assert.equal((await deleting).code, 200);
    while (server.store.get(definitionKey) !== undefined) await gate.passAll();
    await gate.passAll();
    assert.equal((await creating).code, 201);
    assert.equal(server.store.get(key), undefined);
  });

  it('its objects are looked through a few times, not once for each of them', async (t) => {
    const server = await opened(t, storedIn('v1'));
    const names = Array.from({ length: 300 }, (_, n) => `g${n}`);
    await Promise.all(names.map((name) => server.request('POST', gadgetsAt('v1'), gadget('v1', name))));
    const scan = t.mock.method(server.store, 'scan');
    await server.request('DELETE', definitionAt);
    await until(() => server.store.count(crdBucket) === 0);
    const scans = scan.mock.calls.filter(({ arguments: [asked] }) => asked === bucket);
    assert.ok(scans.length < 20, `${scans.length} times`);
  });
});
