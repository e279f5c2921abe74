import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets, widgetVersion } from '../fixtures.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function withColumns(t: CaseRun, additionalPrinterColumns: JsonObject[]): Promise<void> {
  await t.crd(widgetCrd(t, [widgetVersion('v1', { additionalPrinterColumns })]));
}

const column = (name: string, jsonPath: string, type = 'string'): JsonObject => ({ name, jsonPath, type });

/** Columns of tables: paths, types, priorities, and the tables of built-ins. */
export const columns = topic('columns', {
  paths: async (t) => {
    await withColumns(t, [
      column('Dotted', ".metadata.labels['example\\.com/a']"),
      column('Quoted', ".metadata.annotations['plain']"),
      column('Last', '.spec.tags[-1]'),
      column('Slice', '.spec.tags[0:2]'),
      column('Star', '.spec.limits.*'),
      column('Deep', '.spec.ports[*].number'),
      column('Filter', '.spec.ports[?(@.number>100)].name'),
      column('Recursive', '.spec..name'),
      column('Missing', '.spec.nothing.at.all'),
      column('Object', '.spec.nested'),
      column('Union', ".spec.ports[0]['name','number']"),
    ]);
    const spec = {
      tags: ['a', 'b', 'c'],
      limits: { cpu: 1 },
      ports: [
        { name: 'x', number: 80 },
        { name: 'y', number: 443 },
      ],
      nested: { depth: 2, note: 'n' },
    };
    await t.post(
      widgets(t),
      widget(t, 'full', spec, { labels: { 'example.com/a': 'label' }, annotations: { plain: 'note' } }),
      { quiet: true },
    );
    await t.post(widgets(t), widget(t, 'empty'), { quiet: true });
    await t.get(`${widgets(t)}?includeObject=None`, { headers: table });
  },
  'types-that-do-not-fit': async (t) => {
    const types = ['integer', 'number', 'string', 'boolean', 'date'];
    const fields = ['size', 'ratio', 'label', 'enabled', 'template.when', 'tags', 'nested'];
    await withColumns(
      t,
      fields.flatMap((field) => types.map((type) => column(`${field}-${type}`, `.spec.${field}`, type))),
    );
    const spec = {
      size: 5,
      ratio: 1.5,
      label: 'abc',
      enabled: true,
      template: { when: '2020-01-01T00:00:00Z' },
      tags: ['a'],
      nested: { depth: 1 },
    };
    await t.post(widgets(t), widget(t, 'full', spec), { quiet: true });
    await t.get(`${widgets(t, 'full')}?includeObject=None`, {
      headers: table,
      show: (answer) =>
        ((answer.at('rows') ?? []) as JsonObject[]).map(({ cells = [] }) =>
          (cells as (string | number)[]).map((cell) => String(cell).replace(/^\d+y\d*d?$|^\d+d$/, '<years>')),
        ),
    });
  },
  priorities: async (t) => {
    await withColumns(t, [
      { ...column('Always', '.spec.size', 'integer'), priority: 0 },
      { ...column('Wide', '.spec.color'), priority: 1, description: 'Where it is.' },
      { ...column('Wider', '.spec.label'), priority: 99, format: 'password' },
      { ...column('Before', '.spec.ratio', 'number'), priority: -1, format: 'double' },
    ]);
    await t.post(widgets(t), widget(t, 'a', { color: 'red', label: 'abc', ratio: 1.5 }), { quiet: true });
    await t.get(`${widgets(t)}?includeObject=None`, { headers: table });
  },
  'invalid-columns': async (t) => {
    const post = (...list: JsonObject[]) =>
      t.post(`${crds}?dryRun=All`, widgetCrd(t, [widgetVersion('v1', { additionalPrinterColumns: list })]), {
        show: (answer) => answer.at('details.causes') ?? answer.code,
      });
    await post(column('', '.spec.size'));
    await post(column('A', ''));
    await post(column('A', 'spec.size'));
    await post(column('A', '.spec.size', 'thing'));
    await post({ ...column('A', '.spec.size'), format: 'odd' });
    await post(column('A', '.spec.tags['));
    await post(column('A', '{.spec.size}'));
    await post(column('A', '.spec.size'), column('A', '.spec.color'));
  },
  'versions-of-tables': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a', { size: 4 }), { quiet: true });
    const accept = (version: string, as = 'Table') => ({
      accept: `application/json;as=${as};v=${version};g=meta.k8s.io`,
    });
    await t.get(widgets(t), { headers: accept('v1beta1') });
    await t.get(widgets(t), { headers: accept('v1', 'PartialObjectMetadataList') });
    await t.get(widgets(t), { headers: accept('v1beta1', 'PartialObjectMetadataList') });
    await t.get(widgets(t, 'a'), { headers: accept('v1', 'PartialObjectMetadata') });
    await t.get(widgets(t, 'a'), { headers: accept('v1beta1', 'PartialObjectMetadata') });
    await t.get(widgets(t), { headers: accept('v1', 'PartialObjectMetadata') });
    await t.get(widgets(t, 'a'), { headers: accept('v1', 'PartialObjectMetadataList') });
    await t.get(widgets(t), { headers: { accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io' } });
    await t.get(widgets(t), {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.9' },
    });
  },
  'metadata-of-built-ins': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a', {}, { labels: { mine: 'yes' } }), { quiet: true });
    const accept = (as: string) => ({ accept: `application/json;as=${as};v=v1;g=meta.k8s.io` });
    await t.get(core(t, 'configmaps', 'a'), { headers: accept('PartialObjectMetadata') });
    await t.get(`${core(t, 'configmaps')}?labelSelector=mine`, { headers: accept('PartialObjectMetadataList') });
    await t.get(`${core(t, 'configmaps')}?labelSelector=mine`, { headers: accept('PartialObjectMetadata') });
    await t.get(core(t, 'configmaps', 'a'), { headers: accept('PartialObjectMetadataList') });
    await t.get(grouped(t, 'batch/v1', 'jobs'), { headers: accept('PartialObjectMetadata') });
    await t.post(core(t, 'configmaps'), configMap('b'), { headers: accept('PartialObjectMetadata') });
    const held = { metadata: { finalizers: ['example.com/x'] } };
    await t.patch(core(t, 'configmaps', 'a'), 'merge', held, { quiet: true });
    await t.delete(core(t, 'configmaps', 'a'), undefined, { headers: accept('Table') });
    await t.delete(`${core(t, 'configmaps')}?labelSelector=mine`, undefined, { headers: accept('Table') });
    await t.delete(core(t, 'configmaps', 'b'), undefined, { headers: accept('PartialObjectMetadata') });
  },
  'pages-and-selectors': async (t) => {
    await t.crd(widgetCrd(t));
    for (const name of ['a', 'b', 'c'])
      await t.post(widgets(t), widget(t, name, {}, { labels: { name } }), { quiet: true });
    const first = await t.get(`${widgets(t)}?limit=2&includeObject=None`, { headers: table });
    const rest = await t.get(`${widgets(t)}?limit=2&includeObject=None&continue=${first.str('metadata.continue')}`, {
      headers: table,
      quiet: true,
    });
    t.note('the second page', rest.body);
    await t.get(`${widgets(t)}?labelSelector=name%3Db&includeObject=Metadata`, { headers: table });
    await t.get(`${widgets(t)}?labelSelector=none`, { headers: table });
    await t.get(`/apis/${t.group}/v1/widgets?includeObject=None`, { headers: table });
  },
  'written-objects-as-tables': async (t) => {
    await t.crd(widgetCrd(t));
    const rows = (answer: ApiAnswer) =>
      ((answer.at('rows') ?? []) as JsonObject[]).map(({ cells = null }) => ({ cells }));
    const show = (answer: ApiAnswer) => (answer.at('kind') === 'Table' ? rows(answer) : answer.body);
    await t.post(widgets(t), widget(t, 'a', { size: 4 }), { headers: table, show });
    await t.put(widgets(t, 'a'), widget(t, 'a', { size: 5 }), { headers: table, show });
    await t.patch(widgets(t, 'a'), 'merge', { spec: { size: 6 } }, { headers: table, show });
    await t.patch(`${widgets(t, 'a')}/status`, 'merge', { status: { phase: 'x' } }, { headers: table, show });
    await t.delete(widgets(t, 'a'), undefined, { headers: table });
    await t.delete(widgets(t), undefined, { headers: table });
  },
  'pods-in-every-state': async (t) => {
    const path = core(t, 'pods');
    const container = (name: string) => ({ name, image: 'example.com/app:1' });
    const state = (ready: boolean, more: JsonObject) => ({
      name: 'main',
      ready,
      restartCount: 2,
      image: 'x',
      imageID: 'y',
      state: more,
    });
    const cases: Record<string, JsonObject> = {
      running: {
        phase: 'Running',
        podIP: '10.0.0.9',
        podIPs: [{ ip: '10.0.0.9' }],
        containerStatuses: [state(true, { running: {} })],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
      waiting: { phase: 'Pending', containerStatuses: [state(false, { waiting: { reason: 'CrashLoopBackOff' } })] },
      done: {
        phase: 'Succeeded',
        containerStatuses: [state(false, { terminated: { exitCode: 0, reason: 'Completed' } })],
      },
      failed: { phase: 'Failed', reason: 'Evicted' },
      signalled: { phase: 'Failed', containerStatuses: [state(false, { terminated: { exitCode: 137, signal: 9 } })] },
    };
    for (const [name, status] of Object.entries(cases)) {
      await t.post(path, pod(name, {}, { nodeName: 'n1', containers: [container('main')] }), { quiet: true });
      await t.patch(`${path}/${name}/status`, 'merge', { status }, { quiet: true });
    }
    await t.get(`${path}?includeObject=None`, { headers: table, show: (answer) => answer.at('rows') });
  },
  'tables-of-access': async (t) => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const role = {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: t.slug, labels: { [t.slug]: 'yes' } },
      rules: [],
    };
    await t.post(`/apis/${rbac}/clusterroles`, role, { quiet: true });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: t.slug };
    const subjects = [
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'a' },
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: t.ns },
    ];
    await t.post(
      `/apis/${rbac}/clusterrolebindings`,
      { ...role, kind: 'ClusterRoleBinding', rules: undefined, roleRef, subjects },
      { quiet: true },
    );
    await t.post(
      grouped(t, rbac, 'rolebindings'),
      { apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'b' }, roleRef, subjects },
      { quiet: true },
    );
    await t.get(`/apis/${rbac}/clusterroles?includeObject=None&labelSelector=${t.slug}`, { headers: table });
    await t.get(`/apis/${rbac}/clusterrolebindings?includeObject=None&labelSelector=${t.slug}`, { headers: table });
    await t.get(`${grouped(t, rbac, 'rolebindings')}?includeObject=None`, { headers: table });
    await t.post(
      core(t, 'serviceaccounts'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' }, secrets: [{ name: 'x' }] },
      { quiet: true },
    );
    await t.get(`${core(t, 'serviceaccounts', 'sa')}?includeObject=None`, { headers: table });
    await t.get(
      `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?includeObject=None&labelSelector=${t.slug}`,
      { headers: table },
    );
    await t.delete(`/apis/${rbac}/clusterrolebindings/${t.slug}`, undefined, { quiet: true });
    await t.delete(`/apis/${rbac}/clusterroles/${t.slug}`, undefined, { quiet: true });
  },
  'rows-with-whole-objects': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a', { x: '1' }, { labels: { mine: 'yes' } }), { quiet: true });
    for (const include of ['None', 'Metadata', 'Object', '', 'none']) {
      await t.get(`${core(t, 'configmaps')}?labelSelector=mine&includeObject=${include}`, { headers: table });
    }
    await t.get(`${core(t, 'configmaps', 'a')}?includeObject=Object`, { headers: table });
    await t.get(`${core(t, 'configmaps', 'none')}?includeObject=Object`, { headers: table });
  },
});
