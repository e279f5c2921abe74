import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '../../schema/index.ts';
import { clusterAnnotations } from '../cluster/index.ts';
import { ConversionError, convert } from './index.ts';

const core = (version: string) => `cluster.x-k8s.io/${version}`;
const infra = (version: string) => `infrastructure.cluster.x-k8s.io/${version}`;

const oldMachineSet: JsonObject = {
  apiVersion: core('v1beta1'),
  kind: 'MachineSet',
  metadata: { name: 'workers', namespace: 'fleet' },
  spec: {
    clusterName: 'prod',
    replicas: 2,
    minReadySeconds: 30,
    deletePolicy: 'Oldest',
    selector: { matchLabels: { pool: 'a' } },
    template: {
      metadata: { labels: { pool: 'a' } },
      spec: {
        clusterName: 'prod',
        nodeDrainTimeout: '10m',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: { apiVersion: infra('v1beta1'), kind: 'Metal3MachineTemplate', name: 'workers' },
      },
    },
  },
  status: { replicas: 2, readyReplicas: 1, conditions: [], v1beta2: { readyReplicas: 2 } },
};

function part(object: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], object);
}

function annotationOf(object: JsonObject): string | undefined {
  const annotations = part(object, 'metadata.annotations') as Record<string, string> | undefined;
  return annotations?.[clusterAnnotations.conversionData];
}

it('writes a v1beta1 MachineSet as v1beta2 has it, without an annotation when nothing is lost', () => {
  const converted = convert(oldMachineSet, core('v1beta2'));
  assert.deepEqual(converted, {
    apiVersion: core('v1beta2'),
    kind: 'MachineSet',
    metadata: { name: 'workers', namespace: 'fleet' },
    spec: {
      clusterName: 'prod',
      replicas: 2,
      deletion: { order: 'Oldest' },
      selector: { matchLabels: { pool: 'a' } },
      template: {
        metadata: { labels: { pool: 'a' } },
        spec: {
          clusterName: 'prod',
          minReadySeconds: 30,
          deletion: { nodeDrainTimeoutSeconds: 600 },
          bootstrap: { dataSecretName: 'boot' },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'Metal3MachineTemplate',
            name: 'workers',
          },
        },
      },
    },
    status: { replicas: 2, readyReplicas: 2, deprecated: { v1beta1: { readyReplicas: 1, conditions: [] } } },
  });
});

it('fills in namespace and version of references for clients of v1beta1', () => {
  const back = convert(convert(oldMachineSet, core('v1beta2')), core('v1beta1'));
  assert.deepEqual(part(back, 'spec.template.spec.infrastructureRef'), {
    apiVersion: infra('v1beta1'),
    kind: 'Metal3MachineTemplate',
    name: 'workers',
    namespace: 'fleet',
  });
  assert.equal(part(back, 'spec.template.spec.nodeDrainTimeout'), '10m0s');
});

it('asks the caller which version of a referenced kind to name', () => {
  const apiVersionOf = (group: string) => `${group}/v1alpha9`;
  const back = convert(convert(oldMachineSet, core('v1beta2')), core('v1beta1'), { apiVersionOf });
  assert.equal(part(back, 'spec.template.spec.infrastructureRef.apiVersion'), infra('v1alpha9'));
});

it('keeps what v1beta1 cannot hold in the annotation, and takes it out again', () => {
  const machine: JsonObject = {
    apiVersion: core('v1beta2'),
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'fleet', annotations: { mine: 'yes' } },
    spec: { clusterName: 'prod', minReadySeconds: 5, bootstrap: { dataSecretName: 'b' } },
    status: { phase: 'Updating', failureDomain: 'row-a' },
  };
  const older = convert(machine, core('v1beta1'));
  assert.equal(part(older, 'status.phase'), 'Running');
  assert.equal(part(older, 'spec.minReadySeconds'), undefined);
  assert.equal(JSON.parse(annotationOf(older) ?? '{}').spec.minReadySeconds, 5);
  assert.deepEqual(convert(older, core('v1beta2')), machine);
});

it('lets a change made in the other version win over what was kept', () => {
  const machine: JsonObject = {
    apiVersion: core('v1beta2'),
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'fleet' },
    spec: { clusterName: 'prod', minReadySeconds: 5, version: 'v1.33.0', bootstrap: { dataSecretName: 'b' } },
    status: { phase: 'Updating' },
  };
  const older = convert(machine, core('v1beta1'));
  const changed = {
    ...older,
    spec: { clusterName: 'prod', version: 'v1.34.0', bootstrap: { dataSecretName: 'b' } },
    status: { phase: 'Deleting' },
  };
  const back = convert(changed, core('v1beta2'));
  assert.equal(part(back, 'spec.version'), 'v1.34.0');
  assert.equal(part(back, 'spec.minReadySeconds'), 5);
  assert.equal(part(back, 'status.phase'), 'Deleting');
  assert.equal(annotationOf(back), undefined);
});

