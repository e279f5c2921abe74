import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodDisruptionBudget } from '../builtins/pod-disruption-budgets.ts';
import type { Pod } from '../builtins/pod-object.ts';
import { budgetStatus } from './disruption-controller.ts';

const now = new Date('2025-01-01T00:00:00Z');

function pod(name: string, extra: { isReady?: boolean; phase?: string; isDying?: boolean } = {}): Pod {
  const { isReady = true, phase = 'Running', isDying = false } = extra;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(isDying ? { deletionTimestamp: '2025-01-01T00:00:00Z' } : {}) },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

function budget(spec: PodDisruptionBudget['spec'], status?: PodDisruptionBudget['status']): PodDisruptionBudget {
  const metadata = { name: 'b', namespace: 'a', generation: 3 };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    ...(spec && { spec }),
    ...(status && { status }),
  };
}

const three = [pod('a'), pod('b'), pod('c')];

describe('the numbers of a disruption budget', () => {
  const table: [string, PodDisruptionBudget['spec'], Pod[], { allowed: number; healthy: number; desired: number }][] = [
    ['leave those that must stay', { minAvailable: 2 }, three, { allowed: 1, healthy: 3, desired: 2 }],
    ['round shares up', { minAvailable: '50%' }, three, { allowed: 1, healthy: 3, desired: 2 }],
    ['count from what may be missing', { maxUnavailable: 1 }, three, { allowed: 1, healthy: 3, desired: 2 }],
    ['round what may be missing up too', { maxUnavailable: '30%' }, three, { allowed: 1, healthy: 3, desired: 2 }],
    [
      'take pods that are not ready for missing',
      { minAvailable: 2 },
      [...three.slice(0, 2), pod('c', { isReady: false })],
      { allowed: 0, healthy: 2, desired: 2 },
    ],
    [
      'take pods that are going for missing',
      { maxUnavailable: 1 },
      [...three.slice(0, 2), pod('c', { isDying: true })],
      { allowed: 0, healthy: 2, desired: 2 },
    ],
    [
      'forget pods that are over',
      { maxUnavailable: 1 },
      [...three, pod('d', { phase: 'Succeeded', isReady: false })],
      { allowed: 1, healthy: 3, desired: 2 },
    ],
    ['allow nothing where there is nothing', { minAvailable: 0 }, [], { allowed: 0, healthy: 0, desired: 0 }],
  ];
  for (const [what, spec, pods, expected] of table) {
    it(what, () => {
      const status = budgetStatus(budget(spec), pods, now);
      const { disruptionsAllowed, currentHealthy, desiredHealthy } = status;
      const seen = { allowed: disruptionsAllowed, healthy: currentHealthy, desired: desiredHealthy };
      assert.deepEqual(seen, expected);
      assert.equal(status.observedGeneration, 3);
      assert.equal(status.conditions?.[0]?.status, expected.allowed > 0 ? 'True' : 'False');
    });
  }

  it('count a pod that was just evicted as gone, and forget the eviction after two minutes', () => {
    const evicted = { disruptedPods: { a: '2025-01-01T00:00:00Z' } };
    const soon = budgetStatus(budget({ minAvailable: 2 }, evicted), three, new Date('2025-01-01T00:01:00Z'));
    assert.deepEqual([soon.currentHealthy, soon.disruptionsAllowed], [2, 0]);
    const late = budgetStatus(budget({ minAvailable: 2 }, evicted), three, new Date('2025-01-01T00:02:30Z'));
    assert.deepEqual([late.currentHealthy, late.disruptionsAllowed, late.disruptedPods], [3, 1, undefined]);
  });
});
