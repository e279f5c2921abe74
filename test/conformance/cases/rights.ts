import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, widget, widgetCrd, widgets } from '../fixtures.ts';
import {
  allow,
  asUser,
  bind,
  bindEverywhere,
  bindingOf,
  clusterRole,
  impersonate,
  rbac,
  role,
  untilReviewed,
} from '../rbac-steps.ts';

const group = 'rbac.authorization.k8s.io';
const read: JsonObject = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const codes = (answer: ApiAnswer) => (answer.code < 300 ? answer.code : answer.body);
const userOf = (t: CaseRun) => `${t.slug}-user`;
const newRole = (name: string, rules: JsonObject[]): JsonObject => ({
  apiVersion: rbac,
  kind: 'Role',
  metadata: { name },
  rules,
});

/** A user who may write roles and bindings in the case's namespace, and whatever else is given. */
async function roleWriter(t: CaseRun, more: JsonObject[] = []): Promise<{ headers: Record<string, string> }> {
  const user = userOf(t);
  const verbs = ['create', 'get', 'update', 'patch', 'delete', 'list'];
  const rules = [{ apiGroups: [group], resources: ['roles', 'rolebindings'], verbs }, ...more];
  await allow(t, user, rules, { verb: 'create', group, resource: 'roles' });
  return impersonate(user);
}

