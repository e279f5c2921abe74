import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import { type CaseRun, patchTypes } from '../case-run.ts';
import { configMap, core, grouped, widget, widgetCrd, widgets } from '../fixtures.ts';

const uid = (digit: number): string => `11111111-2222-3333-4444-55555555555${digit}`;
const owner = (digit: number, changes: JsonObject = {}): JsonObject => ({
  // Of no kind that is served, so that no garbage collector finds out that it is missing.
  apiVersion: 'nowhere.example.com/v1',
  kind: 'Nobody',
  name: `owner-${digit}`,
  uid: uid(digit),
  ...changes,
});
const patchAs = (type: keyof typeof patchTypes) => ({ headers: { 'content-type': patchTypes[type] } });

/** Lets a user do something in the case's namespace, and waits until the server knows. */
async function allow(t: CaseRun, user: string, rules: JsonObject[], probe: JsonObject): Promise<void> {
  const version = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: user };
  await t.post(grouped(t, version, 'roles'), { apiVersion: version, kind: 'Role', metadata, rules }, { quiet: true });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user };
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }];
  const binding = { apiVersion: version, kind: 'RoleBinding', metadata, roleRef, subjects };
  await t.post(grouped(t, version, 'rolebindings'), binding, { quiet: true });
  const spec = { user, resourceAttributes: { namespace: t.ns, ...probe } };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  await t.settle('the role is in force', async () => {
    const answer = await t.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', review, { quiet: true });
    return answer.at('status.allowed') === true;
  });
}

