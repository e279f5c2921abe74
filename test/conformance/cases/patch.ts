import { topic } from '../case.ts';
import { configMap, core, pod, widget, widgetCrd, widgets } from '../fixtures.ts';

/** JSON patch, merge patch and strategic merge patch. */
export const patch = topic('patch', {
  'json-on-configmap': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1', b: '2' }), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.patch(path, 'json', [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'replace', path: '/data/a', value: '9' },
      { op: 'add', path: '/data/c', value: '3' },
      { op: 'remove', path: '/data/b' },
      { op: 'copy', from: '/data/a', path: '/data/d' },
      { op: 'move', from: '/data/c', path: '/data/e' },
    ]);
    await t.patch(path, 'json', [{ op: 'test', path: '/data/a', value: 'other' }]);
    await t.patch(path, 'json', [{ op: 'remove', path: '/data/missing' }]);
    await t.patch(path, 'json', [{ op: 'replace', path: '/data/missing', value: 'x' }]);
    await t.patch(path, 'json', [{ op: 'jump', path: '/data/a' }]);
    await t.patch(path, 'json', { not: 'a list' });
    await t.patch(path, 'json', 'not json');
    await t.patch(path, 'json', [{ op: 'add', path: '/metadata/labels', value: { 'x~y': '1' } }]);
    await t.patch(path, 'json', []);
  },
  'json-on-widget': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { tags: ['a', 'b'], limits: { 'x/y': 1 } }), { quiet: true });
    await t.patch(widgets(t, 'one'), 'json', [
      { op: 'add', path: '/spec/tags/-', value: 'c' },
      { op: 'add', path: '/spec/tags/0', value: 'z' },
      { op: 'replace', path: '/spec/limits/x~1y', value: 2 },
    ]);
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'remove', path: '/spec/tags/17' }]);
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'replace', path: '/spec/size', value: 1000 }]);
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'replace', path: '/metadata/name', value: 'two' }]);
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'test', path: '/spec/size', value: 77 }]);
  },
  'merge-on-configmap': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1', b: '2' }, { labels: { x: 'y' } }), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.patch(path, 'merge', { data: { a: '5', b: null, c: '7' }, metadata: { labels: null } });
    await t.patch(path, 'merge', { data: null });
    await t.patch(path, 'merge', {});
    await t.patch(path, 'merge', ['not', 'an object']);
    await t.patch(path, 'merge', 'not json');
    await t.patch(path, 'merge', { data: { a: 5 } });
    await t.patch(path, 'merge', { metadata: { uid: '11111111-2222-3333-4444-555555555555' } });
    await t.patch(path, 'merge', { metadata: { resourceVersion: '1' }, data: { z: '1' } });
    await t.patch(core(t, 'configmaps', 'missing'), 'merge', { data: { a: '1' } });
  },
  'merge-on-widget': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { tags: ['a'], ports: [{ name: 'http', number: 80 }] }), { quiet: true });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { ports: [{ name: 'https', number: 443 }], color: 'blue' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { color: 'purple' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: null } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: null });
    await t.patch(widgets(t, 'one'), 'merge', { unknown: { deep: true }, spec: { alien: 1 } });
    await t.patch(widgets(t, 'one'), 'merge', { kind: 'Gadget' });
  },
  'strategic-on-pod': async (t) => {
    const containers = [
      { name: 'a', image: 'example.com/a:1', env: [{ name: 'X', value: '1' }] },
      { name: 'b', image: 'example.com/b:1' },
    ];
    await t.post(core(t, 'pods'), pod('one', {}, { containers }), { quiet: true });
    const path = core(t, 'pods', 'one');
    await t.patch(path, 'strategic', { spec: { containers: [{ name: 'a', image: 'example.com/a:2' }] } });
    await t.patch(path, 'strategic', { metadata: { finalizers: ['example.com/a'] } });
    await t.patch(path, 'strategic', { metadata: { finalizers: ['example.com/b'] } });
    await t.patch(path, 'strategic', { metadata: { $deleteFromPrimitiveList: 'x' } });
    await t.patch(path, 'strategic', { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } });
    await t.patch(path, 'strategic', { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } });
    await t.patch(path, 'strategic', { spec: { containers: [{ name: 'b', $patch: 'delete' }] } });
    await t.patch(path, 'strategic', { metadata: { finalizers: null } });
  },
  'strategic-on-node': async (t) => {
    const name = t.slug;
    const taints = [{ key: 'a', value: '1', effect: 'NoSchedule' }];
    await t.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Fine', message: 'it is' }];
    await t.patch(`/api/v1/nodes/${name}/status`, 'strategic', { status: { conditions } });
    const more = [{ type: 'DiskPressure', status: 'False' }];
    await t.patch(`/api/v1/nodes/${name}/status`, 'strategic', { status: { conditions: more } });
    await t.patch(`/api/v1/nodes/${name}/status`, 'strategic', {
      status: { conditions: [{ type: 'Ready', $patch: 'delete' }] },
    });
    await t.patch(`/api/v1/nodes/${name}`, 'strategic', { metadata: { $patch: 'replace', labels: { only: 'this' } } });
    await t.patch(`/api/v1/nodes/${name}`, 'strategic', { spec: { unschedulable: true } });
    await t.delete(`/api/v1/nodes/${name}`);
  },
  'strategic-directives': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1', b: '2' }), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.patch(path, 'strategic', { data: { $patch: 'replace', c: '3' } });
    await t.patch(path, 'strategic', { data: { $patch: 'delete' } });
    await t.patch(path, 'strategic', { data: { $patch: 'invent' } });
    await t.patch(path, 'strategic', { data: { $retainKeys: ['x'], x: '1' } });
    await t.patch(path, 'strategic', 'not json');
    await t.patch(path, 'strategic', { data: { a: 1 } });
  },
  'strategic-on-widget': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.patch(widgets(t, 'one'), 'strategic', { spec: { size: 2 } });
  },
  'strategic-secret-string-data': async (t) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, stringData: { user: 'me' } };
    await t.post(core(t, 'secrets'), secret);
    await t.patch(core(t, 'secrets', 'one'), 'strategic', { stringData: { password: 'x' } });
    await t.patch(core(t, 'secrets', 'one'), 'merge', { data: { user: 'bm90IG1l' } });
    await t.patch(core(t, 'secrets', 'one'), 'merge', { data: { user: 'not base64!' } });
    await t.patch(core(t, 'secrets', 'one'), 'merge', { type: 'example.com/other' });
  },
  'unknown-patch-type': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.request('PATCH', path, { data: {} }, { headers: { 'content-type': 'application/json' } });
    await t.request('PATCH', path, { data: {} }, { headers: { 'content-type': 'text/plain' } });
    await t.request(
      'PATCH',
      path,
      { data: {} },
      { headers: { 'content-type': 'application/merge-patch+json; charset=utf-8' } },
    );
  },
  'patch-cannot-change-identity': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.patch(path, 'merge', { metadata: { name: 'two' } });
    await t.patch(path, 'merge', { metadata: { namespace: 'default' } });
    await t.patch(path, 'merge', { apiVersion: 'v2' });
    await t.patch(path, 'merge', { kind: 'Secret' });
    await t.patch(path, 'merge', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } });
  },
});
