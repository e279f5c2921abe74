import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metal3ApiVersion } from '../../api/index.ts';
import { networkFinalizer } from '../resources.ts';
import { decideConfiguration } from './decide-configuration.ts';

function decide({ users, isHeld, isLeaving }: { users: string[]; isHeld: boolean; isLeaving: boolean }): string[] {
  const { effects } = decideConfiguration({
    users,
    configuration: {
      apiVersion: metal3ApiVersion,
      kind: 'SwitchPortConfiguration',
      metadata: {
        name: 'net',
        namespace: 'tenant',
        finalizers: isHeld ? [networkFinalizer] : [],
        ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: {},
    },
  });
  return effects.map(({ kind }) => kind);
}

test('a configuration is held while it is used, and let go when it leaves unused', () => {
  const users = ['SwitchPort infra/p1'];
  assert.deepEqual(decide({ users, isHeld: false, isLeaving: false }), ['hold']);
  assert.deepEqual(decide({ users, isHeld: true, isLeaving: false }), []);
  assert.deepEqual(decide({ users, isHeld: true, isLeaving: true }), []);
  assert.deepEqual(decide({ users: [], isHeld: true, isLeaving: true }), ['let-go']);
  assert.deepEqual(decide({ users: [], isHeld: false, isLeaving: false }), []);
});
