import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets, widgetVersion } from '../fixtures.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

/** Answers as tables, which is what kubectl get prints. */
export const tables = topic('table', {
  widgets: async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a', { size: 4, color: 'red' }), { quiet: true });
    await t.patch(`${widgets(t, 'a')}/status`, 'merge', { status: { phase: 'Ready' } }, { quiet: true });
    await t.post(widgets(t), widget(t, 'b'), { quiet: true });
    await t.get(widgets(t), { headers: table });
    await t.get(widgets(t, 'a'), { headers: table });
    await t.get(`${widgets(t)}?includeObject=None`, { headers: table });
    await t.get(`${widgets(t)}?includeObject=Object`, { headers: table });
    await t.get(`${widgets(t)}?includeObject=Some`, { headers: table });
    await t.get(widgets(t, 'missing'), { headers: table });
  },
  'default-columns': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', { additionalPrinterColumns: [] })]));
    await t.post(widgets(t), widget(t, 'a'), { quiet: true });
    await t.get(widgets(t), { headers: table });
  },
  'column-types': async (t) => {
    const additionalPrinterColumns = [
      { name: 'Bool', type: 'boolean', jsonPath: '.spec.enabled' },
      { name: 'Number', type: 'number', jsonPath: '.spec.ratio' },
      { name: 'List', type: 'string', jsonPath: '.spec.tags' },
      { name: 'First', type: 'string', jsonPath: '.spec.tags[0]' },
      { name: 'Each', type: 'string', jsonPath: '.spec.ports[*].name' },
      { name: 'Map', type: 'string', jsonPath: '.spec.limits' },
      { name: 'Wrong', type: 'integer', jsonPath: '.spec.label' },
      { name: 'Old', type: 'date', jsonPath: '.spec.template.when' },
      { name: 'Filter', type: 'string', jsonPath: '.spec.ports[?(@.name=="b")].number' },
    ];
    await t.crd(widgetCrd(t, [widgetVersion('v1', { additionalPrinterColumns })]));
    const spec = {
      enabled: true,
      ratio: 0.5,
      tags: ['x', 'y'],
      ports: [
        { name: 'a', number: 1 },
        { name: 'b', number: 2 },
      ],
      limits: { cpu: 1 },
      label: 'abc',
      template: { when: 'not a date' },
    };
    await t.post(widgets(t), widget(t, 'full', spec), { quiet: true });
    await t.post(widgets(t), widget(t, 'empty'), { quiet: true });
    await t.get(`${widgets(t)}?includeObject=None`, { headers: table });
  },
  'built-ins': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a', { x: '1' }, { labels: { mine: 'yes' } }), { quiet: true });
    await t.post(
      core(t, 'secrets'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { x: 'MQ==' } },
      { quiet: true },
    );
    await t.post(core(t, 'pods'), pod('a'), { quiet: true });
    const query = '?includeObject=None';
    await t.get(`${core(t, 'configmaps')}${query}&labelSelector=mine`, { headers: table });
    await t.get(`${core(t, 'secrets')}${query}`, { headers: table });
    await t.get(`${core(t, 'pods')}${query}`, { headers: table });
    await t.get(`/api/v1/namespaces/${t.ns}${query}`, { headers: table });
    await t.get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions${query}&labelSelector=none`, {
      headers: table,
    });
  },
  'more-built-ins': async (t) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] } };
    const make = async (groupVersion: string, resource: string, body: JsonObject) => {
      await t.post(grouped(t, groupVersion, resource), { apiVersion: groupVersion, ...body }, { quiet: true });
      const path = `${grouped(t, groupVersion, resource)}?includeObject=None`;
      await t.get(path, { headers: table });
    };
    await make('batch/v1', 'jobs', { kind: 'Job', metadata: { name: 'a' }, spec: { template } });
    await make('coordination.k8s.io/v1', 'leases', {
      kind: 'Lease',
      metadata: { name: 'a' },
      spec: { holderIdentity: 'me' },
    });
    const selector = { matchLabels: { a: 'b' } };
    await make('policy/v1', 'poddisruptionbudgets', {
      kind: 'PodDisruptionBudget',
      metadata: { name: 'a' },
      spec: { minAvailable: '50%', selector },
    });
    await make('rbac.authorization.k8s.io/v1', 'roles', { kind: 'Role', metadata: { name: 'a' }, rules: [] });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };
    await make('rbac.authorization.k8s.io/v1', 'rolebindings', {
      kind: 'RoleBinding',
      metadata: { name: 'a' },
      roleRef,
      subjects: [],
    });
  },
  'events-and-nodes': async (t) => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a' },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: t.ns },
      reason: 'Tested',
      message: 'it happened',
      type: 'Normal',
      count: 3,
      source: { component: 'tester' },
    };
    await t.post(core(t, 'events'), event, { quiet: true });
    await t.get(`${core(t, 'events')}?includeObject=None`, { headers: table });
    const name = t.slug;
    await t.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } }, { quiet: true });
    await t.get(`/api/v1/nodes/${name}?includeObject=None`, { headers: table });
    await t.delete(`/api/v1/nodes/${name}`, undefined, { quiet: true });
  },
  'accept-order': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('a'), { quiet: true });
    const path = core(t, 'configmaps', 'a');
    const show = (answer: ApiAnswer) => answer.at('kind') ?? answer.body;
    await t.get(path, { headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' }, show });
    await t.get(path, { headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io,application/json' }, show });
    await t.get(path, { headers: { accept: 'application/json;as=Chair;v=v1;g=meta.k8s.io' }, show });
    await t.get(path, { headers: { accept: 'text/html' }, show });
    await t.get(path, { headers: { accept: '*/*' }, show });
    await t.get(path, { headers: { accept: 'application/*;q=0.5, text/html' }, show });
    await t.get(path, { headers: { accept: 'application/yaml' } });
  },
});
