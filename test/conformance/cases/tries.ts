import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets } from '../fixtures.ts';
import { askedOf, jsonPatch, register, review } from '../webhook-steps.ts';

const dry = 'dryRun=All';
const show = (answer: ApiAnswer) => answer.at('metadata.name') ?? answer.body;

/** What is in the namespace, to see that nothing was stored. */
async function stored(t: CaseRun, path: string): Promise<void> {
  await t.get(path, {
    show: (answer) =>
      ((answer.at('items') ?? []) as JsonObject[]).map(({ metadata }) => (metadata as JsonObject).name ?? ''),
  });
}

/** Dry runs of everything, collections deleted by selectors, and scale. */
export const tries = topic('tries', {
  'every-verb-on-widgets': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), widget(t, 'one', { size: 1 }));
    await t.post(`${widgets(t)}?${dry}`, widget(t, 'two', { size: 2 }));
    await t.put(`${widgets(t, 'one')}?${dry}`, { ...made.object, spec: { size: 3 } });
    await t.patch(`${widgets(t, 'one')}?${dry}`, 'merge', { spec: { size: 4 } });
    await t.patch(`${widgets(t, 'one')}?${dry}`, 'json', [{ op: 'replace', path: '/spec/size', value: 5 }]);
    await t.patch(`${widgets(t, 'one')}?${dry}&fieldManager=a&force=true`, 'apply', widget(t, 'one', { size: 6 }));
    await t.patch(`${widgets(t, 'new')}?${dry}&fieldManager=a`, 'apply', widget(t, 'new', { size: 6 }));
    await t.delete(`${widgets(t, 'one')}?${dry}`);
    await t.delete(`${widgets(t)}?${dry}`);
    await t.get(widgets(t));
  },
  'status-and-scale': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { replicas: 1 }), { quiet: true });
    await t.patch(`${widgets(t, 'one')}/status?${dry}`, 'merge', { status: { phase: 'x' } });
    await t.patch(`${widgets(t, 'one')}/scale?${dry}`, 'merge', { spec: { replicas: 4 } });
    await t.put(`${widgets(t, 'one')}/status?${dry}`, { ...widget(t, 'one'), status: { phase: 'y' } });
    await t.get(widgets(t, 'one'));
  },
  'conflicts-and-absences': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.post(`${core(t, 'configmaps')}?${dry}`, configMap('one'));
    await t.put(`${core(t, 'configmaps', 'one')}?${dry}`, configMap('one', {}, { resourceVersion: '1' }));
    await t.put(`${core(t, 'configmaps', 'none')}?${dry}`, configMap('none'));
    await t.delete(`${core(t, 'configmaps', 'none')}?${dry}`);
    await t.patch(`${core(t, 'configmaps', 'none')}?${dry}`, 'merge', {});
    await t.post(`${core(t, 'configmaps')}?${dry}`, configMap('Bad_Name'));
    await t.post(`${core(t, 'configmaps')}?${dry}&dryRun=All`, configMap('two'), { show });
    await t.post(`${core(t, 'configmaps')}?dryRun=All&dryRun=None`, configMap('two'));
    await t.post(`${core(t, 'configmaps')}?dryRun=`, configMap('kept'), { show });
    await stored(t, `${core(t, 'configmaps')}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
  },
  'generated-names': async (t) => {
    const unnamed = { ...configMap('x'), metadata: { generateName: 'made-' } };
    await t.post(`${core(t, 'configmaps')}?${dry}`, unnamed);
    await stored(t, `${core(t, 'configmaps')}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
  },
  namespaces: async (t) => {
    const name = `${t.slug}-x`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await t.post(`/api/v1/namespaces?${dry}`, body);
    await t.get(`/api/v1/namespaces/${name}`);
    await t.post(`/api/v1/namespaces/${name}/configmaps?${dry}`, configMap('one'));
    await t.delete(`/api/v1/namespaces/${t.ns}?${dry}`);
    await t.get(`/api/v1/namespaces/${t.ns}`, { show: (answer) => answer.at('status') });
  },
  'finalizers-and-grace': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('held', {}, { finalizers: ['example.com/x'] }), { quiet: true });
    await t.delete(`${core(t, 'configmaps', 'held')}?${dry}`);
    await t.delete(`${core(t, 'configmaps', 'held')}?${dry}&propagationPolicy=Foreground`);
    await t.get(core(t, 'configmaps', 'held'));
    await t.patch(`${core(t, 'configmaps', 'held')}?${dry}`, 'merge', { metadata: { finalizers: null } });
    await t.post(core(t, 'pods'), pod('one', {}, { nodeName: 'n1' }), { quiet: true });
    await t.delete(`${core(t, 'pods', 'one')}?${dry}&gracePeriodSeconds=7`);
    await t.get(core(t, 'pods', 'one'), { show: (answer) => answer.at('metadata.deletionTimestamp') });
    await t.delete(core(t, 'configmaps', 'held'), undefined, { quiet: true });
    await t.patch(`${core(t, 'configmaps', 'held')}?${dry}`, 'merge', { metadata: { finalizers: null } });
    await t.get(core(t, 'configmaps', 'held'), { show: (answer) => answer.code });
  },
  definitions: async (t) => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await t.post(`${crds}?${dry}`, widgetCrd(t), {
      show: (answer) => [answer.at('status') ?? null, answer.at('metadata.name') ?? null],
    });
    await t.get(`${crds}/widgets.${t.group}`);
    await t.get(`/apis/${t.group}`);
    await t.crd(widgetCrd(t));
    await t.patch(
      `${crds}/widgets.${t.group}?${dry}`,
      'merge',
      { spec: { names: { shortNames: ['zz'] } } },
      { show: (answer) => answer.at('spec.names') },
    );
    await t.delete(`${crds}/widgets.${t.group}?${dry}`, undefined, {
      show: (answer) => [answer.at('kind') ?? null, answer.at('metadata.deletionTimestamp') ?? null],
    });
    await t.get(widgets(t));
  },
  'other-built-ins': async (t) => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    await t.post(`${grouped(t, rbac, 'roles')}?${dry}`, {
      apiVersion: rbac,
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [],
    });
    await t.post(`${core(t, 'secrets')}?${dry}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { a: 'b' },
    });
    await t.post(`${core(t, 'pods')}?${dry}`, pod('p'), { show: (answer) => answer.at('status') });
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { holderIdentity: 'x' },
    };
    await t.post(`${grouped(t, 'coordination.k8s.io/v1', 'leases')}?${dry}`, lease);
    await t.put(`${grouped(t, 'coordination.k8s.io/v1', 'leases', 'l')}?${dry}`, lease);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    await t.post(core(t, 'pods'), pod('p'), { quiet: true });
    await t.post(`${core(t, 'pods', 'p')}/eviction?${dry}`, eviction);
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    await t.post(`${core(t, 'pods', 'p')}/binding?${dry}`, binding);
    await t.get(core(t, 'pods', 'p'), {
      show: (answer) => [answer.at('spec.nodeName') ?? null, answer.at('metadata.deletionTimestamp') ?? null],
    });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    await t.post(
      core(t, 'serviceaccounts'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } },
      { quiet: true },
    );
    await t.post(`${core(t, 'serviceaccounts', 'sa')}/token?${dry}`, request, {
      show: (answer) => [answer.code, answer.str('reason'), typeof answer.at('status.token')],
    });
  },
  'webhooks-and-dry-runs': async (t) => {
    const hook = await t.webhook((asked) =>
      review(asked, {
        allowed: true,
        ...jsonPatch([{ op: 'add', path: '/data', value: { dry: String(askedOf(asked).dryRun) } }]),
      }),
    );
    await register(t, hook, { kind: 'MutatingWebhookConfiguration', changes: { sideEffects: 'NoneOnDryRun' } });
    await t.post(`${core(t, 'configmaps')}?${dry}`, configMap('one'));
    await t.post(core(t, 'configmaps'), configMap('one'));
    await t.patch(`${core(t, 'configmaps', 'one')}?${dry}`, 'merge', { metadata: { labels: { a: 'b' } } });
  },
  'collection-by-labels-and-fields': async (t) => {
    await t.crd(widgetCrd(t));
    for (const name of ['a', 'b', 'c', 'd']) {
      const labels = { odd: String(name === 'a' || name === 'c'), name };
      await t.post(widgets(t), widget(t, name, {}, { labels }), { quiet: true });
    }
    await t.delete(`${widgets(t)}?labelSelector=odd%3Dtrue,name!%3Dc`);
    await stored(t, widgets(t));
    await t.delete(`${widgets(t)}?labelSelector=name+in+(b,c)&fieldSelector=metadata.name%3Db`);
    await stored(t, widgets(t));
    await t.delete(`${widgets(t)}?fieldSelector=spec.size%3D1`);
    await t.delete(`${widgets(t)}?labelSelector=none`);
    await t.delete(widgets(t));
    await stored(t, widgets(t));
  },
  'collection-options': async (t) => {
    const make = (name: string, metadata: JsonObject = {}) =>
      t.post(core(t, 'configmaps'), configMap(name, {}, { labels: { mine: 'yes' }, ...metadata }), { quiet: true });
    await make('a');
    const path = `${core(t, 'configmaps')}?labelSelector=mine`;
    await t.delete(path, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: '11111111-2222-3333-4444-555555555555' },
    });
    await t.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Sideways' });
    await t.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] });
    await t.delete(path, 'not json');
    await t.delete(`${path}&resourceVersion=abc`);
    await t.delete(`${path}&limit=x`);
    await stored(t, path);
    await t.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' });
    await t.until(path, (answer) => ((answer.at('items') ?? []) as unknown[]).length === 0, {
      show: (answer) => answer.at('items'),
    });
    await make('held', { finalizers: ['example.com/x'] });
    await make('free');
    await t.delete(path);
    await t.get(path);
  },
  'collection-of-pods-and-others': async (t) => {
    await t.post(core(t, 'pods'), pod('bound', {}, { nodeName: 'n1' }), { quiet: true });
    await t.post(core(t, 'pods'), pod('free'), { quiet: true });
    await t.delete(`${core(t, 'pods')}?fieldSelector=spec.nodeName%3Dn1&gracePeriodSeconds=3`);
    await t.delete(`${core(t, 'pods')}?gracePeriodSeconds=0`);
    await stored(t, core(t, 'pods'));
    await t.delete('/api/v1/namespaces');
    await t.delete('/api/v1/configmaps');
    await t.delete(core(t, 'events'));
    await t.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions?labelSelector=${t.slug}`);
  },
  'scale-needs-its-path': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'bare', {}), { quiet: true });
    const path = `${widgets(t, 'bare')}/scale`;
    await t.patch(
      path,
      'merge',
      { spec: { replicas: 3 } },
      { show: (answer) => [answer.at('spec') ?? null, answer.at('status') ?? null, answer.at('message') ?? null] },
    );
    await t.patch(path, 'json', [{ op: 'replace', path: '/spec/replicas', value: 4 }], {
      show: (answer) => answer.at('spec') ?? answer.body,
    });
    await t.patch(path, 'json', [{ op: 'test', path: '/spec/replicas', value: 99 }]);
    await t.get(path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
    await t.get(path, { headers: { accept: 'application/yaml' } });
    const scale = await t.get(path, { quiet: true });
    await t.put(
      path,
      { ...scale.object, status: { replicas: 77 }, spec: { replicas: 5 } },
      { show: (answer) => [answer.at('spec') ?? null, answer.at('status') ?? null] },
    );
    await t.put(path, { ...scale.object, spec: {} }, { show: (answer) => answer.at('spec') ?? answer.body });
    await t.delete(path);
  },
  'scale-defined-wrongly': async (t) => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const post = (scale: JsonObject) => {
      const version = {
        ...((widgetCrd(t).spec as JsonObject).versions as JsonObject[])[0],
        subresources: { status: {}, scale },
      };
      return t.post(`${crds}?${dry}`, widgetCrd(t, [version]), {
        show: (answer) => answer.at('details.causes') ?? answer.code,
      });
    };
    const good = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await post({});
    await post({ ...good, specReplicasPath: 'spec.replicas' });
    await post({ ...good, specReplicasPath: '.status.replicas' });
    await post({ ...good, statusReplicasPath: '.spec.replicas' });
    await post({ ...good, labelSelectorPath: '.metadata.labels' });
    await post({ ...good, specReplicasPath: '.spec.list[0].replicas' });
    await post({ ...good, labelSelectorPath: '.spec.selector' });
  },
});
