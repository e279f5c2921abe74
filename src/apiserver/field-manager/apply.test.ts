import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Json, JsonObject } from '../../schema/index.ts';
import { asJson } from '../object.ts';
import { ApiError } from '../status.ts';
import { createFieldManager } from './field-manager.ts';
import { equalIgnoringManagedFieldsTimestamps } from './same-object.ts';
import { WidgetUnderTest, widget, widgetFieldManager, widgetSchema } from './widget-fixture.ts';

function refused(act: () => unknown): ApiError['status'] {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  assert.fail('nothing was refused');
}

test('an applier owns the fields it applies, without the structs around them', () => {
  const it = new WidgetUnderTest();
  it.apply(
    'alice',
    widget({ color: 'red', nested: { a: '1' }, labels: { p: 'q' }, items: [{ name: 'a', value: '1' }] }),
  );
  assert.deepEqual(it.owners, {
    'alice Apply': {
      'f:spec': {
        'f:color': {},
        'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
        'f:labels': { 'f:p': {} },
        'f:nested': { 'f:a': {} },
      },
    },
  });
});

test('what is not applied any more goes, unless somebody else owns it', () => {
  const it = new WidgetUnderTest();
  it.apply(
    'alice',
    widget({
      color: 'red',
      size: 1,
      tags: ['a', 'b'],
      items: [{ name: 'a', value: '1' }, { name: 'b' }],
      labels: { p: '1' },
    }),
  );
  it.apply('bob', widget({ size: 1, tags: ['b'], items: [{ name: 'a', note: 'mine' }] }));
  it.apply('alice', widget({ color: 'red' }));
  assert.deepEqual(it.live?.spec, { color: 'red', size: 1, tags: ['b'], items: [{ name: 'a', note: 'mine' }] });
});

test('fields of updaters survive an applier that lets go of them', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }));
  it.apply('bob', widget({ color: 'red' }));
  it.apply('bob', widget({}));
  assert.deepEqual(it.live?.spec, { color: 'red' });
});

test('changing what another owns is a conflict that names the owner and the field', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }));
  const status = refused(() => it.apply('bob', widget({ color: 'blue' })));
  assert.deepEqual(status, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "alice" using example.com/v1: .spec.color',
    details: {
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "alice" using example.com/v1', field: '.spec.color' },
      ],
    },
  });
});

test('several conflicts are listed by owner', () => {
  const it = new WidgetUnderTest();
  it.apply('zoe', widget({ items: [{ name: 'a', value: '1' }] }));
  it.update('alice', {
    ...asJson(it.live as never),
    spec: { items: [{ name: 'a', value: '1' }], color: 'red', size: 1 },
  });
  const status = refused(() => it.apply('bob', widget({ color: 'blue', size: 2, items: [{ name: 'a', value: '2' }] })));
  assert.equal(
    status.message,
    'Apply failed with 3 conflicts: conflicts with "alice" using example.com/v1:\n- .spec.color\n- .spec.size\nconflicts with "zoe":\n- .spec.items[name="a"].value',
  );
  assert.equal(status.details?.causes?.length, 3);
});

test('a conflict with the status endpoint says so', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({}));
  it.update('alice', widget({}, { status: { phase: 'A' } }), 'status');
  const status = refused(() => it.apply('bob', widget({}, { status: { phase: 'B' } }), { subresource: 'status' }));
  assert.equal(
    status.message,
    'Apply failed with 1 conflict: conflict with "alice" with subresource "status" using example.com/v1: .status.phase',
  );
});

test('force takes the field away from its owner', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }));
  it.apply('bob', widget({ color: 'blue' }), { force: true });
  assert.deepEqual(it.live?.spec, { color: 'blue' });
  assert.deepEqual(it.owners, { 'bob Apply': { 'f:spec': { 'f:color': {} } }, 'alice Update': { 'f:spec': {} } });
});

test('applying the same value shares the field instead of conflicting', () => {
  const it = new WidgetUnderTest();
  it.apply('alice', widget({ color: 'red' }));
  it.apply('bob', widget({ color: 'red' }));
  assert.deepEqual(it.owners['bob Apply'], { 'f:spec': { 'f:color': {} } });
  assert.equal(it.timeOf('bob Apply'), undefined, 'the object did not change, so there is no time of change');
});

test('an object nobody tracked gets before-first-apply as owner of all it had', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red', size: 1 }));
  it.update('alice', widget({ color: 'red', size: 1 }, { metadata: { managedFields: [{}] } }));
  it.apply('bob', widget({ size: 1 }));
  assert.deepEqual(it.owners, {
    'bob Apply': { 'f:spec': { 'f:size': {} } },
    'before-first-apply Update': { 'f:spec': { '.': {}, 'f:color': {}, 'f:size': {} } },
  });
});