/** Roles, names, escalation, binding, aggregation and impersonation in depth. */
export const rights = topic('rights', {
  'resource-names': async (t) => {
    const user = userOf(t);
    const verbs = ['get', 'update', 'patch', 'delete', 'create', 'list', 'watch', 'deletecollection'];
    await t.post(core(t, 'configmaps'), configMap('mine'), { quiet: true });
    await t.post(core(t, 'configmaps'), configMap('other'), { quiet: true });
    await allow(t, user, [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine', 'new'], verbs }], {
      verb: 'get',
      resource: 'configmaps',
      name: 'mine',
    });
    const as = impersonate(user);
    await t.get(core(t, 'configmaps', 'mine'), { ...as, show: codes });
    await t.get(core(t, 'configmaps', 'other'), { ...as, show: codes });
    await t.get(core(t, 'configmaps'), { ...as, show: codes });
    await t.get(`${core(t, 'configmaps')}?fieldSelector=metadata.name%3Dmine`, { ...as, show: codes });
    await t.post(core(t, 'configmaps'), configMap('new'), { ...as, show: codes });
    await t.patch(`${core(t, 'configmaps', 'new')}?fieldManager=a`, 'apply', configMap('new'), {
      ...as,
      headers: { ...as.headers, 'content-type': 'application/apply-patch+yaml' },
      show: codes,
    });
    await t.patch(
      core(t, 'configmaps', 'mine'),
      'merge',
      { data: { a: '1' } },
      { show: codes, headers: { ...as.headers, 'content-type': 'application/merge-patch+json' } },
    );
    await t.delete(core(t, 'configmaps'), undefined, { ...as, show: codes });
    await t.delete(core(t, 'configmaps', 'other'), undefined, { ...as, show: codes });
    await t.delete(core(t, 'configmaps', 'mine'), undefined, { ...as, show: codes });
  },
  'wildcards-and-subresources': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { replicas: 1 }), { quiet: true });
    const user = userOf(t);
    await allow(
      t,
      user,
      [
        { apiGroups: [t.group], resources: ['*/scale'], verbs: ['*'] },
        { apiGroups: ['*'], resources: ['secrets'], verbs: ['list'] },
      ],
      { verb: 'get', group: t.group, resource: 'widgets', subresource: 'scale' },
    );
    const as = impersonate(user);
    await t.get(`${widgets(t, 'one')}/scale`, { ...as, show: codes });
    await t.get(`${widgets(t, 'one')}/status`, { ...as, show: codes });
    await t.get(widgets(t, 'one'), { ...as, show: codes });
    await t.get(core(t, 'secrets'), { ...as, show: codes });
    await t.get(core(t, 'secrets', 'x'), { ...as, show: codes });
    await t.request('HEAD', core(t, 'secrets'), undefined, as);
  },
  'escalation-of-roles': async (t) => {
    const as = await roleWriter(t, [read]);
    await t.post(grouped(t, rbac, 'roles'), newRole('same', [read]), { ...as, show: codes });
    await t.post(grouped(t, rbac, 'roles'), newRole('less', [{ ...read, verbs: ['get'] }]), { ...as, show: codes });
    await t.post(grouped(t, rbac, 'roles'), newRole('more', [{ ...read, verbs: ['get', 'delete'] }]), as);
    await t.post(grouped(t, rbac, 'roles'), newRole('all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]), as);
    await t.post(
      grouped(t, rbac, 'roles'),
      newRole('several', [read, { apiGroups: ['apps', ''], resources: ['pods', 'secrets'], verbs: ['get'] }]),
      as,
    );
    await t.post(
      grouped(t, rbac, 'roles'),
      newRole('named', [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] }]),
      as,
    );
    await t.put(grouped(t, rbac, 'roles', 'same'), newRole('same', [{ ...read, verbs: ['get', 'list', 'watch'] }]), as);
    await t.put(grouped(t, rbac, 'roles', 'same'), newRole('same', []), { ...as, show: codes });
    await t.patch(
      grouped(t, rbac, 'roles', 'less'),
      'merge',
      { metadata: { labels: { a: 'b' } } },
      { show: codes, headers: { ...as.headers, 'content-type': 'application/merge-patch+json' } },
    );
  },
  'escalate-lifts-it': async (t) => {
    const as = await roleWriter(t, [{ apiGroups: [group], resources: ['roles'], verbs: ['escalate'] }]);
    await t.post(grouped(t, rbac, 'roles'), newRole('any', [read]), { ...as, show: codes });
    const binding = bindingOf('any', { kind: 'Role', name: 'any' }, [asUser('somebody')]);
    await t.post(grouped(t, rbac, 'rolebindings'), binding, as);
  },
  'bind-lifts-it': async (t) => {
    await role(t, 'strong', [read]);
    await role(t, 'stronger', [{ ...read, verbs: ['*'] }]);
    const as = await roleWriter(t, [
      { apiGroups: [group], resources: ['roles'], resourceNames: ['strong'], verbs: ['bind'] },
    ]);
    await t.post(grouped(t, rbac, 'rolebindings'), bindingOf('one', { kind: 'Role', name: 'strong' }, [asUser('x')]), {
      ...as,
      show: codes,
    });
    await t.post(
      grouped(t, rbac, 'rolebindings'),
      bindingOf('two', { kind: 'Role', name: 'stronger' }, [asUser('x')]),
      as,
    );
    await t.post(
      grouped(t, rbac, 'rolebindings'),
      bindingOf('three', { kind: 'ClusterRole', name: 'cluster-admin' }, [asUser('x')]),
      { ...as, show: (answer) => [answer.code, answer.str('message').split('{')[0] ?? ''] },
    );
    await t.post(
      grouped(t, rbac, 'rolebindings'),
      bindingOf('four', { kind: 'Role', name: 'absent' }, [asUser('x')]),
      as,
    );
    await t.put(
      grouped(t, rbac, 'rolebindings', 'one'),
      bindingOf('one', { kind: 'Role', name: 'strong' }, [asUser('y'), asUser('z')]),
      { ...as, show: codes },
    );
    await t.put(grouped(t, rbac, 'rolebindings', 'one'), bindingOf('one', { kind: 'Role', name: 'stronger' }, []), {
      ...as,
      show: codes,
    });
  },
  'cluster-roles-and-urls': async (t) => {
    const user = userOf(t);
    const verbs = ['create', 'get', 'update', 'delete'];
    await clusterRole(t, t.slug, [
      { apiGroups: [group], resources: ['clusterroles', 'clusterrolebindings'], verbs },
      { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] },
    ]);
    await bindEverywhere(t, t.slug, user);
    await untilReviewed(t, user, { attributes: { verb: 'create', group, resource: 'clusterroles' } });
    const as = impersonate(user);
    const made = (name: string, rules: JsonObject[]) => ({
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: `${t.slug}-${name}` },
      rules,
    });
    const path = `/apis/${rbac}/clusterroles`;
    await t.post(path, made('urls', [{ nonResourceURLs: ['/metrics', '/logs/a'], verbs: ['get'] }]), {
      ...as,
      show: codes,
    });
    await t.post(path, made('more-urls', [{ nonResourceURLs: ['/healthz', '*'], verbs: ['get', 'post'] }]), as);
    await t.post(path, made('nodes', [{ apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs: ['get'] }]), as);
    await t.get('/metrics', { ...as, show: (answer) => answer.code });
    await t.get('/logs/x/y', { ...as, show: (answer) => answer.code });
    await t.get('/logs', { ...as, show: codes });
    await t.post('/metrics', {}, { ...as, show: codes });
    await t.post(
      `/apis/${rbac}/clusterrolebindings`,
      {
        ...bindingOf(`${t.slug}-self`, { kind: 'ClusterRole', name: 'view' }, [asUser(user)]),
        kind: 'ClusterRoleBinding',
      },
      { ...as, show: (answer) => [answer.code, answer.str('message').split('{')[0] ?? ''] },
    );
    await t.delete(`/apis/${rbac}/clusterrolebindings/${t.slug}`, undefined, { quiet: true });
  },
  'aggregation-follows-labels': async (t) => {
    const path = `/apis/${rbac}/clusterroles`;
    const labels = { [t.slug]: 'yes' };
    const part = (name: string, resource: string, partLabels: JsonObject = labels) => ({
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: `${t.slug}-${name}`, labels: partLabels },
      rules: [{ ...read, resources: [resource] }],
    });
    await t.post(path, part('a', 'configmaps'), { quiet: true });
    await t.post(path, part('b', 'secrets'), { quiet: true });
    await t.post(path, part('c', 'pods', { other: 'yes' }), { quiet: true });
    const aggregationRule = {
      clusterRoleSelectors: [
        { matchLabels: labels },
        { matchExpressions: [{ key: `${t.slug}-late`, operator: 'Exists' }] },
      ],
    };
    await t.post(path, {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: t.slug },
      aggregationRule,
      rules: [{ ...read, resources: ['lost'] }],
    });
    const count = (wanted: number) => (answer: ApiAnswer) =>
      ((answer.at('rules') ?? []) as unknown[]).length === wanted && !answer.text.includes('lost');
    const rules = {
      show: (answer: ApiAnswer) => [answer.at('rules') ?? null, answer.at('metadata.managedFields') ?? null],
    };
    await t.until(`${path}/${t.slug}`, count(2), rules);
    await t.patch(
      `${path}/${t.slug}-c`,
      'merge',
      { metadata: { labels: { [`${t.slug}-late`]: 'x' } } },
      { quiet: true },
    );
    await t.until(`${path}/${t.slug}`, count(3), rules);
    await t.patch(`${path}/${t.slug}-a`, 'merge', { metadata: { labels: null } }, { quiet: true });
    await t.until(`${path}/${t.slug}`, count(2), rules);
    await t.patch(`${path}/${t.slug}`, 'merge', { rules: [] }, { quiet: true });
    await t.until(`${path}/${t.slug}`, count(2), { show: (answer) => answer.at('rules') });
    for (const name of ['', '-a', '-b', '-c']) await t.delete(`${path}/${t.slug}${name}`, undefined, { quiet: true });
  },
  'aggregation-needs-everything': async (t) => {
    const user = userOf(t);
    await clusterRole(t, t.slug, [
      { apiGroups: [group], resources: ['clusterroles'], verbs: ['create', 'update', 'get'] },
    ]);
    await bindEverywhere(t, t.slug, user);
    await untilReviewed(t, user, { attributes: { verb: 'create', group, resource: 'clusterroles' } });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const body = {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: `${t.slug}-x` },
      aggregationRule,
      rules: [],
    };
    await t.post(`/apis/${rbac}/clusterroles`, body, impersonate(user));
    await t.post(`/apis/${rbac}/clusterroles`, { ...body, aggregationRule: { clusterRoleSelectors: [] } });
    await t.post(`/apis/${rbac}/clusterroles`, {
      ...body,
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }] },
    });
  },
  'groups-and-service-accounts': async (t) => {
    await role(t, 'read', [read]);
    const subjects = [
      { kind: 'Group', apiGroup: group, name: `system:serviceaccounts:${t.ns}` },
      { kind: 'Group', apiGroup: group, name: `${t.slug}-team` },
    ];
    await t.post(grouped(t, rbac, 'rolebindings'), bindingOf('read', { kind: 'Role', name: 'read' }, subjects), {
      quiet: true,
    });
    await t.settle(
      'the role is in force',
      async () =>
        (
          await t.get(core(t, 'configmaps'), {
            headers: { 'impersonate-user': 'x', 'impersonate-group': `${t.slug}-team` },
            quiet: true,
          })
        ).code === 200,
    );
    const account = `system:serviceaccount:${t.ns}:robot`;
    await t.get(core(t, 'configmaps'), { headers: { 'impersonate-user': account }, show: codes });
    await t.get(core(t, 'configmaps'), {
      headers: { 'impersonate-user': 'system:serviceaccount:default:robot' },
      show: codes,
    });
    await t.get(core(t, 'configmaps'), {
      headers: { 'impersonate-user': 'x', 'impersonate-group': 'other-team' },
      show: codes,
    });
    await t.get(core(t, 'configmaps'), { headers: { 'impersonate-user': 'system:anonymous' }, show: codes });
    const whoami = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    await t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', whoami, {
      headers: { 'impersonate-user': account },
    });
    await t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', whoami, {
      headers: { 'impersonate-user': 'system:anonymous' },
    });
  },
  'impersonation-needs-rights': async (t) => {
    const user = userOf(t);
    await t.post(
      core(t, 'serviceaccounts'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'actor' } },
      { quiet: true },
    );
    const token = (
      await t.post(
        `${core(t, 'serviceaccounts', 'actor')}/token`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        { quiet: true },
      )
    ).str('status.token');
    const actor = `system:serviceaccount:${t.ns}:actor`;
    await clusterRole(t, t.slug, [
      { apiGroups: [''], resources: ['users'], resourceNames: [user], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['team'], verbs: ['impersonate'] },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['userextras/reason'],
        resourceNames: ['test'],
        verbs: ['impersonate'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['uids'], resourceNames: ['1234'], verbs: ['impersonate'] },
    ]);
    await bindEverywhere(t, t.slug, actor);
    await untilReviewed(t, actor, { attributes: { verb: 'impersonate', resource: 'users', name: user } });
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const whoami = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const ask = (headers: Record<string, string>) =>
      t.post(path, whoami, { as: { token }, headers, show: (answer) => answer.at('status') ?? answer.body });
    await ask({ 'impersonate-user': user });
    await ask({ 'impersonate-user': 'other' });
    await ask({ 'impersonate-user': user, 'impersonate-group': 'team' });
    await ask({ 'impersonate-user': user, 'impersonate-group': 'system:masters' });
    await ask({ 'impersonate-user': user, 'impersonate-extra-reason': 'test' });
    await ask({ 'impersonate-user': user, 'impersonate-extra-reason': 'other' });
    await ask({ 'impersonate-user': user, 'impersonate-extra-Odd%2Fkey': 'test' });
    await ask({ 'impersonate-user': user, 'impersonate-uid': '1234' });
    await ask({ 'impersonate-user': user, 'impersonate-uid': '9' });
    await ask({ 'impersonate-uid': '1234' });
    await ask({ 'impersonate-user': `system:serviceaccount:${t.ns}:default` });
    await t.delete(`/apis/${rbac}/clusterrolebindings/${t.slug}`, undefined, { quiet: true });
  },
  'bindings-that-come-and-go': async (t) => {
    const user = userOf(t);
    const attributes = { namespace: t.ns, verb: 'get', resource: 'configmaps' };
    await role(t, 'read', [read]);
    await bind(t, 'read', user);
    await untilReviewed(t, user, { attributes });
    await t.get(core(t, 'configmaps', 'none'), impersonate(user));
    await t.delete(grouped(t, rbac, 'roles', 'read'), undefined, { quiet: true });
    await untilReviewed(t, user, { attributes, isAllowed: false });
    const version = 'authorization.k8s.io/v1';
    const ask = () =>
      t.post(`/apis/${version}/subjectaccessreviews`, {
        apiVersion: version,
        kind: 'SubjectAccessReview',
        spec: { user, resourceAttributes: attributes },
      });
    await ask();
    await t.get(core(t, 'configmaps', 'none'), impersonate(user));
    await role(t, 'read', [read]);
    await untilReviewed(t, user, { attributes });
    await ask();
    await t.delete(grouped(t, rbac, 'rolebindings', 'read'), undefined, { quiet: true });
    await untilReviewed(t, user, { attributes, isAllowed: false });
    await ask();
  },
  'reviews-of-odd-questions': async (t) => {
    const version = 'authorization.k8s.io/v1';
    const ask = (spec: JsonObject) =>
      t.post(`/apis/${version}/subjectaccessreviews`, { apiVersion: version, kind: 'SubjectAccessReview', spec });
    await ask({ user: 'x', resourceAttributes: { verb: '*', resource: '*' } });
    await ask({ user: 'x', resourceAttributes: {} });
    await ask({ user: 'x', resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/', verb: 'get' } });
    await ask({ groups: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } });
    await ask({
      user: 'x',
      resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'spec.nodeName=x' } },
    });
    await ask({
      user: 'x',
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        labelSelector: { requirements: [{ key: 'a', operator: 'Odd' }] },
      },
    });
    await ask({
      user: 'x',
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] },
      },
    });
    await t.post(`/apis/${version}/selfsubjectrulesreviews`, {
      apiVersion: version,
      kind: 'SelfSubjectRulesReview',
      spec: {},
    });
    await t.get(`/apis/${version}/subjectaccessreviews`);
    await t.post(`/apis/${version}/subjectaccessreviews`, { apiVersion: 'v1', kind: 'Pod' });
    await t.post(`/apis/${version}/subjectaccessreviews?dryRun=All`, {
      apiVersion: version,
      kind: 'SubjectAccessReview',
      spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
  },
  'service-accounts-in-clusters': async (t) => {
    const token = async (name: string, spec: JsonObject) => {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
      return t.post(`${core(t, 'serviceaccounts', name)}/token`, body, {
        show: (answer) => answer.at('spec') ?? answer.body,
      });
    };
    await t.post(
      core(t, 'serviceaccounts'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
      { quiet: true },
    );
    await t.post(
      core(t, 'secrets'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'anchor' } },
      { quiet: true },
    );
    const bound = await token('robot', { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor' } });
    await token('robot', { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'absent' } });
    await token('robot', { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } });
    await token('robot', {
      boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor', uid: '11111111-2222-3333-4444-555555555555' },
    });
    await token('robot', { expirationSeconds: 2 ** 33 });
    const as = { token: bound.str('status.token') };
    await t.get(core(t, 'configmaps'), { as, show: (answer) => answer.code });
    await t.delete(core(t, 'secrets', 'anchor'), undefined, { quiet: true });
    await t.settle(
      'the token ends with its anchor',
      async () => (await t.get(core(t, 'configmaps'), { as, quiet: true })).code === 401,
    );
  },
});
