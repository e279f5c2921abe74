import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import type { UserInfo } from '../../resource.ts';
import type { AccessQuery } from '../auth.ts';
import { ask, RbacFixture, user } from './rbac-fixture.ts';
import { type PolicyRule, rbacBuckets, type Subject } from './rbac-objects.ts';

const readPods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const alice: Subject = { kind: 'User', name: 'alice' };

describe('the authorizer', () => {
  test('denies whatever nobody granted (security.md: default-deny)', () => {
    const { authorizer } = new RbacFixture();
    assert.deepEqual(authorizer.authorize(ask(user('alice'), {})), { isAllowed: false, reason: '' });
  });

  test('lets system:masters do everything, whatever is stored', () => {
    const { authorizer } = new RbacFixture();
    assert.equal(authorizer.authorize(ask(user('x', 'system:masters'), { verb: 'delete' })).isAllowed, true);
  });

  test('says which binding, role and subject allowed it', () => {
    const rbac = new RbacFixture();
    rbac.role('read', [readPods], 'a');
    rbac.role('read', [readPods]);
    const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'b' };
    rbac.bind('local', { kind: 'Role', name: 'read' }, [alice, robot], 'a');
    rbac.bind('wide', { kind: 'ClusterRole', name: 'read' }, [{ kind: 'Group', name: 'team' }]);
    const reasonOf = (who: UserInfo, namespace: string) => rbac.authorizer.authorize(ask(who, { namespace })).reason;
    assert.equal(reasonOf(user('alice'), 'a'), 'RBAC: allowed by RoleBinding "local/a" of Role "read" to User "alice"');
    assert.equal(
      reasonOf(user('system:serviceaccount:b:robot'), 'a'),
      'RBAC: allowed by RoleBinding "local/a" of Role "read" to ServiceAccount "robot/b"',
    );
    assert.equal(
      reasonOf(user('eve', 'team'), 'z'),
      'RBAC: allowed by ClusterRoleBinding "wide" of ClusterRole "read" to Group "team"',
    );
  });

  test('keeps a RoleBinding to its namespace, even to a ClusterRole', () => {
    const rbac = new RbacFixture();
    rbac.role('read', [readPods]);
    rbac.bind('local', { kind: 'ClusterRole', name: 'read' }, [alice], 'a');
    const isAllowed = (namespace: string) => rbac.authorizer.authorize(ask(user('alice'), { namespace })).isAllowed;
    assert.deepEqual([isAllowed('a'), isAllowed('b'), isAllowed('')], [true, false, false]);
  });

  test('never uses a Role of another namespace', () => {
    const rbac = new RbacFixture();
    rbac.role('read', [readPods], 'b');
    rbac.bind('local', { kind: 'Role', name: 'read' }, [alice], 'a');
    const verdict = rbac.authorizer.authorize(ask(user('alice'), { namespace: 'a' }));
    assert.deepEqual(verdict, { isAllowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "read" not found' });
  });

  test('names every role that is missing', () => {
    const rbac = new RbacFixture();
    rbac.bind('one', { kind: 'ClusterRole', name: 'gone' }, [alice]);
    rbac.bind('two', { kind: 'Role', name: 'gone' }, [alice], 'a');
    assert.equal(
      rbac.authorizer.authorize(ask(user('alice'), { namespace: 'a' })).reason,
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]',
    );
  });

  test('follows roles and bindings as they come, change and go', () => {
    const rbac = new RbacFixture();
    const isAllowed = () => rbac.authorizer.authorize(ask(user('alice'), { namespace: 'a' })).isAllowed;
    rbac.bind('local', { kind: 'Role', name: 'read' }, [alice], 'a');
    assert.equal(isAllowed(), false);
    rbac.role('read', [readPods], 'a');
    assert.equal(isAllowed(), true);
    rbac.role('read', [{ ...readPods, verbs: ['list'] }], 'a');
    assert.equal(isAllowed(), false);
    rbac.role('read', [readPods], 'a');
    rbac.bind('local', { kind: 'Role', name: 'read' }, [{ kind: 'User', name: 'bob' }], 'a');
    assert.equal(isAllowed(), false);
    rbac.bind('local', { kind: 'Role', name: 'read' }, [alice], 'a');
    assert.equal(isAllowed(), true);
    rbac.store.remove({ bucket: rbacBuckets.roleBindings, namespace: 'a', name: 'local' });
    assert.equal(isAllowed(), false);
  });

  test('gives a service account without a namespace that of its RoleBinding, and none elsewhere', () => {
    const rbac = new RbacFixture();
    rbac.role('read', [readPods]);
    const robot = { kind: 'ServiceAccount', name: 'robot' };
    rbac.bind('local', { kind: 'ClusterRole', name: 'read' }, [robot], 'a');
    rbac.bind('wide', { kind: 'ClusterRole', name: 'read' }, [{ kind: 'ServiceAccount', name: 'rover' }]);
    const isAllowed = (name: string) => rbac.authorizer.authorize(ask(user(name), { namespace: 'a' })).isAllowed;
    assert.equal(isAllowed('system:serviceaccount:a:robot'), true);
    assert.equal(isAllowed('system:serviceaccount::rover'), false);
  });
});