it('gives a reference that was renamed nothing of the old one', () => {
  const ref = { apiVersion: infra('v1alpha5'), kind: 'Metal3Machine', name: 'a', namespace: 'fleet', uid: 'of-a' };
  const spec = { clusterName: 'prod', bootstrap: { dataSecretName: 'b' }, infrastructureRef: ref };
  const old = { apiVersion: core('v1beta1'), kind: 'Machine', metadata: { name: 'm', namespace: 'fleet' }, spec };
  const newer = convert(old, core('v1beta2'));
  assert.deepEqual(part(convert(newer, core('v1beta1')), 'spec.infrastructureRef'), ref);
  const renamed = structuredClone(newer);
  (part(renamed, 'spec.infrastructureRef') as JsonObject).name = 'b';
  assert.deepEqual(part(convert(renamed, core('v1beta1')), 'spec.infrastructureRef'), {
    apiVersion: infra('v1beta1'),
    kind: 'Metal3Machine',
    name: 'b',
    namespace: 'fleet',
  });
});

it('reads the annotation that the webhooks of Cluster API itself write, without a version', () => {
  const saved = { metadata: { creationTimestamp: null }, spec: { clusterName: 'prod', minReadySeconds: 7 } };
  const older: JsonObject = {
    apiVersion: core('v1beta1'),
    kind: 'Machine',
    metadata: { name: 'm', annotations: { [clusterAnnotations.conversionData]: JSON.stringify(saved) } },
    spec: { clusterName: 'prod' },
  };
  const back = convert(older, core('v1beta2'));
  assert.equal(part(back, 'spec.minReadySeconds'), 7);
  assert.deepEqual(back.metadata, { name: 'm' });
});

it('drops an annotation that cannot be read and converts the rest', () => {
  const metadata = { name: 'm', annotations: { [clusterAnnotations.conversionData]: '{broken' } };
  const older: JsonObject = { apiVersion: core('v1beta1'), kind: 'Machine', metadata, spec: { clusterName: 'prod' } };
  assert.deepEqual(convert(older, core('v1beta2')), {
    apiVersion: core('v1beta2'),
    kind: 'Machine',
    metadata: { name: 'm' },
    spec: { clusterName: 'prod' },
  });
});

it('leaves out what Go clients of v1beta1 send for "not set"', () => {
  const old: JsonObject = {
    apiVersion: core('v1beta1'),
    kind: 'Cluster',
    metadata: { name: 'c', namespace: 'fleet' },
    spec: { controlPlaneEndpoint: { host: '', port: 0 }, clusterNetwork: { pods: { cidrBlocks: [] } } },
    status: { failureDomains: {} },
  };
  const newer = convert(old, core('v1beta2'));
  assert.deepEqual([newer.spec, newer.status, annotationOf(newer)], [{}, {}, undefined]);
});

it('turns failure domains from a map into a list and back', () => {
  const old: JsonObject = {
    apiVersion: infra('v1beta1'),
    kind: 'Metal3Cluster',
    metadata: { name: 'c', namespace: 'fleet' },
    spec: { controlPlaneEndpoint: { host: 'h', port: 6443 }, noCloudProvider: true },
    status: { ready: true, failureDomains: { b: { controlPlane: true }, a: { attributes: { row: '1' } } } },
  };
  const newer = convert(old, infra('v1beta2'));
  assert.equal(part(newer, 'spec.cloudProviderEnabled'), false);
  assert.equal(part(newer, 'spec.noCloudProvider'), undefined);
  assert.deepEqual(newer.status, {
    initialization: { provisioned: true },
    failureDomains: [
      { name: 'a', attributes: { row: '1' } },
      { name: 'b', controlPlane: true },
    ],
  });
  assert.deepEqual(convert(newer, infra('v1beta1')), old);
});

it('renames the disk format of an image, also in a template', () => {
  const image = { url: 'http://x/i.iso', format: 'live-iso' };
  const old: JsonObject = {
    apiVersion: infra('v1beta1'),
    kind: 'Metal3MachineTemplate',
    metadata: { name: 't', namespace: 'fleet' },
    spec: { nodeReuse: true, template: { spec: { image, dataTemplate: { name: 'dt' } } } },
  };
  const newer = convert(old, infra('v1beta2'));
  assert.deepEqual(part(newer, 'spec.template.spec'), {
    image: { url: 'http://x/i.iso', diskFormat: 'live-iso' },
    dataTemplate: { name: 'dt' },
  });
  assert.deepEqual(convert(newer, infra('v1beta1')), old);
});

it('gives a v1beta1 strategy without a type the type that v1beta2 asks for', () => {
  const old: JsonObject = {
    apiVersion: core('v1beta1'),
    kind: 'MachineDeployment',
    metadata: { name: 'md', namespace: 'fleet' },
    spec: { strategy: { rollingUpdate: { maxSurge: 2, deletePolicy: 'Newest' } }, revisionHistoryLimit: 3 },
  };
  const newer = convert(old, core('v1beta2'));
  assert.deepEqual(newer.spec, {
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2 } } },
    deletion: { order: 'Newest' },
  });
  assert.equal(part(convert(newer, core('v1beta1')), 'spec.revisionHistoryLimit'), 3);
});

it('refuses kinds, groups and versions it does not know', () => {
  const machine: JsonObject = { apiVersion: core('v1beta1'), kind: 'Machine', metadata: {}, spec: {} };
  const refused = (object: JsonObject, to: string) => assert.throws(() => convert(object, to), ConversionError);
  refused(machine, core('v1alpha4'));
  refused({ ...machine, kind: 'MachinePool' }, core('v1beta2'));
  refused({ ...machine, apiVersion: core('v1alpha4') }, core('v1beta2'));
  refused(machine, 'metal3.io/v1beta1');
  assert.equal(convert(machine, core('v1beta1')), machine);
});
