import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clusterAnnotations, clusterFinalizers, type Machine, type MachineSet } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import { defaultMachineSettings } from '../settings.ts';
import { aMachine, aMetal3Machine } from '../testing/objects.ts';
import { type BuiltinMachineSeen, decideBuiltinMachine } from './decide-machine.ts';
import { inOrderOfRemoval } from './decide-set.ts';
import { newMachineNames } from './machine-names.ts';

describe('names of new machines', () => {
  const set = { name: 'w', uid: 'u1', version: '7' };
  const free = () => false;
  test('are the same for whoever makes them for the same version of the set', () => {
    const first = newMachineNames(set, 3, free);
    assert.deepEqual(newMachineNames(set, 3, free), first);
    assert.equal(new Set(first).size, 3);
    assert.ok(first.every((name) => /^w-[a-z0-9]{5}$/.test(name)));
    assert.notDeepEqual(newMachineNames({ ...set, uid: 'u2' }, 3, free), first);
  });

  test('are not those of machines that are gone', () => {
    const first = newMachineNames(set, 3, free);
    const later = newMachineNames({ ...set, version: '8' }, 3, free);
    assert.ok(later.every((name) => !first.includes(name)));
    assert.ok(newMachineNames(set, 3, (name) => first.includes(name)).every((name) => !first.includes(name)));
  });
});

describe('a Machine that runs', () => {
  const ready = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    ...{ type, status, reason, message },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const machineOf = (): Machine & KubeObject => {
    const machine = aMachine('m1', {
      spec: { providerID: 'metal3://fleet/h1/m1', bootstrap: { dataSecretName: 'b' } },
    });
    machine.metadata.finalizers = [clusterFinalizers.machine];
    return { ...machine, status: { initialization: { infrastructureProvisioned: true } } };
  };
  const infrastructure = (status: 'True' | 'False', reason = 'Ready', message = '') =>
    aMetal3Machine('m1', {
      host: 'h1',
      spec: { providerID: 'metal3://fleet/h1/m1' },
      status: { initialization: { provisioned: true }, conditions: [ready('Ready', status, reason, message)] },
    });
  const nodeWith = (status: string): NodeSearch => ({
    kind: 'found',
    isFollowed: true,
    node: { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status }] } },
  });
  const decide = (more: Partial<BuiltinMachineSeen>) => {
    const object = machineOf();
    const seen = { object, cluster: undefined, infrastructure: infrastructure('True'), nodes: nodeWith('True') };
    return decideBuiltinMachine({ ...seen, settings: defaultMachineSettings, ...more }, 0);
  };
  const told = (more: Partial<BuiltinMachineSeen>): Record<string, string> =>
    Object.fromEntries(
      (decide(more).status?.conditions ?? [])
        .filter(({ type }) => ['Ready', 'Available', 'InfrastructureReady', 'NodeReady'].includes(type))
        .map(({ type, status, reason }) => [type, `${status} ${reason}`]),
    );

  test('is ready and available', () => {
    assert.deepEqual(told({}), {
      Ready: 'True Ready',
      Available: 'True Available',
      InfrastructureReady: 'True Ready',
      NodeReady: 'True NodeReady',
    });
  });

  test('is neither once its host is gone, whatever its node says', () => {
    const gone = told({ infrastructure: infrastructure('False', 'HostMissing', 'The host is gone.') });
    assert.deepEqual(gone, {
      Ready: 'False HostMissing',
      Available: 'False HostMissing',
      InfrastructureReady: 'False HostMissing',
      NodeReady: 'True NodeReady',
    });
    assert.equal(told({ infrastructure: undefined }).Ready, 'False InfrastructureDeleted');
  });

  test('is neither once its node is gone, or its kubelet is silent', () => {
    for (const [nodes, reason] of [
      [{ kind: 'none' }, 'NodeNotFound'],
      [nodeWith('Unknown'), 'NodeNotReady'],
      [nodeWith('False'), 'NodeNotReady'],
    ] as const) {
      const { Ready, Available, InfrastructureReady } = told({ nodes });
      assert.deepEqual([Ready, Available], [`False ${reason}`, `False ${reason}`]);
      assert.equal(InfrastructureReady, 'True Ready');
    }
  });

  test('has its node read again where nobody tells of it', () => {
    const away = { ...nodeWith('True'), isFollowed: false } as NodeSearch;
    assert.deepEqual(decide({ nodes: away }).wake, { after: defaultMachineSettings.nodeHealthPollMs });
    assert.deepEqual(decide({}).wake, { on: 'change' });
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
