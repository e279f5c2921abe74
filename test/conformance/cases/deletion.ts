import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgets } from '../fixtures.ts';

function ownedBy(owner: { str(path: string): string }, extra: JsonObject = {}): JsonObject {
  const uid = owner.str('metadata.uid');
  const name = owner.str('metadata.name');
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...extra }] };
}

async function family(t: CaseRun, reference: JsonObject = {}) {
  const owner = await t.post(core(t, 'configmaps'), configMap('owner'), { quiet: true });
  await t.post(core(t, 'configmaps'), configMap('child', {}, ownedBy(owner, reference)), { quiet: true });
  return owner;
}

/** Finalizers, preconditions, collections and garbage collection. */
export const deletion = topic('deletion', {
  finalizers: async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    await t.delete(core(t, 'configmaps', 'one'));
    await t.delete(core(t, 'configmaps', 'one'));
    await t.get(core(t, 'configmaps', 'one'));
    await t.patch(core(t, 'configmaps', 'one'), 'merge', {
      metadata: { finalizers: ['example.com/b', 'example.com/new'] },
    });
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { metadata: { finalizers: ['example.com/b'] } });
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { data: { still: 'writable' } });
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { metadata: { finalizers: null } });
    await t.get(core(t, 'configmaps', 'one'));
  },
  'finalizers-of-widgets': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', {}, { finalizers: ['example.com/a'] }));
    await t.delete(widgets(t, 'one'));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 9 } });
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'remove', path: '/metadata/finalizers' }]);
    await t.get(widgets(t, 'one'));
  },
  preconditions: async (t) => {
    const made = await t.post(core(t, 'configmaps'), configMap('one'));
    const options = (preconditions: JsonObject) => ({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
    await t.delete(core(t, 'configmaps', 'one'), options({ uid: '11111111-2222-3333-4444-555555555555' }));
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { data: { a: '1' } });
    const old = made.str('metadata.resourceVersion');
    const refused = await t.delete(core(t, 'configmaps', 'one'), options({ resourceVersion: old }), { quiet: true });
    t.note('refusal', [refused.code, refused.str('reason'), refused.str('message').replaceAll(/\d+/g, '<n>')]);
    await t.delete(core(t, 'configmaps', 'one'), options({ uid: made.str('metadata.uid') }));
    await t.delete(core(t, 'configmaps', 'one'), options({ uid: made.str('metadata.uid') }));
  },
  'delete-options': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const path = core(t, 'configmaps', 'one');
    await t.delete(path, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Sideways' });
    await t.delete(`${path}?propagationPolicy=Sideways`);
    await t.delete(path, { apiVersion: 'v1', kind: 'ConfigMap' });
    await t.delete(path, 'not json');
    await t.delete(path, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      orphanDependents: true,
      propagationPolicy: 'Orphan',
    });
    await t.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: -1 });
    await t.delete(`${path}?gracePeriodSeconds=soon`);
    await t.delete(`${path}?gracePeriodSeconds=0`);
  },
  'delete-collection': async (t) => {
    for (const name of ['a', 'b', 'c']) {
      const labels = { part: name === 'c' ? 'two' : 'one' };
      await t.post(core(t, 'configmaps'), configMap(name, {}, { labels }), { quiet: true });
    }
    await t.delete(`${core(t, 'configmaps')}?labelSelector=part%3Done&dryRun=All`);
    await t.delete(`${core(t, 'configmaps')}?labelSelector=part%3Done`);
    await t.get(`${core(t, 'configmaps')}?labelSelector=part`);
    await t.delete(`${core(t, 'configmaps')}?labelSelector=part%3D%3D%3D`);
    await t.delete(`${core(t, 'configmaps')}?fieldSelector=metadata.name%3Dc`);
    await t.get(`${core(t, 'configmaps')}?labelSelector=part`);
  },
  'delete-collection-by-pages': async (t) => {
    for (const name of ['a', 'b', 'c']) {
      await t.post(core(t, 'configmaps'), configMap(name, {}, { labels: { part: 'one' } }), { quiet: true });
    }
    await t.delete(`${core(t, 'configmaps')}?labelSelector=part&limit=1`);
    await t.get(`${core(t, 'configmaps')}?labelSelector=part`);
  },
  'delete-widget-collection': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'a'), { quiet: true });
    await t.post(widgets(t), widget(t, 'b', {}, { finalizers: ['example.com/x'] }), { quiet: true });
    await t.delete(widgets(t));
    await t.get(widgets(t));
    await t.patch(widgets(t, 'b'), 'merge', { metadata: { finalizers: [] } });
    await t.get(widgets(t));
  },
  'pod-grace': async (t) => {
    await t.post(core(t, 'pods'), pod('pending'), { quiet: true });
    await t.delete(core(t, 'pods', 'pending'));
    await t.post(core(t, 'pods'), pod('bound', {}, { nodeName: 'n1' }), { quiet: true });
    await t.delete(core(t, 'pods', 'bound'));
    await t.delete(`${core(t, 'pods', 'bound')}?gracePeriodSeconds=5`);
    await t.delete(`${core(t, 'pods', 'bound')}?gracePeriodSeconds=0`);
    await t.get(core(t, 'pods', 'bound'));
  },
  'background-propagation': async (t) => {
    await family(t);
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Background`);
    await t.until(core(t, 'configmaps', 'child'), (answer) => answer.code === 404);
  },
  'foreground-propagation': async (t) => {
    await family(t, { blockOwnerDeletion: true });
    const child = core(t, 'configmaps', 'child');
    await t.patch(child, 'merge', { metadata: { finalizers: ['example.com/hold'] } }, { quiet: true });
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Foreground`);
    await t.until(child, (answer) => answer.at('metadata.deletionTimestamp') !== undefined);
    await t.get(core(t, 'configmaps', 'owner'));
    await t.patch(child, 'merge', { metadata: { finalizers: null } });
    await t.until(core(t, 'configmaps', 'owner'), (answer) => answer.code === 404);
  },
  'orphan-propagation': async (t) => {
    await family(t);
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Orphan`);
    await t.until(core(t, 'configmaps', 'owner'), (answer) => answer.code === 404);
    await t.get(core(t, 'configmaps', 'child'));
  },
  'owner-that-never-was': async (t) => {
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'ghost',
      uid: '11111111-2222-3333-4444-555555555555',
    };
    await t.post(core(t, 'configmaps'), configMap('child', {}, { ownerReferences: [reference] }));
    await t.until(core(t, 'configmaps', 'child'), (answer) => answer.code === 404);
  },
  'one-of-two-owners': async (t) => {
    const first = await t.post(core(t, 'configmaps'), configMap('first'), { quiet: true });
    const second = await t.post(core(t, 'configmaps'), configMap('second'), { quiet: true });
    const ownerReferences = [first, second].flatMap((owner) => ownedBy(owner).ownerReferences as JsonObject[]);
    await t.post(core(t, 'configmaps'), configMap('child', {}, { ownerReferences }));
    await t.delete(core(t, 'configmaps', 'first'));
    await t.until(
      core(t, 'configmaps', 'child'),
      (answer) => (answer.at('metadata.ownerReferences.length') ?? 0) === 1,
    );
    await t.delete(core(t, 'configmaps', 'second'));
    await t.until(core(t, 'configmaps', 'child'), (answer) => answer.code === 404);
  },
  'bad-owner-references': async (t) => {
    const good = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '11111111-2222-3333-4444-555555555555' };
    const bad = (reference: JsonObject) => configMap('one', {}, { ownerReferences: [{ ...good, ...reference }] });
    await t.post(core(t, 'configmaps'), bad({ uid: '' }));
    await t.post(core(t, 'configmaps'), bad({ name: '', kind: '' }));
    await t.post(core(t, 'configmaps'), bad({ apiVersion: 'a/b/c' }));
    await t.post(core(t, 'configmaps'), bad({ apiVersion: 'v1', kind: 'Event' }));
    const twice = [good, { ...good, uid: '11111111-2222-3333-4444-555555555556' }].map((each) => ({
      ...each,
      controller: true,
    }));
    await t.post(core(t, 'configmaps'), configMap('one', {}, { ownerReferences: twice }));
  },
  'namespace-goes-with-everything': async (t) => {
    const name = `${t.slug}-x`;
    await t.crd(widgetCrd(t));
    await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await t.post(`/api/v1/namespaces/${name}/configmaps`, configMap('one'), { quiet: true });
    const held = widget(t, 'held', {}, { finalizers: ['example.com/hold'] });
    await t.post(`/apis/${t.group}/v1/namespaces/${name}/widgets`, held, { quiet: true });
    await t.delete(`/api/v1/namespaces/${name}`);
    await t.post(`/api/v1/namespaces/${name}/configmaps`, configMap('late'));
    await t.until(`/api/v1/namespaces/${name}/configmaps/one`, (answer) => answer.code === 404);
    const path = `/apis/${t.group}/v1/namespaces/${name}/widgets/held`;
    await t.until(path, (answer) => answer.at('metadata.deletionTimestamp') !== undefined);
    const hasRemaining = (answer: { text: string }) => answer.text.includes('NamespaceFinalizersRemaining');
    await t.until(`/api/v1/namespaces/${name}`, hasRemaining, {
      show: (answer) => answer.at('status') ?? null,
    });
    await t.patch(path, 'merge', { metadata: { finalizers: null } });
    await t.until(`/api/v1/namespaces/${name}`, (answer) => answer.code === 404);
  },
  'protected-namespaces': async (t) => {
    await t.delete('/api/v1/namespaces/default');
    await t.delete('/api/v1/namespaces/kube-system');
    await t.get('/api/v1/namespaces/default', {
      show: (answer) => [answer.at('spec') ?? null, answer.at('status') ?? null],
    });
  },
});
