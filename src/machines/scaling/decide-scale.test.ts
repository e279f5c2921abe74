import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type BareMetalHost,
  clusterAnnotations,
  clusterApiVersion,
  infrastructureApiVersion,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  type Metal3Machine,
  type Metal3MachineSpec,
  type Metal3MachineTemplate,
} from '../../api/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { noMachineNetwork } from '../ports.ts';
import { aCluster, aHost, aMachine, aMetal3Machine, consumer, tablesOf } from '../testing/objects.ts';
import { decideScale, type ScaleDecision } from './decide-scale.ts';
import { readScaleSeen, scaleKey } from './read-scale.ts';
import { recordAnnotation } from './scale-record.ts';

const rackOne = { rack: 'r1' };
const labels = { labels: rackOne };
const selector: Partial<Metal3MachineSpec> = { hostSelector: { matchLabels: rackOne } };

function aTemplate(name: string, spec: Partial<Metal3MachineSpec> = selector): Metal3MachineTemplate & KubeObject {
  return {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3MachineTemplate',
    metadata: { namespace: 'fleet', name },
    spec: { template: { spec } },
  };
}

function targetOf<K extends 'MachineSet' | 'MachineDeployment'>(
  kind: K,
  name: string,
  more: {
    readonly replicas?: number;
    readonly annotations?: Record<string, string>;
    readonly owner?: OwnerReference;
    readonly created?: string;
    readonly isAlone?: boolean;
  } = {},
) {
  const follows = more.isAlone === true ? {} : { [clusterAnnotations.autoscaleToHosts]: '' };
  return {
    apiVersion: clusterApiVersion,
    kind,
    metadata: {
      ...{ namespace: 'fleet', name, uid: `uid-${name}`, creationTimestamp: more.created ?? '2026-01-02T00:00:00Z' },
      annotations: { ...follows, ...more.annotations },
      ownerReferences: more.owner === undefined ? [] : [more.owner],
    },
    spec: {
      clusterName: 'prod',
      replicas: more.replicas ?? 0,
      selector: {},
      template: {
        spec: {
          clusterName: 'prod',
          bootstrap: { dataSecretName: 'boot' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3MachineTemplate', name },
        },
      },
    },
  } as (K extends 'MachineSet' ? MachineSet : MachineDeployment) & KubeObject;
}

const ofSet: OwnerReference = {
  apiVersion: clusterApiVersion,
  kind: 'MachineSet',
  name: 'w',
  uid: 'uid-w',
  controller: true,
};

interface Given {
  readonly sets?: readonly (MachineSet & KubeObject)[];
  readonly deployments?: readonly (MachineDeployment & KubeObject)[];
  readonly hosts?: readonly (BareMetalHost & KubeObject)[];
  readonly members?: readonly (Metal3Machine & KubeObject)[];
  readonly others?: readonly (Metal3Machine & KubeObject)[];
  readonly machines?: readonly (Machine & KubeObject)[];
  readonly templates?: readonly (Metal3MachineTemplate & KubeObject)[];
  readonly clusters?: Parameters<typeof tablesOf>[0]['clusters'];
}

function decide(target: (MachineSet | MachineDeployment) & KubeObject, given: Given = {}): ScaleDecision | undefined {
  const { members = [], others = [] } = given;
  const isSet = target.kind === 'MachineSet';
  const machines = given.machines ?? members.map((each) => aMachine(each.metadata.name ?? '', { owner: ofSet }));
  const tables = tablesOf({
    sets: [...(isSet ? [target as MachineSet & KubeObject] : []), ...(given.sets ?? [])],
    deployments: [...(isSet ? [] : [target as MachineDeployment & KubeObject]), ...(given.deployments ?? [])],
    hosts: given.hosts ?? [],
    machines,
    metal3Machines: [...members, ...others],
    templates: given.templates ?? [aTemplate('w'), aTemplate('v')],
    clusters: given.clusters ?? [aCluster()],
  });
  const seen = readScaleSeen(tables, noMachineNetwork, scaleKey(target));
  return seen === undefined ? undefined : decideScale(seen);
}

function replicasOf(decision: ScaleDecision | undefined): number | undefined {
  const scale = decision?.effects.find(({ kind }) => kind === 'scale');
  return scale?.kind === 'scale' ? scale.replicas : undefined;
}

const three = [aHost('h1', labels), aHost('h2', labels), aHost('h3', labels)];
const used = aHost('u1', { labels: rackOne, spec: { consumerRef: consumer('m1') }, state: 'provisioned' });

describe('a set that follows its hosts', () => {
  test('has as many replicas as there are hosts that it can claim', () => {
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w'), { hosts: three })), 3);
  });

  test('beside those that it has', () => {
    const given = { hosts: [...three, used], members: [aMetal3Machine('m1', { host: 'u1' })] };
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w', { replicas: 1 }), given)), 4);
  });

  test('does nothing when it is as large, or larger', () => {
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w', { replicas: 3 }), { hosts: three })), undefined);
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w', { replicas: 7 }), { hosts: three })), undefined);
  });

  test('does not count hosts that it could not take', () => {
    const hosts = [
      aHost('h1', labels),
      aHost('h2', { ...labels, state: 'inspecting' }),
      aHost('h3', { ...labels, annotations: { 'capm3.metal3.io/unhealthy': '' } }),
      aHost('h4'),
    ];
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w'), { hosts })), 1);
  });

  test('a machine whose host broke down, or is gone, does not keep a new host from being used', () => {
    const lost = aMetal3Machine('m1', { host: 'u1', spec: { providerID: 'metal3://fleet/u1/m1' } });
    const set = targetOf('MachineSet', 'w', { replicas: 1 });
    assert.equal(replicasOf(decide(set, { hosts: [aHost('h1', labels)], members: [lost] })), 2);
    const broken = aHost('u1', { ...used, labels: rackOne, spec: used.spec ?? {}, status: { errorMessage: 'dead' } });
    assert.equal(replicasOf(decide(set, { hosts: [aHost('h1', labels), broken], members: [lost] })), 2);
  });

  test('stays within the bounds of the autoscaler', () => {
    const annotations = { [clusterAnnotations.autoscalerMaxSize]: '2', [clusterAnnotations.autoscalerMinSize]: '1' };
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w', { annotations }), { hosts: three })), 2);
  });

  test('without the annotation it is left alone', () => {
    assert.equal(decide(targetOf('MachineSet', 'w', { isAlone: true }), { hosts: three }), undefined);
  });

  const refusals: readonly [string, Parameters<typeof targetOf>[2], Given, string][] = [
    ['without a hostSelector', {}, { templates: [aTemplate('w', {})] }, 'SelectorEmpty'],
    ['of a paused Cluster', {}, { clusters: [aCluster({ isPaused: true })] }, 'Paused'],
    ['of a Cluster that is not there', {}, { clusters: [] }, 'ClusterNotFound'],
    ['that somebody else scales', { owner: { ...ofSet, kind: 'Pool' } }, {}, 'ScaledByAnother'],
    ['whose host names a machine that is not there', {}, { hosts: [...three, used] }, 'ConsumerMissing'],
  ];
  for (const [name, more, given, code] of refusals) {
    test(`one ${name} is not scaled`, () => {
      const decision = decide(targetOf('MachineSet', 'w', more), { hosts: three, ...given });
      assert.deepEqual([replicasOf(decision), decision?.why[0]?.code], [undefined, code]);
    });
  }
});

describe('others that want the same', () => {
  const recordIn = (decision: ScaleDecision | undefined) => {
    const scale = decision?.effects.find(({ kind }) => kind === 'scale');
    return scale?.kind === 'scale' ? scale.record : undefined;
  };
  const lowered = (replicas: number, record: string) =>
    targetOf('MachineSet', 'w', { replicas, annotations: { [recordAnnotation]: record } });

  test('a set that somebody scaled down is not scaled up again, but for new hosts', () => {
    const two = lowered(2, '3 replicas, 0 held back');
    assert.equal(replicasOf(decide(two, { hosts: three })), undefined);
    const four = [...three, aHost('h4', labels)];
    assert.deepEqual(recordIn(decide(two, { hosts: four })), { replicas: 3, held: 1 });
    assert.equal(replicasOf(decide(lowered(3, '3 replicas, 1 held back'), { hosts: four })), undefined);
  });

  test('whoever scales it up by hand wants the hosts that were held back', () => {
    assert.equal(replicasOf(decide(lowered(3, '2 replicas, 1 held back'), { hosts: three })), undefined);
    const four = [...three, aHost('h4', labels)];
    assert.deepEqual(recordIn(decide(lowered(3, '2 replicas, 1 held back'), { hosts: four })), {
      replicas: 4,
      held: 0,
    });
  });

  test('a host that is on its way back to the free ones is held back too; one that is gone is not', () => {
    const going = aMetal3Machine('m1', { host: 'u1', isGoing: true });
    const hosts = [aHost('h1', labels), aHost('h2', labels), used];
    const two = lowered(2, '3 replicas, 0 held back');
    assert.equal(recordIn(decide(two, { hosts, members: [going] })), undefined);
    const own = [aMetal3Machine('m2', { host: 'v1' }), aMetal3Machine('m3', { host: 'v2' })];
    const third = aMetal3Machine('m1', { host: 'u1' });
    const theirs = ['m2', 'm3'].map((name, index) =>
      aHost(`v${index + 1}`, { labels: rackOne, spec: { consumerRef: consumer(name) }, state: 'provisioned' }),
    );
    assert.equal(recordIn(decide(two, { hosts: [...theirs, used], members: [...own, third] })), undefined);
    assert.deepEqual(recordIn(decide(two, { hosts: theirs, members: own })), { replicas: 2, held: 0 });
  });

  test('bounds that are widened are used', () => {
    assert.equal(replicasOf(decide(lowered(2, '2 replicas, 0 held back'), { hosts: three })), 3);
  });

  test('of two sets that select a host the older one has it, and the other says so', () => {
    const older = targetOf('MachineSet', 'v', { created: '2026-01-01T00:00:00Z' });
    const newer = targetOf('MachineSet', 'w');
    const late = decide(newer, { sets: [older], hosts: three });
    assert.deepEqual([replicasOf(late), late?.events?.[0]?.reason], [undefined, 'HostsShared']);
    assert.equal(replicasOf(decide(older, { sets: [newer], hosts: three })), 3);
  });

  test('hosts that machines of others look for are not counted', () => {
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w'), { hosts: three, others: [aMetal3Machine('x')] })), 2);
    const elsewhere = aMetal3Machine('x', { spec: { hostSelector: { matchLabels: { rack: 'r9' } } } });
    assert.equal(replicasOf(decide(targetOf('MachineSet', 'w'), { hosts: three, others: [elsewhere] })), 3);
  });
});

describe('down', () => {
  const both = { [clusterAnnotations.autoscaleToHosts]: 'both' };
  const idle = aMetal3Machine('m2');
  const members = [aMetal3Machine('m1', { host: 'u1' }), idle];

  test('only where that is asked for; the machine without a host is marked first', () => {
    const set = targetOf('MachineSet', 'w', { replicas: 2, annotations: both });
    const decision = decide(set, { hosts: [used], members });
    assert.deepEqual(
      decision?.effects.map((effect) => (effect.kind === 'mark' ? effect.machine.metadata.name : effect.replicas)),
      ['m2', 1],
    );
    assert.equal(
      replicasOf(decide(targetOf('MachineSet', 'w', { replicas: 2 }), { hosts: [used], members })),
      undefined,
    );
  });

  test('not where the autoscaler looks after it', () => {
    const annotations = {
      ...both,
      [clusterAnnotations.autoscalerMaxSize]: '9',
      [clusterAnnotations.autoscalerMinSize]: '0',
    };
    const set = targetOf('MachineSet', 'w', { replicas: 2, annotations });
    assert.equal(replicasOf(decide(set, { hosts: [used], members })), undefined);
  });
});

describe('a deployment', () => {
  const owner: OwnerReference = {
    apiVersion: clusterApiVersion,
    kind: 'MachineDeployment',
    name: 'w',
    uid: 'uid-d',
    controller: true,
  };

  test('is scaled instead of the set that it owns', () => {
    const set = targetOf('MachineSet', 'w-1', { owner });
    const deployment = targetOf('MachineDeployment', 'w', { isAlone: true });
    assert.equal(replicasOf(decide(deployment, { sets: [set], hosts: three })), 3);
    assert.equal(decide(set, { deployments: [deployment], hosts: three }), undefined);
  });

  test('counts the machines of all its sets', () => {
    const machines = [aMachine('m1', { labels: { 'cluster.x-k8s.io/deployment-name': 'w' } })];
    const given = { hosts: [...three, used], members: [aMetal3Machine('m1', { host: 'u1' })], machines };
    assert.equal(replicasOf(decide(targetOf('MachineDeployment', 'w'), given)), 4);
  });
});
