import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../../schema/index.ts';
import { asJson, type ManagedFieldsEntry } from '../object.ts';
import { compareObjects } from './compare.ts';
import { createFieldManager } from './field-manager.ts';
import { eachPath, type FieldSet } from './field-set.ts';
import { compileObjectType } from './merge-type.ts';
import { WidgetUnderTest, widget, widgetFieldManager, widgetSchema } from './widget-fixture.ts';

test('the creator owns every field it set, structs included, but not the identity of the object', () => {
  const it = new WidgetUnderTest();
  it.create(
    'alice',
    widget({ color: 'red', nested: { deep: { x: '1' } } }, { metadata: { labels: { a: 'b' }, finalizers: ['x.y/z'] } }),
  );
  assert.deepEqual(it.owners, {
    'alice Update': {
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"x.y/z"': {} }, 'f:labels': { '.': {}, 'f:a': {} } },
      'f:spec': { '.': {}, 'f:color': {}, 'f:nested': { '.': {}, 'f:deep': { '.': {}, 'f:x': {} } } },
    },
  });
  assert.equal(it.timeOf('alice Update'), '2024-01-01T00:00:00Z');
});

test('list items are owned by key, set items by value, atomic values as a whole', () => {
  const it = new WidgetUnderTest();
  it.create(
    'alice',
    widget({
      items: [{ name: 'b', value: '1' }],
      ports: [{ port: 80 }],
      tags: ['t<'],
      list: ['x'],
      whole: { a: '1' },
      free: { q: [1] },
    }),
  );
  assert.deepEqual(it.owners, {
    'alice Update': {
      'f:spec': {
        '.': {},
        'f:free': { '.': {}, 'f:q': {} },
        'f:items': { '.': {}, 'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
        'f:list': {},
        'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
        'f:tags': { '.': {}, 'v:"t\\u003c"': {} },
        'f:whole': {},
      },
    },
  });
});

test('whoever changes a value takes it over, and an owner left with nothing disappears', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red', size: 1 }));
  it.update('bob', widget({ color: 'blue', size: 1 }));
  assert.deepEqual(it.owners['bob Update'], { 'f:spec': { 'f:color': {} } });
  assert.deepEqual(it.owners['alice Update'], { 'f:spec': { '.': {}, 'f:size': {} } });
  it.update('carol', widget({ color: 'green', size: 1 }));
  assert.deepEqual(Object.keys(it.owners), ['alice Update', 'carol Update']);
});

test("a removed field is owned by nobody any more, and removing alone does not move the remover's time", () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red', size: 1, items: [{ name: 'a' }, { name: 'b' }] }));
  it.update('alice', widget({ size: 1, items: [{ name: 'b' }] }));
  assert.deepEqual(it.owners, {
    'alice Update': {
      'f:spec': { '.': {}, 'f:items': { '.': {}, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } }, 'f:size': {} },
    },
  });
  assert.equal(it.timeOf('alice Update'), '2024-01-01T00:00:00Z');
});

test('an update that changes nothing changes no owner and no time', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }));
  const before = structuredClone(it.live);
  it.update('bob', widget({ color: 'red' }));
  assert.deepEqual(it.live, before);
});

test('the status endpoint has an owner of its own and never owns spec; the main endpoint never owns status', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ color: 'red' }, { status: { phase: 'New' } }));
  assert.deepEqual(it.owners, { 'alice Update': { 'f:spec': { '.': {}, 'f:color': {} } } });
  it.update('alice', widget({ color: 'blue' }, { status: { phase: 'Old' } }), 'status');
  assert.deepEqual(it.owners, {
    'alice Update': { 'f:spec': { '.': {}, 'f:color': {} } },
    'alice Update status': { 'f:status': { 'f:phase': {} } },
  });
});

test('a value that turns from scalar to map is taken over with what is in it', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget({ free: { a: 1 } }));
  it.update('bob', widget({ free: { a: { b: 1 } } }));
  assert.deepEqual(it.owners['bob Update'], { 'f:spec': { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } } });
});

test('the eleventh owner by update folds the oldest two into ancient-changes', () => {
  const it = new WidgetUnderTest();
  it.create('m00', widget({ labels: { k0: '0' } }));
  const labels: Record<string, string> = { k0: '0' };
  for (let i = 1; i <= 11; i++) {
    labels[`k${i}`] = String(i);
    it.update(`m${String(i).padStart(2, '0')}`, widget({ labels }));
  }
  const owners = Object.keys(it.owners);
  assert.equal(owners.length, 10);
  assert.equal(owners[0], 'ancient-changes Update');
  assert.deepEqual(it.owners['ancient-changes Update'], {
    'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
  });
});

const alice: ManagedFieldsEntry = {
  manager: 'alice',
  operation: 'Update',
  apiVersion: 'example.com/v1',
  fieldsType: 'FieldsV1',
  time: '2020-01-01T00:00:00Z',
  fieldsV1: { 'f:spec': { 'f:color': {} } },
};

