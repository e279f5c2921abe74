import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClusterRole, serviceGroup, serviceRoles } from '../../api/index.ts';
import { accessGroup, type ProtectedResource, restResources } from './resources.ts';

const roles = new Map(serviceRoles().map((role) => [role.metadata.name, role]));

function verbsOf(role: string, resource: string): string[] {
  const { rules = [] } = roles.get(role) ?? ({} as Partial<ClusterRole>);
  return rules.filter(({ resources }) => resources.includes(resource)).flatMap(({ verbs }) => verbs);
}

test('roles name the group and every resource that REST services ask about', () => {
  assert.equal(serviceGroup, accessGroup);
  const named = new Set([...roles.values()].flatMap(({ rules }) => rules.flatMap(({ resources }) => resources)));
  assert.deepEqual(
    Object.values(restResources).filter(({ kube }) => !named.has(kube)),
    [],
  );
});

test('credentials are in no role but their own and that of workers (security.md: attacker-with-worker-token, role-rest-credentials)', () => {
  const apart: readonly ProtectedResource[] = Object.values(restResources).filter((one) => 'isApart' in one);
  assert.deepEqual(
    apart.map(({ kube }) => kube),
    ['servers/credentials', 'unfencedreports'],
  );
  for (const role of ['rackwright-rest-viewer', 'rackwright-rest-operator', 'rackwright-rest-admin']) {
    assert.deepEqual(verbsOf(role, 'servers/credentials'), [], role);
  }
  assert.deepEqual(verbsOf('rackwright-rest-worker', 'servers/credentials'), ['get']);
});

test('a viewer changes nothing, an operator changes conditions only, an administrator all but the work of workers (security.md: role-rest-operator, role-viewer)', () => {
  const changed = (role: string): string[] =>
    Object.values(restResources)
      .map(({ kube }) => kube)
      .filter((kube) => verbsOf(role, kube).some((verb) => verb !== 'get' && verb !== 'list'));
  assert.deepEqual(changed('rackwright-rest-viewer'), []);
  assert.deepEqual(changed('rackwright-rest-operator'), ['conditions']);
  const kept = ['servers/credentials', 'metrics', 'workers', 'unfencedreports'];
  assert.deepEqual(
    changed('rackwright-rest-admin'),
    Object.values(restResources)
      .map(({ kube }) => kube as string)
      .filter((kube) => !kept.includes(kube)),
  );
});
