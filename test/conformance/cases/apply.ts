import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgets } from '../fixtures.ts';

async function applyWidget(t: CaseRun, manager: string, spec: JsonObject, query = '') {
  return t.patch(`${widgets(t, 'one')}?fieldManager=${manager}${query}`, 'apply', widget(t, 'one', spec));
}

/** Server-side apply and managed fields. */
export const apply = topic('apply', {
  'creates-and-updates': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { size: 3, tags: ['a'], ports: [{ name: 'http', number: 80 }] });
    await applyWidget(t, 'alice', { size: 3, tags: ['a'], ports: [{ name: 'http', number: 80 }] });
    await applyWidget(t, 'alice', { size: 4, tags: ['b'] });
    await t.get(widgets(t, 'one'));
  },
  'conflict-and-force': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { size: 3, color: 'red' });
    await applyWidget(t, 'bob', { size: 4, color: 'blue' });
    await applyWidget(t, 'bob', { size: 3, color: 'red' });
    await applyWidget(t, 'bob', { size: 5, color: 'green' }, '&force=true');
    await applyWidget(t, 'alice', { size: 3 });
  },
  'several-owners-of-lists': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { tags: ['a', 'shared'], ports: [{ name: 'http', number: 80 }] });
    await applyWidget(t, 'bob', { tags: ['b', 'shared'], ports: [{ name: 'https', number: 443 }] });
    await applyWidget(t, 'bob', { ports: [{ name: 'http', number: 81 }] });
    await applyWidget(t, 'alice', {});
    await applyWidget(t, 'bob', {});
  },
  'takes-over-from-update': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(`${widgets(t)}?fieldManager=creator`, widget(t, 'one', { size: 3, color: 'red' }));
    await applyWidget(t, 'alice', { size: 4 });
    await applyWidget(t, 'alice', { size: 4 }, '&force=true');
    await t.patch(`${widgets(t, 'one')}?fieldManager=patcher`, 'merge', { spec: { size: 9, label: 'abc' } });
    await applyWidget(t, 'alice', { size: 4 });
  },
  'status-subresource': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { size: 3 });
    const status = { ...widget(t, 'one', { size: 50 }), status: { phase: 'Ready' } };
    await t.patch(`${widgets(t, 'one')}/status?fieldManager=controller`, 'apply', status);
    const other = { ...widget(t, 'one'), status: { phase: 'Broken' } };
    await t.patch(`${widgets(t, 'one')}/status?fieldManager=second`, 'apply', other);
  },
  'built-in': async (t) => {
    const path = core(t, 'configmaps', 'one');
    await t.patch(`${path}?fieldManager=alice`, 'apply', configMap('one', { a: '1', b: '1' }));
    await t.patch(`${path}?fieldManager=bob`, 'apply', configMap('one', { b: '2', c: '2' }));
    await t.patch(`${path}?fieldManager=bob`, 'apply', configMap('one', { c: '2' }, { labels: { x: 'y' } }));
    await t.patch(`${path}?fieldManager=alice`, 'apply', configMap('one', { a: '1' }));
    await t.put(path, configMap('one', { z: '1' }));
  },
  'pod-lists': async (t) => {
    const container = (name: string, extra: JsonObject = {}) => ({ name, image: `example.com/${name}:1`, ...extra });
    const path = core(t, 'pods', 'one');
    const ports = [{ containerPort: 80, name: 'http' }];
    const first = pod('one', {}, { containers: [container('a', { env: [{ name: 'X', value: '1' }], ports })] });
    await t.patch(`${path}?fieldManager=alice`, 'apply', first);
    const second = pod('one', {}, { containers: [{ name: 'a', image: 'example.com/a:2' }] });
    await t.patch(`${path}?fieldManager=bob`, 'apply', second);
    await t.patch(`${path}?fieldManager=bob&force=true`, 'apply', second);
  },
  'bad-requests': async (t) => {
    await t.crd(widgetCrd(t));
    await t.patch(widgets(t, 'one'), 'apply', widget(t, 'one'));
    await applyWidget(t, 'x'.repeat(129), {});
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'two'));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', '{');
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', { spec: {} });
    const managedFields = [
      { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', {}, { managedFields }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', { size: 'large' }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', { alien: 1 }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'apply', widget(t, 'one', {}, { resourceVersion: '1' }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=a`, 'merge', {}, { headers: {} });
    await t.patch(`${widgets(t, 'one')}?fieldManager=a&force=true`, 'merge', { spec: {} });
  },
  'wrong-types': async (t) => {
    await t.crd(widgetCrd(t));
    for (const color of [7, 1.5, true, ['red'], { a: 1 }]) await applyWidget(t, 'alice', { color });
    // One mistake at a time: the real server lists several in an order that changes.
    for (const wrong of [{ size: true }, { enabled: 'yes' }, { tags: 'a' }, { tags: [1] }, { ports: {} }]) {
      await applyWidget(t, 'alice', wrong);
    }
    for (const port of [{ name: 2 }, { name: 'http', number: '80' }]) await applyWidget(t, 'alice', { ports: [port] });
    for (const limits of ['none', { cpu: { much: 1 } }]) await applyWidget(t, 'alice', { limits });
    await applyWidget(t, 'alice', { color: 7 }, '&force=true&dryRun=All');
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice`, 'apply', widget(t, 'one', {}, { labels: { a: 1 } }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice`, 'apply', { ...widget(t, 'one'), spec: 'none' });
    await applyWidget(t, 'alice', { color: 'red' });
    await t.patch(`${widgets(t, 'one')}/status?fieldManager=alice`, 'apply', {
      ...widget(t, 'one'),
      status: { phase: 7 },
    });
    const configMapPath = core(t, 'configmaps', 'one');
    await t.patch(`${configMapPath}?fieldManager=alice`, 'apply', configMap('one', { a: 1 } as never));
    await t.get(widgets(t, 'one'));
  },
  'duplicate-list-keys': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { ports: [{ name: 'a' }, { name: 'a' }] });
    await applyWidget(t, 'alice', { tags: ['a', 'a'] });
    await applyWidget(t, 'alice', { ports: [{ number: 1 }] });
  },
  'managed-fields-of-update': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(`${widgets(t)}?fieldManager=a`, widget(t, 'one', { size: 1 }));
    await t.patch(`${widgets(t, 'one')}?fieldManager=b`, 'merge', { spec: { size: 2 } });
    await t.patch(`${widgets(t, 'one')}/status?fieldManager=b`, 'merge', { status: { phase: 'x' } });
    const now = await t.patch(`${widgets(t, 'one')}?fieldManager=c`, 'json', [{ op: 'remove', path: '/spec/size' }]);
    const cleared = { ...now.object, metadata: { ...(now.object.metadata as JsonObject), managedFields: [{}] } };
    await t.put(`${widgets(t, 'one')}?fieldManager=d`, cleared);
    await applyWidget(t, 'alice', { color: 'red' });
  },
  'yaml-and-dry-run': async (t) => {
    await t.crd(widgetCrd(t));
    const text = `apiVersion: ${t.group}/v1\nkind: Widget\nmetadata:\n  name: one\nspec:\n  size: 7 # lucky\n`;
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice&dryRun=All`, 'apply', text);
    await t.get(widgets(t, 'one'));
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice`, 'apply', text);
  },
  'granular-and-atomic': async (t) => {
    await t.crd(widgetCrd(t));
    await applyWidget(t, 'alice', { template: { a: { b: 1 } }, limits: { cpu: 1, memory: '2Gi' } });
    await applyWidget(t, 'bob', { template: { a: { c: 2 } }, limits: { disk: 5 } });
    await applyWidget(t, 'alice', { limits: { cpu: 2 } });
  },
});
