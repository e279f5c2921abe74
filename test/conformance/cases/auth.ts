import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, widget, widgetCrd, widgets } from '../fixtures.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const reader: JsonObject = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };

async function serviceAccount(t: CaseRun, name: string): Promise<{ token: string; user: string }> {
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  await t.post(core(t, 'serviceaccounts'), body, { quiet: true });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const made = await t.post(`${core(t, 'serviceaccounts', name)}/token`, request, { quiet: true });
  return { token: made.str('status.token'), user: `system:serviceaccount:${t.ns}:${name}` };
}

async function role(t: CaseRun, name: string, rules: JsonObject[]): Promise<void> {
  await t.post(
    grouped(t, rbac, 'roles'),
    { apiVersion: rbac, kind: 'Role', metadata: { name }, rules },
    { quiet: true },
  );
}

async function bind(t: CaseRun, name: string, subject: JsonObject, roleName = name, kind = 'Role'): Promise<void> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName };
  const body = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name }, roleRef, subjects: [subject] };
  await t.post(grouped(t, rbac, 'rolebindings'), body, { quiet: true });
}

/** Waits until a user may do something, as the server's caches follow the roles. */
async function untilAllowed(t: CaseRun, user: string, attributes: JsonObject): Promise<void> {
  const spec = { user, resourceAttributes: { namespace: t.ns, ...attributes } };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  await t.settle('the role is in force', async () => {
    const answer = await t.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', body, { quiet: true });
    return answer.at('status.allowed') === true;
  });
}

/** The server lists rules in the order in which it came to know the bindings. */
function rulesInOneOrder(answer: ApiAnswer): JsonObject {
  const status = (answer.at('status') ?? {}) as JsonObject;
  const sorted = (rules: JsonObject[keyof JsonObject] | undefined) =>
    ((rules ?? []) as JsonObject[]).map((each) => JSON.stringify(each, Object.keys(each).sort())).sort();
  return { ...status, resourceRules: sorted(status.resourceRules), nonResourceRules: sorted(status.nonResourceRules) };
}

const asUser = (name: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name });
const impersonate = (user: string, ...groups: string[]) => ({
  headers: { 'impersonate-user': user, ...(groups[0] === undefined ? {} : { 'impersonate-group': groups[0] }) },
});

