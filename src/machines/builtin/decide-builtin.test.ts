import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterAnnotations, type Machine, type MachineSet } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { aMachine, aMetal3Machine } from '../testing/objects.ts';
import { inOrderOfRemoval } from './decide-set.ts';
import { newMachineNames } from './machine-names.ts';

describe('names of new machines', () => {
  const set = { name: 'w', uid: 'u1' };
  test('are the same for whoever asks again, and others once those are there', () => {
    const first = newMachineNames(set, 3, () => false);
    assert.deepEqual(
      newMachineNames(set, 3, () => false),
      first,
    );
    assert.equal(new Set(first).size, 3);
    const next = newMachineNames(set, 2, (name) => first.includes(name));
    assert.ok(next.every((name) => !first.includes(name) && /^w-[a-z0-9]{5}$/.test(name)));
    assert.notDeepEqual(
      newMachineNames({ ...set, uid: 'u2' }, 3, () => false),
      first,
    );
  });
});

describe('which machines of a set go first', () => {
  const member = (
    name: string,
    more: {
      readonly isReady?: boolean;
      readonly host?: string;
      readonly isMarked?: boolean;
      readonly created?: string;
    },
  ) => {
    const machine: Machine & KubeObject = aMachine(name);
    const status = more.isReady === true ? 'True' : 'False';
    const condition = {
      type: 'Ready',
      status,
      reason: 'X',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const;
    return {
      machine: {
        ...machine,
        metadata: {
          ...machine.metadata,
          creationTimestamp: more.created ?? '2026-01-01T00:00:00Z',
          annotations: more.isMarked === true ? { [clusterAnnotations.deleteMachine]: '' } : {},
        },
        status: { conditions: [condition] },
      },
      infrastructure: aMetal3Machine(name, more.host === undefined ? {} : { host: more.host }),
    };
  };
  const set = (order?: 'Newest' | 'Oldest') =>
    ({ spec: { deletion: order === undefined ? {} : { order } } }) as MachineSet;
  const namesOf = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name);

  test('those marked, those without a host, those that do not work, the others', () => {
    const all = [
      member('works', { isReady: true, host: 'h1' }),
      member('broken', { host: 'h2' }),
      member('waiting', {}),
      member('marked', { isReady: true, host: 'h3', isMarked: true }),
    ];
    assert.deepEqual(namesOf(inOrderOfRemoval(set(), all)), ['marked', 'waiting', 'broken', 'works']);
  });

  test('among equals, as the set says', () => {
    const all = [
      member('old', { isReady: true, host: 'h1', created: '2026-01-01T00:00:00Z' }),
      member('new', { isReady: true, host: 'h2', created: '2026-01-02T00:00:00Z' }),
    ];
    assert.deepEqual(namesOf(inOrderOfRemoval(set('Newest'), all)), ['new', 'old']);
    assert.deepEqual(namesOf(inOrderOfRemoval(set('Oldest'), all)), ['old', 'new']);
  });
});