test('applied list items follow the order of the applier, the others stay where they were', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }] }));
  it.apply('bob', widget({ items: [{ name: 'd' }, { name: 'b' }, { name: 'new' }] }));
  const { items } = { items: [], ...(it.live?.spec as { items: { name: string }[] } | undefined) };
  const names = items.map(({ name }) => name);
  assert.deepEqual(names, ['a', 'c', 'd', 'b', 'new']);
});

test('granular fields that became atomic are owned whole', () => {
  const it = new WidgetUnderTest();
  it.apply('alice', widget({ labels: { p: '1' } }));
  const atomic = structuredClone(widgetSchema);
  const labels = atomic.properties?.spec?.properties?.labels;
  assert.ok(labels);
  labels['x-kubernetes-map-type'] = 'atomic';
  const fields = createFieldManager({
    schema: atomic,
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    hasStatusSubresource: true,
  });
  const next = { ...it.live, spec: { labels: { p: '1' }, color: 'red' } } as never;
  const entries = fields.update({ live: it.live, next, manager: 'bob', subresource: '', now: new Date(0) });
  assert.deepEqual(
    entries.map((entry) => entry.fieldsV1),
    [{ 'f:spec': { 'f:labels': {} } }, { 'f:spec': { 'f:color': {} } }],
  );
});

