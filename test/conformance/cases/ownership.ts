import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import type { CaseRun, StepOptions } from '../case-run.ts';
import {
  configMap,
  core,
  grouped,
  pod,
  widget,
  widgetCrd,
  widgetCrdWith,
  widgets,
  widgetVersion,
} from '../fixtures.ts';

interface Applied {
  readonly query?: string;
  readonly metadata?: JsonObject;
  readonly options?: StepOptions;
}

/** Applies the widget called one. */
function apply(t: CaseRun, manager: string, spec: JsonObject, more: Applied = {}) {
  const path = `${widgets(t, 'one')}?fieldManager=${manager}${more.query ?? ''}`;
  return t.patch(path, 'apply', widget(t, 'one', spec, more.metadata), more.options);
}

function fieldSet(fields: JsonObject, changes: JsonObject = {}): JsonObject {
  return { manager: 'm', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: fields, ...changes };
}

const keyed = (keys: string[], item: JsonObject): JsonObject => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: item,
});

/** Who owns which field: transfer, lists, sets, atomic parts, force, and what updates do to owners. */
export const ownership = topic('ownership', {
  'transfer-by-giving-up': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3, color: 'red', label: 'abc' });
    await apply(t, 'bob', { size: 3 });
    await apply(t, 'alice', { color: 'red', label: 'abc' });
    await apply(t, 'alice', { size: 7, color: 'red' });
    await apply(t, 'bob', { size: 7 });
    await apply(t, 'bob', {});
  },
  'force-takes-only-what-is-named': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3, nested: { depth: 1, note: 'a' }, tags: ['x'] });
    await apply(t, 'bob', { nested: { depth: 2 } });
    await apply(t, 'bob', { nested: { depth: 2 } }, { query: '&force=true' });
    await apply(t, 'alice', { size: 3, nested: { note: 'b' }, tags: ['x'] });
    await apply(t, 'alice', { size: 3, nested: { depth: 2, note: 'b' }, tags: ['x'] });
  },
  'list-map-with-two-keys': async (t) => {
    const port = {
      type: 'object',
      required: ['number'],
      properties: {
        number: { type: 'integer' },
        protocol: { type: 'string', default: 'TCP' },
        name: { type: 'string' },
      },
    };
    await t.crd(widgetCrdWith(t, { ports: keyed(['number', 'protocol'], port) }));
    await apply(t, 'alice', { ports: [{ number: 53 }, { number: 53, protocol: 'UDP', name: 'dns' }] });
    await apply(t, 'bob', { ports: [{ number: 53, protocol: 'UDP', name: 'other' }] });
    await apply(t, 'bob', { ports: [{ number: 53, protocol: 'TCP', name: 'tcp' }] });
    await apply(t, 'alice', { ports: [{ number: 53, protocol: 'UDP', name: 'dns' }] });
    await apply(t, 'alice', { ports: [{ number: 53 }, { number: 53, protocol: 'TCP' }] });
    await apply(t, 'bob', {});
  },
  'order-of-merged-lists': async (t) => {
    await t.crd(widgetCrd(t));
    const named = (...names: string[]) => ({ ports: names.map((name) => ({ name })) });
    await apply(t, 'alice', { ...named('c', 'a', 'e'), tags: ['c', 'a', 'e'] });
    await apply(t, 'bob', { ...named('d', 'a', 'b'), tags: ['d', 'a', 'b'] });
    await apply(t, 'alice', { ...named('e', 'c'), tags: ['e', 'c'] });
    await apply(t, 'carol', { ...named('z', 'd'), tags: ['d'] });
  },
  'sets-of-numbers': async (t) => {
    const set = (type: string) => ({ type: 'array', items: { type }, 'x-kubernetes-list-type': 'set' });
    await t.crd(widgetCrdWith(t, { whole: set('integer'), flags: set('boolean'), parts: set('number') }));
    await apply(t, 'alice', { whole: [1, 2], flags: [true], parts: [0.5, 2] });
    await apply(t, 'bob', { whole: [2, 3], flags: [true, false], parts: [2, 1.25] });
    await apply(t, 'alice', { whole: [1], flags: [], parts: [2] });
    await apply(t, 'alice', { whole: [4, 4] });
  },
  'atomic-lists-and-maps': async (t) => {
    const properties = {
      whole: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
      plain: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      fixed: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
      },
    };
    await t.crd(widgetCrdWith(t, properties));
    await apply(t, 'alice', { whole: ['a'], plain: [{ a: '1' }], fixed: { a: '1' } });
    await apply(t, 'bob', { whole: ['a'] });
    await apply(t, 'bob', { whole: ['a', 'b'], fixed: { b: '2' } });
    await apply(t, 'bob', { whole: ['a', 'b'], fixed: { b: '2' } }, { query: '&force=true' });
    await apply(t, 'alice', { plain: [] });
    await t.patch(`${widgets(t, 'one')}?fieldManager=carol`, 'merge', { spec: { fixed: { a: '3' } } });
  },
  'items-inside-items': async (t) => {
    const inner = keyed(['id'], {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, value: { type: 'string' } },
    });
    const outer = keyed(['name'], {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        inner,
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
    await t.crd(widgetCrdWith(t, { outer }));
    const group = (name: string, ids: number[], labels: JsonObject = {}) => ({
      name,
      inner: ids.map((id) => ({ id, value: `v${id}` })),
      labels,
    });
    await apply(t, 'alice', { outer: [group('a', [1, 2], { x: '1' }), group('b', [1])] });
    await apply(t, 'bob', {
      outer: [{ name: 'a', inner: [{ id: 2, value: 'other' }, { id: 3 }], labels: { y: '2' } }],
    });
    await apply(t, 'bob', { outer: [{ name: 'a', inner: [{ id: 3 }], labels: { y: '2' } }] });
    await apply(t, 'alice', { outer: [group('b', [1])] });
    await apply(t, 'bob', {});
  },
  'managers-dropped-on-update': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3, tags: ['a'] });
    await apply(t, 'bob', { color: 'red' });
    const now = await t.get(widgets(t, 'one'), { quiet: true });
    const without = { ...now.object, spec: { size: 3, tags: ['a'] } };
    await t.put(`${widgets(t, 'one')}?fieldManager=writer`, without);
    await t.patch(`${widgets(t, 'one')}?fieldManager=patcher`, 'merge', { spec: { size: 9, tags: null } });
    await apply(t, 'bob', { color: 'blue' });
  },
  'managed-fields-rewritten-by-hand': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3 });
    const patch = (managedFields: JsonObject[]) =>
      t.patch(`${widgets(t, 'one')}?fieldManager=editor`, 'merge', { metadata: { managedFields } });
    await patch([fieldSet({ 'f:spec': { 'f:color': {} } }, { apiVersion: `${t.group}/v1`, manager: 'ghost' })]);
    await patch([fieldSet({ 'f:spec': {} }, { apiVersion: `${t.group}/v1`, operation: 'Guess' })]);
    await patch([fieldSet({ 'f:spec': {} }, { apiVersion: `${t.group}/v1`, fieldsType: 'FieldsV9' })]);
    await patch([fieldSet({ nonsense: {} }, { apiVersion: `${t.group}/v1` })]);
    await patch([fieldSet({ 'f:spec': {} }, { apiVersion: `${t.group}/v1`, manager: 'x'.repeat(200) })]);
    await patch([fieldSet({ 'f:spec': {} }, { apiVersion: 'gone.example.com/v1' })]);
    await patch([]);
    await apply(t, 'alice', { size: 4 });
  },
  'status-managers': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3 });
    const status = (manager: string, value: JsonObject, query = '') =>
      t.patch(`${widgets(t, 'one')}/status?fieldManager=${manager}${query}`, 'apply', {
        ...widget(t, 'one'),
        spec: {},
        status: value,
      });
    await status('alice', { phase: 'Ready', replicas: 1 });
    await status('bob', { phase: 'Broken' });
    await status('bob', { phase: 'Broken' }, '&force=true');
    await status('alice', { replicas: 1 });
    await apply(t, 'alice', { size: 4 });
    await t.patch(`${widgets(t, 'one')}/status?fieldManager=alice`, 'merge', { status: { selector: 'a=b' } });
    const missing = { ...widget(t, 'two'), status: { phase: 'x' } };
    await t.patch(`${widgets(t, 'two')}/status?fieldManager=alice`, 'apply', missing);
  },
  'scale-managers': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { size: 3, replicas: 1 });
    const show: StepOptions = { show: (answer) => answer.at('metadata.managedFields') ?? answer.body };
    const path = `${widgets(t, 'one')}/scale`;
    await t.patch(
      `${path}?fieldManager=scaler`,
      'merge',
      { spec: { replicas: 5 } },
      { show: (answer) => answer.at('spec') },
    );
    const without = (text: string) => JSON.parse(text.replace(/,"time":"[^"]*"/g, '')) as JsonObject;
    await t.get(widgets(t, 'one'), { show: ({ text }) => without(text) });
    await apply(t, 'alice', { size: 3, replicas: 1 }, { options: show });
    await apply(t, 'alice', { size: 3 }, { options: { show: ({ text }) => without(text) } });
  },
  'metadata-has-owners': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', {}, { metadata: { labels: { a: '1', b: '1' }, annotations: { n: '1' } } });
    await apply(t, 'bob', {}, { metadata: { labels: { a: '2' } } });
    await apply(t, 'bob', {}, { metadata: { labels: { c: '2' }, finalizers: ['example.com/b'] } });
    const owner = {
      apiVersion: 'nowhere.example.com/v1',
      kind: 'Nobody',
      name: 'x',
      uid: '11111111-2222-3333-4444-555555555551',
    };
    await apply(t, 'carol', {}, { metadata: { ownerReferences: [owner], finalizers: ['example.com/c'] } });
    await apply(t, 'bob', {});
    await apply(t, 'carol', {});
    await apply(t, 'alice', {});
  },
  'empty-and-null-values': async (t) => {
    await t.crd(widgetCrd(t));
    await apply(t, 'alice', { tags: [], ports: [], limits: {}, nested: { note: null } });
    await apply(t, 'bob', { tags: ['a'], limits: { cpu: 1 } });
    await apply(t, 'alice', { tags: null, color: null, limits: {} });
    await apply(t, 'bob', {});
  },
  'same-manager-two-operations': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(`${widgets(t)}?fieldManager=alice`, widget(t, 'one', { size: 3, color: 'red' }));
    await apply(t, 'alice', { size: 3 });
    await apply(t, 'alice', { size: 4 });
    await apply(t, 'alice', { size: 4 }, { query: '&force=true' });
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice`, 'merge', { spec: { label: 'abc' } });
    await apply(t, 'alice', {});
  },
  'apply-after-delete-and-in-between': async (t) => {
    await t.crd(widgetCrd(t));
    const first = await apply(t, 'alice', { size: 3 }, { options: { quiet: true } });
    const version = first.str('metadata.resourceVersion');
    await apply(t, 'bob', { color: 'red' }, { options: { quiet: true } });
    const old = await apply(
      t,
      'alice',
      { size: 4 },
      { metadata: { resourceVersion: version }, options: { quiet: true } },
    );
    t.note('an old version', [old.code, old.str('reason'), old.str('message')]);
    const uid = first.str('metadata.uid');
    await apply(t, 'alice', { size: 5 }, { metadata: { uid } });
    await t.delete(widgets(t, 'one'), undefined, { quiet: true });
    const late = await apply(t, 'alice', { size: 5 }, { metadata: { uid }, options: { quiet: true } });
    t.note('a uid that is gone', [late.code, late.str('reason'), late.str('message')]);
    const gone = await apply(
      t,
      'alice',
      { size: 5 },
      { metadata: { resourceVersion: version }, options: { quiet: true } },
    );
    t.note('a version that is gone', [gone.code, gone.str('reason'), gone.str('message')]);
  },
  'owned-lists-of-built-ins': async (t) => {
    const path = `${core(t, 'serviceaccounts', 'robot')}`;
    const account = (secrets: string[], pull: string[]) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot' },
      secrets: secrets.map((name) => ({ name })),
      imagePullSecrets: pull.map((name) => ({ name })),
    });
    await t.patch(`${path}?fieldManager=alice`, 'apply', account(['a'], ['x']));
    await t.patch(`${path}?fieldManager=bob`, 'apply', account(['b'], ['y']));
    await t.patch(`${path}?fieldManager=alice`, 'apply', account([], []));
  },
  'pod-templates-of-jobs': async (t) => {
    const job = (containers: JsonObject[], more: JsonObject = {}) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'one' },
      spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers } }, ...more },
    });
    const path = grouped(t, 'batch/v1', 'jobs', 'one');
    const main = { name: 'main', image: 'example.com/job:1' };
    await t.patch(`${path}?fieldManager=alice`, 'apply', job([main]));
    await t.patch(`${path}?fieldManager=bob`, 'apply', job([main], { parallelism: 2 }));
    await t.patch(`${path}?fieldManager=carol`, 'apply', job([{ ...main, image: 'example.com/job:2' }]));
  },
  'tolerations-and-env-order': async (t) => {
    const path = core(t, 'pods', 'one');
    const env = (...names: string[]) => names.map((name) => ({ name, value: name.toLowerCase() }));
    const container = (...names: string[]) => [{ name: 'main', image: 'example.com/app:1', env: env(...names) }];
    await t.patch(`${path}?fieldManager=alice`, 'apply', pod('one', {}, { containers: container('C', 'A') }));
    const tolerations = [{ key: 'a', operator: 'Exists' }];
    await t.patch(`${path}?fieldManager=bob`, 'apply', pod('one', { labels: { b: '1' } }, { tolerations }));
    await t.patch(`${path}?fieldManager=bob`, 'apply', pod('one', { labels: { c: '1' } }));
  },
  'old-style-last-applied': async (t) => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const written = configMap('one', { a: '1', b: '1' });
    const annotations = { [annotation]: `${JSON.stringify(written)}\n` };
    const path = core(t, 'configmaps', 'one');
    await t.post(`${core(t, 'configmaps')}?fieldManager=kubectl-client-side-apply`, {
      ...written,
      metadata: { name: 'one', annotations },
    });
    await t.patch(`${path}?fieldManager=kubectl`, 'apply', configMap('one', { a: '2' }));
    await t.patch(
      `${path}?fieldManager=kubectl`,
      'apply',
      configMap('one', { a: '2', c: '1' }, { annotations: { note: 'x' } }),
    );
  },
  'two-versions-one-owner': async (t) => {
    const fields = { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } };
    await t.crd(widgetCrd(t, [widgetVersion('v1', {}, fields), widgetVersion('v2', { storage: false }, fields)]));
    const second = { ...widget(t, 'one', { color: 'red' }), apiVersion: `${t.group}/v2` };
    await apply(t, 'alice', { size: 1, color: 'red' });
    await t.patch(`${grouped(t, `${t.group}/v2`, 'widgets', 'one')}?fieldManager=alice`, 'apply', second);
    await t.patch(`${grouped(t, `${t.group}/v2`, 'widgets', 'one')}?fieldManager=bob`, 'merge', { spec: { size: 2 } });
    await apply(t, 'alice', { size: 3 });
  },
});