/** Who may do what: tokens, certificates, impersonation, RBAC and the review calls. */
export const auth = topic('auth', {
  unauthenticated: async (t) => {
    await t.get(core(t, 'configmaps'), { as: { token: 'not-a-token' } });
    await t.get(core(t, 'configmaps'), { as: { anonymous: true } });
    await t.get('/api', { as: { anonymous: true } });
    await t.get('/version', { as: { anonymous: true }, show: (answer) => answer.code });
    await t.get('/healthz', { as: { anonymous: true } });
    await t.get('/readyz', { as: { anonymous: true } });
    await t.get('/livez', { as: { anonymous: true } });
    await t.get('/metrics', { as: { anonymous: true } });
    await t.get(core(t, 'configmaps'), { as: { anonymous: true }, headers: { authorization: 'Basic dXNlcjpwYXNz' } });
    await t.get('/nothing/here', { as: { anonymous: true } });
    await t.get('/openapi/v3', { as: { anonymous: true } });
  },
  'default-deny': async (t) => {
    await t.crd(widgetCrd(t));
    const { token } = await serviceAccount(t, 'nobody');
    const as = { token };
    await t.get(core(t, 'configmaps'), { as });
    await t.get(core(t, 'configmaps', 'x'), { as });
    await t.post(core(t, 'configmaps'), configMap('one'), { as });
    await t.put(core(t, 'configmaps', 'x'), configMap('x'), { as });
    await t.patch(core(t, 'configmaps', 'x'), 'merge', {}, { as });
    await t.delete(core(t, 'configmaps', 'x'), undefined, { as });
    await t.delete(core(t, 'configmaps'), undefined, { as });
    await t.get(`${core(t, 'configmaps')}?watch=true`, { as });
    await t.get(widgets(t), { as });
    await t.get(`${widgets(t, 'x')}/status`, { as });
    await t.get('/api/v1/nodes', { as });
    await t.get('/api/v1/nodes/x', { as });
    await t.get('/metrics', { as });
    await t.get('/apis', { as, show: (answer) => answer.code });
    await t.get('/version', { as, show: (answer) => answer.code });
  },
  'roles-and-bindings': async (t) => {
    const { token, user } = await serviceAccount(t, 'reader');
    const as = { token };
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }), { quiet: true });
    await role(t, 'read', [
      reader,
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] },
    ]);
    await bind(t, 'read', { kind: 'ServiceAccount', name: 'reader', namespace: t.ns });
    await untilAllowed(t, user, { verb: 'get', resource: 'configmaps' });
    await t.get(core(t, 'configmaps', 'one'), { as });
    await t.get(core(t, 'secrets', 'mine'), { as });
    await t.get(core(t, 'secrets', 'other'), { as });
    await t.get(core(t, 'secrets'), { as });
    await t.delete(core(t, 'configmaps', 'one'), undefined, { as });
    await t.get('/api/v1/configmaps', { as });
    await t.get('/api/v1/namespaces/default/configmaps', { as });
  },
  'subresource-rules': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    const user = `${t.slug}-user`;
    await role(t, 'status', [{ apiGroups: [t.group], resources: ['widgets/status'], verbs: ['*'] }]);
    await bind(t, 'status', asUser(user));
    await untilAllowed(t, user, { verb: 'patch', group: t.group, resource: 'widgets', subresource: 'status' });
    const options = impersonate(user);
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'x' } }, options);
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 2 } }, options);
    await t.patch(`${widgets(t, 'one')}/scale`, 'merge', { spec: { replicas: 2 } }, options);
  },
  'creating-needs-create': async (t) => {
    const user = `${t.slug}-user`;
    const verbs = ['get', 'patch', 'update'];
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
    ];
    await role(t, 'change', rules);
    await bind(t, 'change', asUser(user));
    await untilAllowed(t, user, { verb: 'patch', resource: 'configmaps' });
    const options = impersonate(user);
    await t.patch(`${core(t, 'configmaps', 'new')}?fieldManager=a`, 'apply', configMap('new'), options);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'new' }, spec: {} };
    await t.put(`${grouped(t, 'coordination.k8s.io/v1', 'leases')}/new`, lease, options);
  },
  'no-escalation': async (t) => {
    const user = `${t.slug}-user`;
    const manage = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] };
    await role(t, 'manage', [manage]);
    await bind(t, 'manage', asUser(user));
    await untilAllowed(t, user, { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles' });
    const options = impersonate(user);
    const wanted = { apiVersion: rbac, kind: 'Role', metadata: { name: 'more' }, rules: [reader] };
    await t.post(grouped(t, rbac, 'roles'), wanted, options);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const binding = {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name: 'more' },
      roleRef,
      subjects: [asUser(user)],
    };
    await t.post(grouped(t, rbac, 'rolebindings'), binding, options);
  },
  'invalid-rbac-objects': async (t) => {
    const roles = grouped(t, rbac, 'roles');
    const base = { apiVersion: rbac, kind: 'Role', metadata: { name: 'one' } };
    await t.post(roles, { ...base, rules: [{ apiGroups: [''], resources: ['pods'] }] });
    await t.post(roles, { ...base, rules: [{ verbs: ['get'], resources: ['pods'] }] });
    await t.post(roles, { ...base, rules: [{ verbs: ['get'], apiGroups: [''] }] });
    await t.post(roles, { ...base, rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] });
    const bindings = grouped(t, rbac, 'rolebindings');
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' };
    const binding = { apiVersion: rbac, kind: 'RoleBinding', metadata: { name: 'one' }, roleRef };
    await t.post(bindings, { ...binding, subjects: [{ kind: 'Robot', name: 'x' }] });
    await t.post(bindings, { ...binding, subjects: [{ kind: 'ServiceAccount', name: 'x' }] });
    await t.post(bindings, { ...binding, roleRef: { ...roleRef, kind: 'Ruler' } });
    await t.post(bindings, { ...binding, subjects: [{ kind: 'User', name: 'x' }] });
    await t.patch(grouped(t, rbac, 'rolebindings', 'one'), 'merge', { roleRef: { ...roleRef, name: 'two' } });
  },
  'aggregated-cluster-roles': async (t) => {
    const path = `/apis/${rbac}/clusterroles`;
    const labels = { [`${t.slug}`]: 'yes' };
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
    const whole = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: t.slug }, aggregationRule, rules: [] };
    await t.post(path, whole);
    await t.post(path, {
      apiVersion: rbac,
      kind: 'ClusterRole',
      metadata: { name: `${t.slug}-part`, labels },
      rules: [reader],
    });
    await t.until(`${path}/${t.slug}`, (answer) => (answer.at('rules.length') ?? 0) === 1, {
      show: (answer) => answer.at('rules'),
    });
    await t.delete(`${path}/${t.slug}-part`);
    await t.delete(`${path}/${t.slug}`);
  },
  'access-reviews': async (t) => {
    const user = `${t.slug}-user`;
    await role(t, 'read', [reader]);
    await bind(t, 'read', asUser(user));
    await untilAllowed(t, user, { verb: 'get', resource: 'configmaps' });
    const version = 'authorization.k8s.io/v1';
    const ask = (kind: string, spec: JsonObject, path = `/apis/${version}/${kind.toLowerCase()}s`, options = {}) =>
      t.post(path, { apiVersion: version, kind, spec }, options);
    const attributes = { namespace: t.ns, verb: 'get', resource: 'configmaps' };
    await ask('SubjectAccessReview', { user, resourceAttributes: attributes });
    await ask('SubjectAccessReview', { user, resourceAttributes: { ...attributes, verb: 'delete' } });
    await ask('SubjectAccessReview', {
      user,
      groups: ['system:masters'],
      resourceAttributes: { ...attributes, verb: 'delete' },
    });
    await ask('SubjectAccessReview', { user, nonResourceAttributes: { path: '/metrics', verb: 'get' } });
    await ask('SubjectAccessReview', { user });
    await ask('SubjectAccessReview', { resourceAttributes: attributes });
    await ask('SelfSubjectAccessReview', { resourceAttributes: attributes });
    await ask('SelfSubjectAccessReview', { resourceAttributes: attributes }, undefined, impersonate(user));
    const local = grouped(t, version, 'localsubjectaccessreviews');
    await ask('LocalSubjectAccessReview', { user, resourceAttributes: attributes }, local);
    await ask('LocalSubjectAccessReview', { user, resourceAttributes: { ...attributes, namespace: 'default' } }, local);
    await ask('SelfSubjectRulesReview', { namespace: t.ns }, undefined, {
      ...impersonate(user),
      show: rulesInOneOrder,
    });
  },
  'who-am-i': async (t) => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { token } = await serviceAccount(t, 'me');
    await t.post(path, body, {
      as: { token },
      show: (answer) => {
        const info = answer.at('status.userInfo') as JsonObject;
        return { username: info.username ?? null, groups: info.groups ?? null, extra: Object.keys(info.extra ?? {}) };
      },
    });
    await t.post(path, body, impersonate('somebody', 'some-group'));
    await t.post(path, body, { as: { anonymous: true } });
  },
  'token-request-and-review': async (t) => {
    await t.post(core(t, 'serviceaccounts'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    const version = 'authentication.k8s.io/v1';
    const path = `${core(t, 'serviceaccounts', 'robot')}/token`;
    const request = (spec: JsonObject) => ({ apiVersion: version, kind: 'TokenRequest', spec });
    const made = await t.post(path, request({ expirationSeconds: 3600 }));
    const claims = JSON.parse(
      Buffer.from(made.str('status.token').split('.')[1] ?? '', 'base64url').toString() || '{}',
    ) as JsonObject;
    t.note('claims', {
      keys: Object.keys(claims).sort(),
      sub: claims.sub ?? null,
      seconds: Number(claims.exp) - Number(claims.iat),
    });
    const review = (token: string, extra: JsonObject = {}) => ({
      apiVersion: version,
      kind: 'TokenReview',
      spec: { token, ...extra },
    });
    const show = (answer: ApiAnswer) => {
      const { status } = answer.object as { status?: JsonObject };
      const user = (status?.user ?? {}) as JsonObject;
      return { ...status, user: { ...user, extra: Object.keys(user.extra ?? {}) } };
    };
    const reviews = `/apis/${version}/tokenreviews`;
    await t.post(reviews, review(made.str('status.token')), { show });
    await t.post(reviews, review('nonsense'), { show: (answer) => answer.at('status') });
    await t.post(reviews, review(made.str('status.token'), { audiences: ['elsewhere'] }), {
      show: (answer) => answer.at('status'),
    });
    await t.post(reviews, review(''));
    await t.post(path, request({ expirationSeconds: 60 }));
    await t.post(path, request({ audiences: ['elsewhere'] }), { show: (answer) => answer.at('spec') });
    await t.post(`${core(t, 'serviceaccounts', 'missing')}/token`, request({}));
    await t.delete(core(t, 'serviceaccounts', 'robot'), undefined, { quiet: true });
    await t.settle('the token is no longer good', async () => {
      const answer = await t.post(reviews, review(made.str('status.token')), { quiet: true });
      return answer.at('status.authenticated') !== true;
    });
    await t.get(core(t, 'configmaps'), { as: { token: made.str('status.token') } });
  },
  'token-secret': async (t) => {
    await t.post(
      core(t, 'serviceaccounts'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
      { quiet: true },
    );
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const type = 'kubernetes.io/service-account-token';
    await t.post(core(t, 'secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'token', annotations },
      type,
    });
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bad' }, type });
    const filled = await t.until(core(t, 'secrets', 'token'), (answer) => answer.at('data.token') !== undefined, {
      show: (answer) => Object.keys((answer.at('data') ?? {}) as JsonObject).sort(),
    });
    const token = Buffer.from(filled.str('data.token'), 'base64').toString();
    await t.get(core(t, 'configmaps'), { as: { token } });
  },
  'default-service-account': async (t) => {
    await t.until(core(t, 'serviceaccounts', 'default'), (answer) => answer.code === 200);
    await t.until(core(t, 'configmaps', 'kube-root-ca.crt'), (answer) => answer.code === 200, {
      show: (answer) => [
        answer.at('metadata.annotations') ?? null,
        Object.keys((answer.at('data') ?? {}) as JsonObject),
      ],
    });
    await t.delete(core(t, 'serviceaccounts', 'default'), undefined, { quiet: true });
    await t.until(core(t, 'serviceaccounts', 'default'), (answer) => answer.code === 200, {
      show: (answer) => answer.code,
    });
  },
  'client-certificates': async (t) => {
    const user = `${t.slug}-user`;
    const pair = await t.target.issueClientCertificate({ commonName: user, groups: ['team-a', 'team-b'] });
    await t.get(core(t, 'configmaps'), { as: pair });
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    await t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', body, {
      as: pair,
      show: (answer) => {
        const info = (answer.at('status.userInfo') ?? {}) as JsonObject;
        return { username: info.username ?? null, groups: info.groups ?? null };
      },
    });
    await role(t, 'read', [reader]);
    await bind(t, 'read', { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'team-b' });
    await t.settle(
      'the role is in force',
      async () => (await t.get(core(t, 'configmaps'), { as: pair, quiet: true })).code === 200,
    );
    await t.get(core(t, 'configmaps', 'none'), { as: pair });
    const admin = await t.target.issueClientCertificate({ commonName: 'boss', groups: ['system:masters'] });
    await t.get(core(t, 'secrets', 'none'), { as: admin });
  },
  impersonation: async (t) => {
    const { token, user } = await serviceAccount(t, 'impostor');
    await t.get(core(t, 'configmaps'), impersonate('somebody'));
    await t.get(core(t, 'secrets', 'none'), impersonate('somebody', 'system:masters'));
    await t.get(core(t, 'configmaps'), { as: { token }, headers: { 'impersonate-user': 'admin' } });
    await t.get(core(t, 'configmaps'), { headers: { 'impersonate-group': 'system:masters' } });
    await t.get(core(t, 'configmaps', 'none'), impersonate(user));
    await t.get(core(t, 'configmaps', 'none'), {
      headers: { 'impersonate-user': 'x', 'impersonate-extra-reason': 'test' },
    });
  },
  'bootstrap-roles': async (t) => {
    for (const name of [
      'cluster-admin',
      'admin',
      'edit',
      'view',
      'system:discovery',
      'system:basic-user',
      'system:public-info-viewer',
    ]) {
      await t.get(`/apis/${rbac}/clusterroles/${name}`, {
        show: (answer) => [answer.code, answer.at('metadata.labels') ?? null],
      });
    }
    await t.get(`/apis/${rbac}/clusterroles/cluster-admin`, { show: (answer) => answer.at('rules') });
    await t.get(`/apis/${rbac}/clusterroles/system:discovery`, { show: (answer) => answer.at('rules') });
    await t.get(`/apis/${rbac}/clusterrolebindings/cluster-admin`, { show: (answer) => answer.at('subjects') });
  },
});