const sent: { title: string; managedFields: ManagedFieldsEntry[]; owners: string[] }[] = [
  { title: 'one empty entry forgets all owners', managedFields: [{}], owners: [] },
  { title: 'an empty list means nothing for a custom resource', managedFields: [], owners: ['creator Update'] },
  { title: 'other entries replace the owners', managedFields: [alice], owners: ['alice Update'] },
  {
    title: 'entries without an operation leave the live ones in force',
    managedFields: [{ manager: 'x' }],
    owners: ['creator Update'],
  },
  {
    title: 'entries with broken fields leave the live ones in force',
    managedFields: [{ ...alice, fieldsV1: { bad: {} } }],
    owners: ['creator Update'],
  },
  {
    title: 'entries with fields that are no tree leave the live ones in force',
    managedFields: [{ ...alice, fieldsV1: 'f:spec' as unknown as JsonObject }],
    owners: ['creator Update'],
  },
  {
    title: 'entries with a text inside their fields leave the live ones in force',
    managedFields: [{ ...alice, fieldsV1: { 'f:spec': 'x' } }],
    owners: ['creator Update'],
  },
  {
    title: 'a null inside fields is a leaf',
    managedFields: [{ ...alice, fieldsV1: { 'f:spec': { 'f:color': null } } }],
    owners: ['alice Update'],
  },
  {
    title: 'owners in an unknown version are dropped',
    managedFields: [alice, { ...alice, manager: 'old', apiVersion: 'example.com/v0' }],
    owners: ['alice Update'],
  },
];
for (const { title, managedFields, owners } of sent) {
  test(`managedFields sent by a client: ${title}`, () => {
    const it = new WidgetUnderTest();
    it.create('creator', widget({ color: 'red' }));
    it.update('bob', widget({ color: 'red' }, { metadata: { managedFields: managedFields as unknown as [] } }));
    assert.deepEqual(Object.keys(it.owners), owners);
  });
}

test('an object whose owners were forgotten is not tracked by updates', () => {
  const it = new WidgetUnderTest();
  it.create('creator', widget({ color: 'red' }));
  it.update('bob', widget({ color: 'red' }, { metadata: { managedFields: [{}] } }));
  it.update('bob', widget({ color: 'blue' }));
  assert.deepEqual(it.owners, {});
});

test('an object that cannot be compared carries no owners', () => {
  const it = new WidgetUnderTest();
  it.create('creator', widget({ items: [{ value: 'no name' }] }));
  assert.equal(it.live?.metadata.managedFields, undefined);
});

test('owners that wrote in another version lose what changed in that version', () => {
  const fields = createFieldManager({
    schema: widgetSchema,
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    hasStatusSubresource: true,
    schemaOf: (apiVersion) =>
      apiVersion === 'example.com/v2' ? { type: 'object', properties: { colour: { type: 'string' } } } : undefined,
    convert: (object, apiVersion) => ({
      apiVersion,
      kind: object.kind,
      metadata: object.metadata,
      colour: (object.spec as { color: string }).color,
    }),
  });
  const old: ManagedFieldsEntry = { ...alice, apiVersion: 'example.com/v2', fieldsV1: { 'f:colour': {} } };
  const metadata = { name: 'w', uid: 'u', managedFields: [old] };
  const live = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { color: 'red', size: 1 } };
  const request = { live, manager: 'bob', subresource: '', now: new Date(0) };
  const same = fields.update({ ...request, next: { ...live, spec: { color: 'red', size: 2 } } });
  assert.deepEqual(
    same.map((entry) => entry.manager),
    ['bob', 'alice'],
  );
  const changed = fields.update({ ...request, next: { ...live, spec: { color: 'blue', size: 1 } } });
  assert.deepEqual(
    changed.map((entry) => entry.manager),
    ['bob'],
  );
});

const values = fc.constantFrom('1', '2');
const specs = fc.record(
  {
    color: values,
    nested: fc.record(
      { a: values, deep: fc.record({ x: values, y: values }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    ),
    labels: fc.dictionary(fc.constantFrom('p', 'q'), values),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    items: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: values }), {
      selector: (item) => item.name,
    }),
    whole: fc.record({ a: values }),
    free: fc.dictionary(fc.constantFrom('p', 'q'), fc.oneof(values, fc.dictionary(fc.constantFrom('r'), values))),
  },
  { requiredKeys: [] },
);

test('after any updates every field of the object has exactly one owner, and nobody owns what is not there', () => {
  const type = compileObjectType(widgetSchema, { isBuiltIn: false });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('alice', 'bob', 'carol'), specs), { minLength: 1, maxLength: 6 }),
      (writes) => {
        const it = new WidgetUnderTest();
        for (const [manager, spec] of writes) {
          if (it.live === undefined) it.create(manager, widget(spec));
          else it.update(manager, widget(spec));
        }
        if (it.live === undefined) return;
        const after = asJson(it.live);
        const everything = compareObjects(type, { before: { metadata: {} }, after, zero: undefined }).added;
        const owned: string[] = [];
        for (const set of Object.values(it.owners)) {
          eachPath(set as unknown as FieldSet, (path) => owned.push(path.join(' ')));
        }
        const present: string[] = [];
        eachPath(everything, (path) => present.push(path.join(' ')));
        assert.deepEqual(owned.sort(), present.sort());
      },
    ),
  );
});

test('keys that every JavaScript object inherits are data like any other', () => {
  const it = new WidgetUnderTest();
  it.create('alice', widget(JSON.parse('{"labels":{"constructor":"1","__proto__":"2","toString":"3"}}')));
  it.update('bob', widget(JSON.parse('{"labels":{"toString":"3"}}')));
  assert.deepEqual(it.owners, { 'alice Update': { 'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:toString': {} } } } });
  it.apply('carol', widget(JSON.parse('{"labels":{"__proto__":"4","valueOf":"5"}}')));
  assert.equal(JSON.stringify(it.live?.spec), '{"labels":{"toString":"3","__proto__":"4","valueOf":"5"}}');
});

test('updating does not change the objects it is given', () => {
  const fields = widgetFieldManager();
  const live = { ...widget({ color: 'red', items: [{ name: 'a' }] }), metadata: { name: 'w', uid: 'u' } };
  const next = structuredClone({ ...live, spec: { color: 'blue' } });
  const before = JSON.stringify([live, next]);
  fields.update({ live: live as never, next: next as never, manager: 'm', subresource: '', now: new Date(0) });
  assert.equal(JSON.stringify([live, next]), before);
});