describe('the compiled authorizer', () => {
  const names = fc.constantFrom('a', 'b');
  const list = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
  const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc.record({
      verbs: list('get', 'list', '*'),
      apiGroups: list('', 'apps', '*'),
      resources: list('pods', 'pods/log', '*/log', 'nodes', '*'),
      resourceNames: fc.oneof(fc.constant<string[]>([]), list('x', 'y')),
    }),
    fc.record({ verbs: list('get', '*'), nonResourceURLs: list('/a', '/a/*', '*', '/b') }),
  );
  const subject: fc.Arbitrary<Subject> = fc.oneof(
    fc.record({ kind: fc.constantFrom('User', 'Group'), name: names }),
    fc.record({ kind: fc.constant('ServiceAccount'), name: names, namespace: fc.constantFrom('', 'n1') }),
  );
  const namespaces = fc.constantFrom('', 'n1');
  const policy = fc.record({
    roles: fc.array(fc.record({ name: names, namespace: namespaces, rules: fc.array(rule, { maxLength: 3 }) }), {
      maxLength: 6,
    }),
    bindings: fc.array(
      fc.record({
        name: names,
        namespace: namespaces,
        kind: fc.constantFrom<'Role' | 'ClusterRole'>('Role', 'ClusterRole'),
        role: names,
        subjects: fc.array(subject, { maxLength: 3 }),
      }),
      { maxLength: 6 },
    ),
  });
  const query: fc.Arbitrary<AccessQuery> = fc.record({
    user: fc.record({
      username: fc.oneof(names, fc.constantFrom('system:serviceaccount:n1:a', 'system:serviceaccount:n1:b')),
      groups: fc.uniqueArray(names, { maxLength: 2 }),
    }),
    verb: fc.constantFrom('get', 'list'),
    isResource: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    path: fc.constantFrom('/a', '/a/x', '/b', '/c'),
    group: fc.constantFrom('', 'apps'),
    resource: fc.constantFrom('pods', 'nodes'),
    subresource: fc.constantFrom('', 'log'),
    namespace: namespaces,
    name: fc.constantFrom('', 'x', 'z'),
  });

  test('decides as a plain reading of the rules does', () => {
    fc.assert(
      fc.property(policy, fc.array(query, { minLength: 1, maxLength: 20 }), ({ roles, bindings }, queries) => {
        const rbac = new RbacFixture();
        for (const r of roles) rbac.role(r.name, r.rules, r.namespace);
        for (const b of bindings) {
          const kind = b.namespace === '' ? 'ClusterRole' : b.kind;
          rbac.bind(b.name, { kind, name: b.role }, b.subjects, b.namespace);
        }
        for (const q of queries) {
          assert.equal(rbac.authorizer.authorize(q).isAllowed, plainReading(rbac, q), JSON.stringify(q));
        }
      }),
      { numRuns: 500 },
    );
  });
});

interface StoredRole {
  rules: PolicyRule[];
}

interface StoredBinding {
  metadata: { namespace: string };
  subjects: Subject[];
  roleRef: { kind: string; name: string };
}

/** RBAC read word for word from what is stored: slow, and without anything compiled or remembered. */
function plainReading({ store }: RbacFixture, q: AccessQuery): boolean {
  const buckets = [rbacBuckets.clusterRoleBindings];
  const bindings: StoredBinding[] = [...store.scan(buckets[0] ?? '')].map(({ json }) => JSON.parse(json));
  if (q.isResource && q.namespace !== '') {
    for (const { namespace, json } of store.scan(rbacBuckets.roleBindings)) {
      if (namespace === q.namespace) bindings.push(JSON.parse(json));
    }
  }
  return bindings.some(({ metadata: { namespace }, subjects, roleRef }) => {
    if (!subjects.some((s) => isSubject(s, q.user, namespace))) return false;
    const isCluster = roleRef.kind === 'ClusterRole';
    const bucket = isCluster ? rbacBuckets.clusterRoles : rbacBuckets.roles;
    const role = store.get({ bucket, namespace: isCluster ? '' : namespace, name: roleRef.name });
    if (role === undefined) return false;
    return (JSON.parse(role.json) as StoredRole).rules.some((r) => isGranted(r, q));
  });
}

function isSubject(s: Subject, who: UserInfo, bindingNamespace: string): boolean {
  if (s.kind === 'User') return s.name === who.username;
  if (s.kind === 'Group') return who.groups.includes(s.name);
  const namespace = s.namespace || bindingNamespace;
  return namespace !== '' && who.username === `system:serviceaccount:${namespace}:${s.name}`;
}

function isGranted(r: PolicyRule, q: AccessQuery): boolean {
  const has = (values: string[] | undefined, wanted: string) =>
    (values ?? []).some((value) => value === '*' || value === wanted);
  if (!has(r.verbs, q.verb)) return false;
  if (!q.isResource) {
    return (r.nonResourceURLs ?? []).some(
      (url) => url === q.path || (url.endsWith('*') && q.path.startsWith(url.slice(0, url.length - 1))),
    );
  }
  const full = q.subresource === '' ? q.resource : `${q.resource}/${q.subresource}`;
  const isResource = (r.resources ?? []).some(
    (pattern) => pattern === '*' || pattern === full || (q.subresource !== '' && pattern === `*/${q.subresource}`),
  );
  const resourceNames = r.resourceNames ?? [];
  return has(r.apiGroups, q.group) && isResource && (resourceNames.length === 0 || resourceNames.includes(q.name));
}
