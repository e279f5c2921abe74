import { topic } from '../case.ts';
import { configMap, core, widget, widgetCrd, widgets } from '../fixtures.ts';

/** Create, get, list, update and delete, on built-ins and custom resources. */
export const crud = topic('crud', {
  'configmap-life': async (t) => {
    const made = await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }));
    await t.get(core(t, 'configmaps', 'one'));
    await t.put(core(t, 'configmaps', 'one'), { ...made.object, data: { a: '2' } });
    await t.delete(core(t, 'configmaps', 'one'));
    await t.get(core(t, 'configmaps', 'one'));
  },
  'widget-life': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'one', { size: 5, color: 'red' }));
    await t.get(widgets(t, 'one'));
    await t.put(widgets(t, 'one'), { ...made.object, spec: { size: 6 } });
    await t.get(widgets(t));
    await t.delete(widgets(t, 'one'));
    await t.get(widgets(t, 'one'));
  },
  'create-existing': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.post(core(t, 'configmaps'), configMap('one'));
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.post(widgets(t), widget(t, 'one'));
  },
  'create-in-missing-namespace': async (t) => {
    await t.post('/api/v1/namespaces/nowhere-to-be-found/configmaps', configMap('one'));
    await t.get('/api/v1/namespaces/nowhere-to-be-found/configmaps');
    await t.crd(widgetCrd(t));
    await t.post(`/apis/${t.group}/v1/namespaces/nowhere-to-be-found/widgets`, widget(t, 'one'));
  },
  'namespace-mismatch': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', {}, { namespace: 'default' }));
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', {}, { namespace: 'default' }));
  },
  'name-mismatch-on-put': async (t) => {
    const made = await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.put(core(t, 'configmaps', 'one'), { ...made.object, metadata: { name: 'two' } });
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.put(widgets(t, 'one'), widget(t, 'two'));
  },
  'invalid-names': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('Not_A_Name'));
    await t.post(core(t, 'configmaps'), configMap('x'.repeat(254)));
    await t.post(core(t, 'configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'Not_A_Name'));
    await t.post(widgets(t), { apiVersion: `${t.group}/v1`, kind: 'Widget' });
  },
  'invalid-labels-and-annotations': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', {}, { labels: { 'bad key!': 'x', ok: 'not ok' } }));
    await t.post(core(t, 'configmaps'), configMap('one', {}, { annotations: { 'bad key!': 'x' } }));
    await t.post(core(t, 'configmaps'), configMap('one', {}, { finalizers: ['nodomain'] }));
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', {}, { labels: { ok: '-bad-' } }));
  },
  'wrong-kind-and-version': async (t) => {
    await t.post(core(t, 'configmaps'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } });
    await t.post(core(t, 'configmaps'), { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'one' } });
    await t.post(core(t, 'configmaps'), { metadata: { name: 'no-kind' }, data: { a: '1' } });
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), { apiVersion: `${t.group}/v1`, kind: 'Gadget', metadata: { name: 'one' } });
    await t.post(widgets(t), { apiVersion: `${t.group}/v9`, kind: 'Widget', metadata: { name: 'one' } });
    await t.post(widgets(t), { metadata: { name: 'no-kind' } });
  },
  'generate-name': async (t) => {
    await t.post(core(t, 'configmaps'), { ...configMap('x'), metadata: { generateName: 'made-' } });
    await t.post(core(t, 'configmaps'), { ...configMap('x'), metadata: { generateName: `${'y'.repeat(70)}-` } });
    const refused = await t.post(core(t, 'configmaps'), { ...configMap('x'), metadata: { generateName: 'Bad_' } });
    t.alias(refused.str('details.name'), 'generated name');
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), { ...widget(t, 'x'), metadata: { generateName: 'made-' } });
  },
  'server-sets-system-fields': async (t) => {
    const metadata = {
      uid: '11111111-2222-3333-4444-555555555555',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      selfLink: '/somewhere',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    await t.post(core(t, 'configmaps'), configMap('one', {}, metadata));
    await t.post(core(t, 'configmaps'), configMap('two', {}, { resourceVersion: '1' }));
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', {}, metadata));
    await t.post(widgets(t), widget(t, 'two', {}, { resourceVersion: '1' }));
  },
  'update-conflicts': async (t) => {
    const made = await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }));
    const changed = await t.put(core(t, 'configmaps', 'one'), { ...made.object, data: { a: '2' } });
    await t.put(core(t, 'configmaps', 'one'), { ...made.object, data: { a: '3' } });
    await t.put(core(t, 'configmaps', 'one'), configMap('one', { a: '4' }));
    const metadata = { name: 'one', uid: '11111111-2222-3333-4444-555555555555' };
    await t.put(core(t, 'configmaps', 'one'), { ...changed.object, metadata });
    await t.put(core(t, 'configmaps', 'missing'), configMap('missing', { a: '1' }));
    await t.put(core(t, 'configmaps', 'missing2'), configMap('missing2', {}, { resourceVersion: '5' }));
    await t.put(core(t, 'configmaps', 'one'), configMap('one', {}, { resourceVersion: 'abc' }));
  },
  'widget-update-conflicts': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'one', { size: 1 }));
    await t.put(widgets(t, 'one'), { ...made.object, spec: { size: 2 } });
    await t.put(widgets(t, 'one'), { ...made.object, spec: { size: 3 } });
    await t.put(widgets(t, 'one'), widget(t, 'one', { size: 4 }));
    await t.put(widgets(t, 'missing'), widget(t, 'missing'));
  },
  'unchanged-update-keeps-version': async (t) => {
    const made = await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }));
    await t.put(core(t, 'configmaps', 'one'), made.object);
    await t.crd(widgetCrd(t));
    const first = await t.post(widgets(t), widget(t, 'one', { size: 4 }));
    await t.put(widgets(t, 'one'), first.object);
    await t.put(widgets(t, 'one'), { ...first.object, spec: { size: 5 } });
  },
  generation: async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { size: 1 }));
    await t.patch(widgets(t, 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 2 } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'Ready' } });
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 2 } });
  },
  'dry-run': async (t) => {
    await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('one', { a: '1' }));
    await t.get(core(t, 'configmaps', 'one'));
    await t.post(core(t, 'configmaps'), configMap('two', { a: '1' }), { quiet: true });
    await t.patch(`${core(t, 'configmaps', 'two')}?dryRun=All`, 'merge', { data: { a: '2' } });
    await t.delete(`${core(t, 'configmaps', 'two')}?dryRun=All`);
    await t.get(core(t, 'configmaps', 'two'));
    await t.post(`${core(t, 'configmaps')}?dryRun=Some`, configMap('three'));
    await t.delete(core(t, 'configmaps', 'two'), { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] });
    await t.get(core(t, 'configmaps', 'two'));
  },
  'yaml-body': async (t) => {
    const headers = { 'content-type': 'application/yaml' };
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: "1"\n';
    await t.post(core(t, 'configmaps'), text, { headers });
    await t.get(core(t, 'configmaps', 'one'), { headers: { accept: 'application/yaml' } });
    await t.crd(widgetCrd(t));
    const spec = `apiVersion: ${t.group}/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 3}\n`;
    await t.post(widgets(t), spec, { headers });
  },
  'pretty-print': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }), { quiet: true });
    const pretty = await t.get(`${core(t, 'configmaps', 'one')}?pretty=true`, { quiet: true });
    t.note('first line of the pretty answer', pretty.text.split('\n')[0] ?? '');
    t.note('lines', pretty.text.split('\n').length);
    const plain = await t.get(core(t, 'configmaps', 'one'), { quiet: true });
    t.note('lines without', plain.text.trimEnd().split('\n').length);
  },
});