/** Requests that only a careless, a curious or a hostile client sends. */
export const edges = topic('edges', {
  'owners-named-twice': async (t) => {
    const cms = core(t, 'configmaps');
    await t.post(cms, configMap('one', {}, { ownerReferences: [owner(1), owner(1)] }));
    await t.post(cms, configMap('two', {}, { ownerReferences: [owner(1), owner(2), owner(1), owner(2), owner(3)] }));
    await t.post(cms, configMap('three', {}, { ownerReferences: [owner(1), owner(1, { blockOwnerDeletion: true })] }));
    await t.post(`${cms}?fieldValidation=Strict`, configMap('four', {}, { ownerReferences: [owner(1), owner(1)] }));
    await t.post(cms, configMap('five', {}, { ownerReferences: [owner(1, { uid: '' }), owner(1, { uid: '' })] }));
    await t.put(core(t, 'configmaps', 'one'), configMap('one', {}, { ownerReferences: [owner(4), owner(4)] }));
    const twice = { metadata: { ownerReferences: [owner(5), owner(5), owner(6)] } };
    await t.request('PATCH', core(t, 'configmaps', 'one'), twice, patchAs('merge'));
    await t.request('PATCH', core(t, 'configmaps', 'two'), twice, patchAs('strategic'));
    const appended = [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner(5) }];
    await t.request('PATCH', core(t, 'configmaps', 'one'), appended, patchAs('json'));
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'w', { size: 1 }, { ownerReferences: [owner(1), owner(1)] }));
    await t.request('PATCH', widgets(t, 'w'), twice, patchAs('merge'));
    const status = { ...twice, status: { phase: 'a' } };
    await t.request('PATCH', `${widgets(t, 'w')}/status`, status, patchAs('merge'));
  },
  'apply-with-a-uid': async (t) => {
    const path = (name: string) => `${core(t, 'configmaps', name)}?fieldManager=x`;
    await t.request('PATCH', path('a'), configMap('a', { k: 'v' }, { uid: uid(1) }), patchAs('apply'));
    await t.get(core(t, 'configmaps', 'a'));
    await t.request('PATCH', path('b'), configMap('b', { k: 'v' }, { resourceVersion: '5' }), patchAs('apply'));
    await t.request('PATCH', path('c'), configMap('c', { k: 'v' }, { uid: '' }), patchAs('apply'));
    await t.request('PATCH', path('c'), configMap('c', { k: 'v' }, { uid: uid(1) }), patchAs('apply'));
    await t.crd(widgetCrd(t));
    const named = (name: string) => `${widgets(t, name)}?fieldManager=x`;
    await t.request('PATCH', named('w'), widget(t, 'w', {}, { uid: uid(1) }), patchAs('apply'));
    await t.request('PATCH', named('w'), widget(t, 'w', {}, { resourceVersion: '5' }), patchAs('apply'));
  },
  'finalizers-without-a-domain': async (t) => {
    await t.crd(widgetCrd(t));
    const finalizers = ['mine', 'example.com/yours', 'orphan', 'theirs'];
    await t.post(widgets(t), widget(t, 'w', { size: 1 }, { finalizers }));
    await t.request('PATCH', widgets(t, 'w'), { metadata: { labels: { a: 'b' } } }, patchAs('merge'));
    await t.request('PATCH', widgets(t, 'w'), { metadata: { finalizers: ['mine', 'other'] } }, patchAs('merge'));
    const dotted = ['mine', 'other', 'machine.cluster.x-k8s.io', 'finalizers.fluxcd.io', 'a.b'];
    await t.request('PATCH', widgets(t, 'w'), { metadata: { finalizers: dotted } }, patchAs('merge'));
    await t.request('PATCH', `${widgets(t, 'w')}/status`, { status: { phase: 'a' } }, patchAs('merge'));
    const applied = widget(t, 'w', { size: 1 }, { finalizers: ['third'] });
    await t.request('PATCH', `${widgets(t, 'w')}?fieldManager=x&force=true`, applied, patchAs('apply'));
    await t.request('PATCH', widgets(t, 'w'), { metadata: { finalizers: [] } }, patchAs('merge'));
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const definition = `${crds}/widgets.${t.group}`;
    const held = { metadata: { finalizers: ['mine'] } };
    await t.request('PATCH', definition, held, { ...patchAs('merge'), show: (answer) => answer.code });
    const freed = { metadata: { finalizers: null } };
    await t.request('PATCH', definition, freed, { ...patchAs('merge'), show: (answer) => answer.code });
  },
  'scales-that-do-not-fit': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'w', { replicas: 1 }), { quiet: true });
    const path = `${widgets(t, 'w')}/scale`;
    const scale = (changes: JsonObject, metadata: JsonObject = {}): JsonObject => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'w', namespace: t.ns, ...metadata },
      spec: { replicas: 2 },
      ...changes,
    });
    const reason = (answer: ApiAnswer) => answer.str('reason');
    await t.put(path, scale({}, { name: 'other' }));
    await t.put(path, scale({}, { name: '' }));
    await t.put(path, scale({}, { namespace: 'other' }));
    await t.put(path, scale({ kind: 'Widget' }));
    await t.put(path, scale({ apiVersion: 'autoscaling/v2' }));
    await t.put(path, scale({ apiVersion: 'apps/v1' }));
    await t.put(path, scale({ kind: '' }));
    await t.put(path, scale({ spec: { replicas: 'two' } }));
    await t.put(path, scale({ spec: { replicas: -1 } }));
    await t.put(path, scale({}, { uid: uid(1) }));
    await t.put(path, scale({}, { resourceVersion: '1' }));
    await t.put(`${widgets(t, 'absent')}/scale`, scale({}, { name: 'absent' }));
    await t.request('PATCH', path, { metadata: { name: 'other' } }, patchAs('merge'));
    await t.request('PATCH', path, { kind: 'Other' }, { ...patchAs('merge'), show: reason });
    await t.request('PATCH', path, { spec: { replicas: 'two' } }, { ...patchAs('merge'), show: reason });
    await t.request('PATCH', path, { spec: { replicas: -1 } }, patchAs('merge'));
    await t.request('PATCH', path, { spec: { replicas: 3 } }, patchAs('strategic'));
    await t.request('PATCH', `${path}?fieldManager=x`, scale({}), patchAs('apply'));
    await t.request('PATCH', `${path}?fieldManager=x`, scale({ spec: { replicas: 4 } }), {
      ...patchAs('apply'),
      show: reason,
    });
    await t.request('PATCH', `${path}?fieldManager=x`, scale({ kind: 'Widget' }), patchAs('apply'));
    await t.request('PATCH', path, scale({}), patchAs('apply'));
    await t.get(path);
    const owners = ({ body }: ApiAnswer) => JSON.parse(JSON.stringify(body).replace(/,"time":"[^"]*"/g, ''));
    await t.get(widgets(t, 'w'), { show: owners });
  },
  'versions-of-the-future': async (t) => {
    const cms = core(t, 'configmaps');
    await t.post(cms, configMap('a'), { quiet: true });
    const show = ({ body, text }: ApiAnswer) => ({
      ...(body as JsonObject),
      message: text.includes('Too large resource'),
    });
    await t.get(`${core(t, 'configmaps', 'a')}?resourceVersion=99999999`, { show });
    await t.get(`${core(t, 'configmaps', 'absent')}?resourceVersion=99999999`, { show });
    await t.get(`${core(t, 'configmaps', 'a')}?resourceVersion=1`);
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'w'), { quiet: true });
    await t.get(`${widgets(t, 'w')}?resourceVersion=99999999`, { show });
    await (await t.watch(`${cms}?watch=true&resourceVersion=99999999&timeoutSeconds=1`)).takeAll();
    await (await t.watch(`${widgets(t)}?watch=true&resourceVersion=99999999&timeoutSeconds=1`)).takeAll();
    const silent = await t.watch(`${core(t, 'secrets')}?watch=true&resourceVersion=99999999&timeoutSeconds=2`);
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }, { quiet: true });
    await silent.takeAll();
  },
  'pages-of-any-version': async (t) => {
    const cms = core(t, 'configmaps');
    for (const name of ['a', 'b', 'c']) await t.post(cms, configMap(name), { quiet: true });
    await t.settle('the cache has seen all', async () => {
      const seen = await t.get(`${cms}?resourceVersion=0`, { quiet: true });
      return JSON.stringify(seen.body).includes('"name":"c"');
    });
    const newest = (await t.get(`${cms}?labelSelector=x`, { quiet: true })).str('metadata.resourceVersion');
    t.alias(`resourceVersion=${newest}`, 'newest');
    const names = (query: string) =>
      t.get(`${cms}?${query}&limit=1&fieldSelector=metadata.name!=kube-root-ca.crt`, {
        show: (answer) => {
          const items = (answer.at('items') ?? []) as JsonObject[];
          return {
            code: answer.code,
            names: items.map((item) => (item.metadata as JsonObject).name ?? ''),
            hasMore: (answer.str('metadata.continue') ?? '') !== '',
          };
        },
      });
    await names('resourceVersion=0');
    await names('resourceVersion=0&resourceVersionMatch=NotOlderThan');
    await names('resourceVersion=');
    await names(`resourceVersion=${newest}`);
    await names(`resourceVersion=${newest}&resourceVersionMatch=NotOlderThan`);
    await names(`resourceVersion=${newest}&resourceVersionMatch=Exact`);
  },
  'the-old-watch-paths': async (t) => {
    const path = `/api/v1/watch/namespaces/${t.ns}/configmaps`;
    await t.request('DELETE', path, undefined);
    await t.request('POST', path, configMap('a'));
    await t.request('PUT', `${path}/a`, configMap('a'));
    await t.request('PATCH', `${path}/a`, {}, patchAs('merge'));
    await t.request('DELETE', `${path}/a`, undefined);
  },
  'names-from-selectors': async (t) => {
    const user = `${t.slug}-reader`;
    const verbs = ['list', 'watch', 'deletecollection', 'create', 'update'];
    const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['only'], verbs }];
    await allow(t, user, rules, { verb: 'list', resource: 'secrets', name: 'only' });
    const as = { headers: { 'impersonate-user': user } };
    const selected = (selector: string) => `${core(t, 'secrets')}?fieldSelector=${encodeURIComponent(selector)}`;
    const code = (answer: ApiAnswer) => [answer.code, answer.str('message')];
    for (const selector of [
      'metadata.name=only',
      'metadata.name==only',
      'metadata.name!=only',
      'metadata.name=other',
      `metadata.name=only,metadata.namespace=${t.ns}`,
      `metadata.namespace=${t.ns},metadata.name=only`,
      'metadata.name=only,metadata.name=other',
      'metadata.name=other,metadata.name=only',
      'metadata.name=a/b',
      'metadata.name=only\\,',
      'metadata.name=only,broken',
      'metadata.name=',
    ]) {
      await t.get(selected(selector), { ...as, show: code });
    }
    await t.request('DELETE', selected('metadata.name=only'), undefined, as);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'only' } };
    await t.post(selected('metadata.name=only'), secret, as);
    await t.post(selected('metadata.name=zz'), secret, { show: (answer) => answer.code });
    await t.put(selected('metadata.name=only'), secret);
    await t.request('DELETE', selected('metadata.name=none'), undefined, { show: (answer) => answer.code });
  },
  'managers-of-odd-agents': async (t) => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const agents = ['büro/1.0', '😀 x/1', `${'x'.repeat(200)}/1`, `${'ü'.repeat(100)}/1`, '/1', 'no slash', 'a\tb/1'];
    for (const [index, agent] of agents.entries()) {
      await t.post(core(t, 'configmaps'), configMap(`c${index}`, { a: 'b' }), {
        headers: { 'user-agent': bytes(agent) },
        show: (answer) => answer.at('metadata.managedFields'),
      });
    }
  },
  'long-addresses': async (t) => {
    const values = Array.from({ length: 2000 }, (_, i) => `value-${i}`);
    const selector = encodeURIComponent(`a in (${values.join()})`);
    const answer = await t.get(`${core(t, 'configmaps')}?labelSelector=${selector}`, { quiet: true });
    t.note('a selector of 25 kB', answer.code);
  },
  'health-checks-that-are-none': async (t) => {
    for (const path of [
      '/healthz/constructor',
      '/readyz/toString',
      '/livez/__proto__',
      '/healthz/none',
      '/healthz/ping',
    ])
      await t.get(path);
  },
});
