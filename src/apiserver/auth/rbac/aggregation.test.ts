import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aggregatedRules } from './aggregation.ts';
import type { PolicyRule, RoleObject } from './rbac-objects.ts';

const get = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });

function role(name: string, labels: Record<string, string>, rules: PolicyRule[], selects?: string[]): RoleObject {
  const clusterRoleSelectors = selects?.map((label) => ({ matchLabels: { [label]: 'true' } }));
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules,
    ...(clusterRoleSelectors === undefined ? {} : { aggregationRule: { clusterRoleSelectors } }),
  };
}

function aggregated(name: string, ...roles: RoleObject[]): string[] | undefined {
  const all = new Map(roles.map((each) => [each.metadata.name ?? '', each]));
  const found = all.get(name);
  assert.ok(found);
  return aggregatedRules(found, all)?.map(({ resources }) => resources?.join() ?? '');
}

describe('an aggregated role', () => {
  test('has the rules of the roles it selects, in the order of their names, each once', () => {
    const whole = role('whole', {}, [get('stale')], ['x', 'y']);
    const b = role('b', { x: 'true' }, [get('pods'), get('nodes')]);
    const a = role('a', { x: 'true', y: 'true' }, [get('pods')]);
    const c = role('c', { z: 'true' }, [get('secrets')]);
    assert.deepEqual(aggregated('whole', whole, b, a, c), ['pods', 'nodes']);
  });

  test('does not select itself', () => {
    const whole = role('whole', { x: 'true' }, [get('old')], ['x']);
    assert.deepEqual(aggregated('whole', whole), []);
  });

  test('is left alone without an aggregation rule, or while it is deleted', () => {
    assert.equal(aggregated('plain', role('plain', {}, [get('pods')])), undefined);
    const dying = role('whole', {}, [], ['x']);
    dying.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    assert.equal(aggregated('whole', dying), undefined);
  });
});
