import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import type { AdmissionAttributes } from '../../admission/admission.ts';
import type { KubeObject } from '../../object.ts';
import type { UserInfo } from '../../resource.ts';
import type { ServedResource } from '../../served-resource.ts';
import { ApiError } from '../../status.ts';
import { refuseEscalation } from './escalation.ts';
import { compileRule } from './match-rule.ts';
import { ask, RbacFixture, user } from './rbac-fixture.ts';
import { type PolicyRule, rbacGroup } from './rbac-objects.ts';
import { breakDown, compactRules, describeRule, missingRights } from './rule-coverage.ts';

const alice = user('alice', 'system:authenticated');
const everything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

function write(resource: string, body: object, options: { who?: UserInfo; old?: object; namespace?: string } = {}) {
  const object = { metadata: { name: 'it' }, ...body } as unknown as KubeObject;
  return {
    operation: options.old === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: rbacGroup, resource, bucket: `${rbacGroup}/${resource}` } as ServedResource,
    subresource: '',
    namespace: options.namespace ?? 'a',
    name: 'it',
    object,
    oldObject: options.old as KubeObject | undefined,
    options: {},
    user: options.who ?? alice,
    dryRun: false,
    warn: () => undefined,
  } satisfies AdmissionAttributes;
}

function messageOf(rbac: RbacFixture, attributes: AdmissionAttributes): string {
  try {
    refuseEscalation(rbac.authorizer, attributes);
    return 'allowed';
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
}

/** Alice holds these rules everywhere. */
function held(...rules: PolicyRule[]): RbacFixture {
  const rbac = new RbacFixture();
  rbac.role('held', rules);
  rbac.bind('held', { kind: 'ClusterRole', name: 'held' }, [{ kind: 'User', name: 'alice' }]);
  return rbac;
}

const getMaps: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };

describe('writing a role', () => {
  test('may hand on what its writer holds', () => {
    assert.equal(messageOf(held(getMaps), write('roles', { rules: [getMaps] })), 'allowed');
  });

  test('may not hand on more, and says what is missing', () => {
    const wanted = { ...getMaps, resources: ['configmaps', 'secrets'] };
    assert.equal(
      messageOf(held(getMaps), write('roles', { rules: [wanted] })),
      '403 roles.rbac.authorization.k8s.io "it" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    );
  });

  test('may hand on anything with the verb escalate', () => {
    const escalate = { verbs: ['escalate'], apiGroups: [rbacGroup], resources: ['roles'] };
    assert.equal(messageOf(held(escalate), write('roles', { rules: [everything] })), 'allowed');
  });

  test('is free for system:masters', () => {
    const who = user('root', 'system:masters');
    assert.equal(messageOf(new RbacFixture(), write('roles', { rules: [everything] }, { who })), 'allowed');
  });

  test('needs everything to aggregate other roles', () => {
    const role = { rules: [], aggregationRule: { clusterRoleSelectors: [] } };
    const attributes = write('clusterroles', role, { namespace: '' });
    assert.match(messageOf(held(getMaps), attributes), /must have cluster-admin privileges to use the aggregationRule/);
    assert.equal(messageOf(held(everything), attributes), 'allowed');
  });

  test('may drop owners and finalizers of a role that grants more', () => {
    const role = { rules: [everything] };
    const old = { metadata: { name: 'it', finalizers: ['x'] }, ...role };
    assert.equal(messageOf(held(getMaps), write('roles', role, { old })), 'allowed');
    const relabelled = { metadata: { name: 'it', labels: { a: 'b' } }, ...role };
    assert.match(messageOf(held(getMaps), write('roles', relabelled, { old })), /^403/);
  });
});

describe('writing a binding', () => {
  const toAdmin = { roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'boss' } };

  test('may bind a role whose rights its writer holds', () => {
    const rbac = held(getMaps);
    rbac.role('boss', [getMaps]);
    assert.equal(messageOf(rbac, write('rolebindings', toAdmin)), 'allowed');
  });

  test('may not bind a role with more', () => {
    const rbac = held(getMaps);
    rbac.role('boss', [everything]);
    assert.match(
      messageOf(rbac, write('rolebindings', toAdmin)),
      /^403 rolebindings\..*not currently held:\n\{APIGroups:\["\*"\]/,
    );
  });

  test('may bind any role with the verb bind on its name', () => {
    const bind = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['boss'] };
    const rbac = held(bind);
    rbac.role('boss', [everything]);
    assert.equal(messageOf(rbac, write('rolebindings', toAdmin)), 'allowed');
    const other = { roleRef: { ...toAdmin.roleRef, name: 'held' } };
    assert.equal(messageOf(rbac, write('rolebindings', other)), 'allowed', 'what it holds itself');
  });

  test('needs the role to be there', () => {
    assert.equal(
      messageOf(held(getMaps), write('rolebindings', toAdmin)),
      '404 rolebindings.rbac.authorization.k8s.io "boss" not found',
    );
  });
});

describe('missing rights', () => {
  const list = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
  const rule: fc.Arbitrary<PolicyRule> = fc.record({
    verbs: list('get', 'list', '*'),
    apiGroups: list('', 'apps', '*'),
    resources: list('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.oneof(fc.constant<string[]>([]), list('x', 'y')),
  });

  test('are missing: whatever is not reported can be done with the held rules', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 3 }), rule, (heldRules, wanted) => {
        const missing = new Set(missingRights(heldRules, [wanted]).map(describeRule));
        const matchers = heldRules.map(compileRule);
        for (const single of breakDown(wanted)) {
          if (missing.has(describeRule(single))) continue;
          // A wildcard stands for things nobody has thought of yet.
          const concrete = (text: string | undefined, any: string) => (text === '*' || text === undefined ? any : text);
          const [resource = '', subresource = ''] = concrete(single.resources?.[0], 'unheard-of').split('/');
          const query = ask(alice, {
            verb: concrete(single.verbs[0], 'unheard-of'),
            group: concrete(single.apiGroups?.[0], 'unheard-of'),
            resource: concrete(resource, 'unheard-of'),
            subresource,
            name: single.resourceNames?.[0] ?? 'any',
          });
          assert.ok(
            matchers.some((matches) => matches(query)),
            `${describeRule(single)} by ${JSON.stringify(heldRules)}`,
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  test('are joined by resource', () => {
    const rules = breakDown({ verbs: ['get', 'list'], apiGroups: [''], resources: ['a', 'b'] });
    assert.deepEqual(compactRules(rules).map(describeRule), [
      '{APIGroups:[""], Resources:["a"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["b"], Verbs:["get" "list"]}',
    ]);
  });
});