const where = 'failed to create typed patch object (default/w; example.com/v1, Kind=Widget): ';
const badPatches: { title: string; patch: JsonObject; code: number; message: string }[] = [
  {
    title: 'an unknown field',
    patch: widget({ nope: 1 }),
    code: 500,
    message: `${where}.spec.nope: field not declared in schema`,
  },
  {
    title: 'a number for a string',
    patch: widget({ color: 5 }),
    code: 500,
    message: `${where}.spec.color: expected string, got &value.valueUnstructured{Value:5}`,
  },
  {
    title: 'a string for a number',
    patch: widget({ size: 'x' }),
    code: 500,
    message: `${where}.spec.size: expected numeric (int or float), got string`,
  },
  {
    title: 'a map for a boolean',
    patch: widget({ isBig: { a: 1 } }),
    code: 500,
    message: `${where}.spec.isBig: expected boolean, got &{map[a:1]}`,
  },
  {
    title: 'a string for a list',
    patch: widget({ list: 'x' }),
    code: 500,
    message: `${where}.spec.list: expected list, got &{x}`,
  },
  {
    title: 'a list for a map',
    patch: widget({ labels: [1] }),
    code: 500,
    message: `${where}.spec.labels: expected map, got &{[1]}`,
  },
  {
    title: 'a set with an item twice',
    patch: widget({ tags: ['a', 'a'] }),
    code: 500,
    message: `${where}.spec.tags: duplicate entries for key [="a"]`,
  },
  {
    title: 'two ports alike once the default is known',
    patch: widget({ ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }),
    code: 500,
    message: `${where}.spec.ports: duplicate entries for key [port=1,protocol="TCP"]`,
  },
  {
    title: 'an item without its key',
    patch: widget({ items: [{ value: 'x' }] }),
    code: 500,
    message: `${where}.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
  },
  {
    title: 'two mistakes',
    patch: widget({ color: 1, size: 'x' }),
    code: 500,
    message: `${where}errors:\n  .spec.color: expected string, got &value.valueUnstructured{Value:1}\n  .spec.size: expected numeric (int or float), got string`,
  },
  {
    title: 'managedFields in the patch',
    patch: widget({}, { metadata: { managedFields: [] } }),
    code: 400,
    message: 'metadata.managedFields must be nil',
  },
  {
    title: 'another kind',
    patch: { ...widget({}), kind: 'Gadget' },
    code: 400,
    message: 'invalid object type: example.com/v1, Kind=Gadget',
  },
  {
    title: 'another version',
    patch: { ...widget({}), apiVersion: 'v1' },
    code: 400,
    message: 'invalid object type: /v1, Kind=Widget',
  },
];
for (const { title, patch, code, message } of badPatches) {
  test(`applying ${title} is refused with ${code}`, () => {
    const status = refused(() => new WidgetUnderTest().apply('alice', patch));
    assert.deepEqual([status.code, status.message], [code, message]);
  });
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function clientSideApplied(spec: JsonObject): JsonObject {
  return widget(spec, { metadata: { annotations: { [lastApplied]: JSON.stringify(widget(spec)) } } });
}

test('kubectl takes over what it applied client-side, and the annotation follows', () => {
  const it = new WidgetUnderTest();
  it.create('kubectl-client-side-apply', clientSideApplied({ color: 'red' }));
  it.apply('kubectl', widget({ color: '<blue>' }));
  assert.deepEqual(it.live?.spec, { color: '<blue>' });
  assert.equal(
    it.live?.metadata.annotations?.[lastApplied],
    '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},"spec":{"color":"\\u003cblue\\u003e"}}\n',
  );
});

test('kubectl still conflicts with what others changed since its client-side apply', () => {
  const it = new WidgetUnderTest();
  it.create('kubectl-client-side-apply', clientSideApplied({ color: 'red', size: 1 }));
  it.update('bob', { ...clientSideApplied({ color: 'red', size: 1 }), spec: { color: 'green', size: 1 } });
  const status = refused(() => it.apply('kubectl', widget({ color: 'blue', size: 2 })));
  assert.equal(status.message, 'Apply failed with 1 conflict: conflict with "bob" using example.com/v1: .spec.color');
});

test('only kubectl may take over a client-side apply', () => {
  const it = new WidgetUnderTest();
  it.create('kubectl-client-side-apply', clientSideApplied({ color: 'red' }));
  assert.equal(refused(() => it.apply('argo', widget({ color: 'blue' }))).code, 409);
});

const values = fc.constantFrom('1', '2');
function specOf(mine: string): fc.Arbitrary<JsonObject> {
  const keys = fc.constantFrom(`${mine}1`, `${mine}2`, `${mine}3`);
  const fields = {
    labels: fc.dictionary(keys, values, { minKeys: 1 }),
    tags: fc.uniqueArray(keys, { minLength: 1 }),
    items: fc.uniqueArray(fc.record({ name: keys, value: values }), { minLength: 1, selector: (item) => item.name }),
    free: fc.dictionary(keys, fc.oneof(values, fc.dictionary(keys, values, { minKeys: 1 })), { minKeys: 1 }),
  };
  return fc.record(fields, { requiredKeys: [] }).map((spec) => spec as JsonObject);
}

test('applying the same again changes nothing, not even a time', () => {
  fc.assert(
    fc.property(specOf('a'), specOf('b'), (first, second) => {
      const it = new WidgetUnderTest();
      it.create('updater', widget(second));
      it.apply('alice', widget(first), { force: true });
      const before = JSON.stringify(it.live);
      it.apply('alice', widget(first));
      assert.equal(JSON.stringify(it.live), before);
    }),
  );
});

test('appliers of different fields never conflict, and each finds its fields as it applied them', () => {
  const step = fc.constantFrom('a', 'b', 'c').chain((who) => specOf(who).map((spec) => ({ who, spec })));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const it = new WidgetUnderTest();
      const latest = new Map<string, JsonObject>();
      for (const { who, spec } of steps) {
        it.apply(who, widget(spec));
        latest.set(who, spec);
      }
      const labels = Object.assign({}, ...[...latest.values()].map((spec) => spec.labels ?? {})) as JsonObject;
      assert.deepEqual((it.live?.spec as JsonObject | undefined)?.labels ?? {}, labels);
      const tags = [...latest.values()].flatMap((spec) => (spec.tags ?? []) as Json[]);
      assert.deepEqual(new Set(((it.live?.spec as JsonObject | undefined)?.tags ?? []) as Json[]), new Set(tags));
    }),
  );
});

test('objects that differ only in times of managedFields count as equal', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }));
  const live = it.live;
  assert.ok(live);
  const later = structuredClone(live);
  for (const entry of later.metadata.managedFields ?? []) entry.time = '2030-01-01T00:00:00Z';
  assert.equal(equalIgnoringManagedFieldsTimestamps(live, later), true);
  assert.equal(equalIgnoringManagedFieldsTimestamps(live, { ...later, spec: { color: 'blue' } }), false);
  const other = structuredClone(later);
  for (const entry of other.metadata.managedFields ?? []) entry.manager = 'bob';
  assert.equal(equalIgnoringManagedFieldsTimestamps(live, other), false);
});

test('applying does not change the objects it is given, and the result shares nothing with them', () => {
  const fields = widgetFieldManager();
  const live = { ...widget({ list: ['x'], free: { a: [1] } }), metadata: { name: 'w', uid: 'u' } } as never;
  const patch = widget({ color: 'red', whole: { a: '1' } });
  const before = JSON.stringify([live, patch]);
  const merged = fields.apply({ live, patch, manager: 'm', force: true, subresource: '', now: new Date(0) });
  const spec = merged.spec as { list: string[]; free: { a: number[] }; whole: JsonObject };
  spec.list.push('y');
  spec.free.a.push(2);
  spec.whole.b = '2';
  assert.equal(JSON.stringify([live, patch]), before);
});
