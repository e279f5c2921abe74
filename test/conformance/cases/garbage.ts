import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets } from '../fixtures.ts';
import { allow, impersonate } from '../rbac-steps.ts';

const quiet = { quiet: true };
const gone = (answer: ApiAnswer) => answer.code === 404;
const deleting = (answer: ApiAnswer) => answer.at('metadata.deletionTimestamp') !== undefined;

function reference(owner: ApiAnswer, extra: JsonObject = {}): JsonObject {
  const { apiVersion = '', kind = '' } = owner.object;
  return { apiVersion, kind, name: owner.str('metadata.name'), uid: owner.str('metadata.uid'), ...extra };
}

const owned = (...owners: JsonObject[]): JsonObject => ({ ownerReferences: owners });

/** Creates a ConfigMap without recording it. */
function make(t: CaseRun, name: string, metadata: JsonObject = {}) {
  return t.post(core(t, 'configmaps'), configMap(name, {}, metadata), quiet);
}

/** Makes a namespace of its own for a case. */
async function namespace(t: CaseRun, suffix: string): Promise<string> {
  const name = `${t.slug}-${suffix}`;
  await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, quiet);
  return name;
}

/** The garbage collector and the end of namespaces. */
export const garbage = topic('garbage', {
  'three-generations': async (t) => {
    await t.crd(widgetCrd(t));
    const top = await make(t, 'top');
    const middle = await t.post(widgets(t), widget(t, 'middle', {}, owned(reference(top))), quiet);
    await t.post(
      core(t, 'secrets'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bottom', ...owned(reference(middle)) } },
      quiet,
    );
    await t.delete(core(t, 'configmaps', 'top'));
    await t.until(widgets(t, 'middle'), gone);
    await t.until(core(t, 'secrets', 'bottom'), gone);
  },
  'foreground-three-generations': async (t) => {
    const top = await make(t, 'top');
    const middle = await make(t, 'middle', owned(reference(top, { blockOwnerDeletion: true })));
    const finalizers = ['example.com/hold'];
    await make(t, 'bottom', { ...owned(reference(middle, { blockOwnerDeletion: true })), finalizers });
    await t.delete(`${core(t, 'configmaps', 'top')}?propagationPolicy=Foreground`);
    await t.until(core(t, 'configmaps', 'bottom'), deleting);
    await t.until(core(t, 'configmaps', 'middle'), deleting);
    await t.get(core(t, 'configmaps', 'top'));
    await t.patch(core(t, 'configmaps', 'bottom'), 'merge', { metadata: { finalizers: null } }, quiet);
    for (const name of ['bottom', 'middle', 'top']) await t.until(core(t, 'configmaps', name), gone);
  },
  'foreground-without-blocking': async (t) => {
    const owner = await make(t, 'owner');
    const finalizers = ['example.com/hold'];
    await make(t, 'child', { ...owned(reference(owner, { blockOwnerDeletion: false })), finalizers });
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Foreground`);
    await t.until(core(t, 'configmaps', 'owner'), gone);
    await t.until(core(t, 'configmaps', 'child'), deleting);
    await t.patch(core(t, 'configmaps', 'child'), 'merge', { metadata: { finalizers: null } }, quiet);
    await t.until(core(t, 'configmaps', 'child'), gone);
  },
  'foreground-with-a-second-owner': async (t) => {
    const first = await make(t, 'first');
    const second = await make(t, 'second');
    await make(
      t,
      'child',
      owned(reference(first, { blockOwnerDeletion: true }), reference(second, { controller: true })),
    );
    await t.delete(`${core(t, 'configmaps', 'first')}?propagationPolicy=Foreground`);
    await t.until(core(t, 'configmaps', 'first'), gone);
    await t.until(
      core(t, 'configmaps', 'child'),
      (answer) => ((answer.at('metadata.ownerReferences') ?? []) as unknown[]).length === 1,
    );
  },
  'orphans-of-custom-resources': async (t) => {
    await t.crd(widgetCrd(t));
    const owner = await t.post(widgets(t), widget(t, 'owner'), quiet);
    await make(t, 'one', owned(reference(owner)));
    await t.post(widgets(t), widget(t, 'two', {}, owned(reference(owner, { controller: true }))), quiet);
    await t.delete(widgets(t, 'owner'), { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' });
    await t.until(widgets(t, 'owner'), gone);
    await t.get(core(t, 'configmaps', 'one'));
    await t.get(widgets(t, 'two'));
  },
  'orphan-by-finalizer': async (t) => {
    const owner = await make(t, 'owner', { finalizers: ['orphan'] });
    await make(t, 'child', owned(reference(owner)));
    await t.delete(core(t, 'configmaps', 'owner'));
    await t.until(core(t, 'configmaps', 'owner'), gone);
    await t.get(core(t, 'configmaps', 'child'));
  },
  'old-orphan-option': async (t) => {
    const owner = await make(t, 'owner');
    await make(t, 'child', owned(reference(owner)));
    await t.delete(core(t, 'configmaps', 'owner'), { kind: 'DeleteOptions', apiVersion: 'v1', orphanDependents: true });
    await t.until(core(t, 'configmaps', 'owner'), gone);
    await t.get(core(t, 'configmaps', 'child'));
    const second = await make(t, 'second');
    await make(t, 'child-two', owned(reference(second)));
    await t.delete(`${core(t, 'configmaps', 'second')}?orphanDependents=false`);
    await t.until(core(t, 'configmaps', 'child-two'), gone);
  },
  'policy-changed-while-deleting': async (t) => {
    const finalizers = ['example.com/hold'];
    const owner = await make(t, 'owner', { finalizers });
    await make(t, 'child', owned(reference(owner, { blockOwnerDeletion: true })));
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Foreground`);
    await t.until(core(t, 'configmaps', 'child'), gone);
    await t.until(core(t, 'configmaps', 'owner'), (answer) => !answer.text.includes('foregroundDeletion'));
    await t.delete(`${core(t, 'configmaps', 'owner')}?propagationPolicy=Orphan`);
    await t.get(core(t, 'configmaps', 'owner'), {
      show: (answer) => (answer.at('metadata.finalizers') as string[]).includes('example.com/hold'),
    });
    await t.patch(core(t, 'configmaps', 'owner'), 'merge', { metadata: { finalizers: null } }, quiet);
    await t.until(core(t, 'configmaps', 'owner'), gone);
  },
  'owners-in-other-namespaces': async (t) => {
    const other = await namespace(t, 'x');
    const owner = await t.post(`/api/v1/namespaces/${other}/configmaps`, configMap('owner'), quiet);
    await make(t, 'child', owned(reference(owner)));
    await t.until(core(t, 'configmaps', 'child'), gone);
    await t.get(`/api/v1/namespaces/${other}/configmaps/owner`, { show: (answer) => answer.code });
    const cluster = await t.get(`/api/v1/namespaces/${other}`, quiet);
    await make(t, 'of-cluster', owned(reference(cluster)));
    await t.delete(`/api/v1/namespaces/${other}`, undefined, quiet);
    await t.until(core(t, 'configmaps', 'of-cluster'), gone);
  },
  'wrong-owner-names': async (t) => {
    const owner = await make(t, 'owner');
    await make(t, 'wrong-name', owned(reference(owner, { name: 'other' })));
    await t.until(core(t, 'configmaps', 'wrong-name'), gone);
    await make(t, 'wrong-uid', owned(reference(owner, { uid: '11111111-2222-3333-4444-555555555555' })));
    await t.until(core(t, 'configmaps', 'wrong-uid'), gone);
    await make(t, 'right', owned(reference(owner)));
    await t.get(core(t, 'configmaps', 'right'), { show: (answer) => answer.code });
  },
  'owner-added-later': async (t) => {
    const owner = await make(t, 'owner');
    await make(t, 'child');
    await t.patch(core(t, 'configmaps', 'child'), 'merge', { metadata: owned(reference(owner)) });
    await t.delete(core(t, 'configmaps', 'owner'), undefined, quiet);
    await t.until(core(t, 'configmaps', 'child'), gone);
    const second = await make(t, 'second');
    await make(t, 'freed', owned(reference(second)));
    await t.patch(core(t, 'configmaps', 'freed'), 'merge', { metadata: { ownerReferences: null } });
    await t.delete(core(t, 'configmaps', 'second'), undefined, quiet);
    await t.get(core(t, 'configmaps', 'freed'), { show: (answer) => answer.code });
  },
  'blocking-needs-the-right-to-delete': async (t) => {
    const user = `${t.slug}-user`;
    const owner = await make(t, 'owner');
    const verbs = ['create', 'get', 'update', 'patch'];
    await allow(t, user, [{ apiGroups: [''], resources: ['configmaps'], verbs }], {
      verb: 'create',
      resource: 'configmaps',
    });
    const as = impersonate(user);
    await t.post(
      core(t, 'configmaps'),
      configMap('blocked', {}, owned(reference(owner, { blockOwnerDeletion: true }))),
      as,
    );
    await t.post(core(t, 'configmaps'), configMap('plain', {}, owned(reference(owner))), as);
    await t.patch(core(t, 'configmaps', 'plain'), 'merge', { metadata: { ownerReferences: null } }, as);
  },
  'jobs-leave-their-pods': async (t) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] } };
    const jobs = grouped(t, 'batch/v1', 'jobs');
    const job = await t.post(
      jobs,
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'one' }, spec: { template } },
      quiet,
    );
    await t.post(core(t, 'pods'), pod('of-job', owned(reference(job, { controller: true }))), quiet);
    await t.delete(`${jobs}/one`);
    await t.until(`${jobs}/one`, gone);
    await t.get(core(t, 'pods', 'of-job'), { show: (answer) => answer.at('metadata.ownerReferences') ?? null });
    const second = await t.post(
      jobs,
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'two' }, spec: { template } },
      quiet,
    );
    await t.post(core(t, 'pods'), pod('of-two', owned(reference(second))), quiet);
    await t.delete(`${jobs}/two?propagationPolicy=Background`);
    await t.until(core(t, 'pods', 'of-two'), gone);
  },
  'namespace-with-own-finalizer': async (t) => {
    const name = `${t.slug}-x`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, finalizers: ['example.com/keep'] } };
    await t.post('/api/v1/namespaces', body);
    await t.delete(`/api/v1/namespaces/${name}`);
    const path = `/api/v1/namespaces/${name}`;
    await t.until(path, (answer) => JSON.stringify(answer.at('spec')) === '{}');
    await t.delete(path);
    await t.patch(path, 'merge', { metadata: { finalizers: null } });
    await t.until(path, gone);
  },
  'namespace-deleted-twice': async (t) => {
    const name = await namespace(t, 'x');
    const path = `/api/v1/namespaces/${name}`;
    await t.post(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/x'] }), quiet);
    await t.delete(path, undefined, quiet);
    await t.until(`${path}/configmaps/held`, deleting);
    await t.until(path, (answer) => answer.text.includes('NamespaceFinalizersRemaining'), {
      show: (answer) => answer.at('status'),
    });
    await t.delete(path, undefined, { show: (answer) => [answer.code, answer.at('kind') ?? null] });
    await t.post(
      '/api/v1/namespaces',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      { show: (answer) => answer.at('message') },
    );
    await t.patch(`${path}/configmaps/held`, 'merge', { data: { late: 'change' } }, { show: (answer) => answer.code });
    await t.patch(`${path}/configmaps/new?fieldManager=a`, 'apply', configMap('new'));
    await t.patch(`${path}/configmaps/held`, 'merge', { metadata: { finalizers: null } }, quiet);
    await t.until(path, gone);
    await t.post(`${path}/configmaps`, configMap('late'));
  },
  'namespace-preconditions': async (t) => {
    const name = await namespace(t, 'x');
    const path = `/api/v1/namespaces/${name}`;
    const options = (preconditions: JsonObject) => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });
    await t.delete(path, options({ uid: '11111111-2222-3333-4444-555555555555' }));
    const now = await t.get(path, quiet);
    await t.delete(path, options({ uid: now.str('metadata.uid') }), {
      show: (answer) => [answer.at('status') ?? null, answer.at('kind') ?? null],
    });
    await t.until(path, gone);
  },
});
