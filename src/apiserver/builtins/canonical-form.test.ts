import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../schema/index.ts';
import { builtinResources } from './index.ts';
import { serveBuiltin } from './serve-builtin.ts';

const served = builtinResources().map(serveBuiltin);
const container = { name: 'main', image: 'example.com/app' };

/** One object of each kind, as little as it takes. */
const objects: Record<string, JsonObject> = {
  Namespace: { spec: {} },
  ConfigMap: { data: { a: '1' } },
  Secret: { stringData: { a: '1' } },
  ServiceAccount: {},
  Node: { spec: { podCIDR: '10.0.0.0/24' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  Pod: {
    spec: {
      containers: [{ ...container, livenessProbe: { httpGet: { port: 80 } }, resources: { limits: { cpu: '1000m' } } }],
      volumes: [{ name: 'a' }, { name: 'b', hostPath: { path: '/x' } }, { name: 'c', configMap: { name: 'c' } }],
    },
    status: { containerStatuses: [{ name: 'main', state: { running: {} } }] },
  },
  Event: { involvedObject: { name: 'x' } },
  Job: { spec: { template: { spec: { containers: [container] } } } },
  PodDisruptionBudget: { spec: { minAvailable: 1 } },
  Lease: { spec: { renewTime: '2025-01-01T02:00:00.5+02:00', holderIdentity: '' } },
  Role: {},
  ClusterRole: { rules: [{ verbs: ['get'] }] },
  RoleBinding: { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'User', name: 'u' }] },
  ClusterRoleBinding: { roleRef: { kind: 'ClusterRole', name: 'x' } },
  ValidatingWebhookConfiguration: { webhooks: [{ name: 'a', rules: [{ operations: ['*'] }] }] },
  MutatingWebhookConfiguration: { webhooks: [{ name: 'a' }] },
  CustomResourceDefinition: {
    spec: { group: 'example.com', names: { plural: 'ws', kind: 'W' }, versions: [{ name: 'v1', storage: true }] },
  },
};

function written(kind: string, extra: JsonObject): JsonObject {
  const resource = served.find((each) => each.kind === kind);
  assert.ok(resource !== undefined, `${kind} is not served`);
  const object = structuredClone({ apiVersion: resource.apiVersion, kind, metadata: { name: 'x' }, ...extra });
  resource.compiled.applyDefaults(object);
  return object;
}

describe('a built-in object', () => {
  for (const resource of served) {
    const { kind, apiVersion } = resource;
    it(`of kind ${apiVersion} ${kind} is written the same the second time`, () => {
      const sample = apiVersion === 'events.k8s.io/v1' ? { regarding: { name: 'x' } } : objects[kind];
      assert.ok(sample !== undefined, `there is no sample of ${kind}`);
      const once: JsonObject = structuredClone({ apiVersion, kind, metadata: { name: 'x' }, ...sample });
      resource.compiled.applyDefaults(once);
      const twice = structuredClone(once);
      resource.compiled.applyDefaults(twice);
      assert.deepEqual(twice, once);
    });
  }

  it('loses what is empty and optional, and keeps what was set on purpose', () => {
    const spec = {
      containers: [{ ...container, stdin: false, args: [], env: [{ name: 'A', value: '' }] }],
      hostNetwork: false,
      nodeName: '',
      automountServiceAccountToken: false,
      volumes: [{ name: 'v', emptyDir: {} }],
      runtimeClassName: '',
    };
    const pod = written('Pod', { spec }).spec as JsonObject;
    const [main] = pod.containers as JsonObject[];
    for (const gone of ['hostNetwork', 'nodeName']) assert.ok(!Object.hasOwn(pod, gone), gone);
    for (const gone of ['stdin', 'args']) assert.ok(!Object.hasOwn(main ?? {}, gone), gone);
    assert.deepEqual(main?.env, [{ name: 'A' }]);
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.runtimeClassName, '');
    assert.deepEqual((pod.volumes as JsonObject[])[0], { name: 'v', emptyDir: {} });
  });

  it('takes a null in a map of texts for an empty text, and elsewhere for nothing', () => {
    const { data, metadata } = written('ConfigMap', { data: { a: null }, metadata: { name: 'x', labels: null } });
    assert.deepEqual(data, { a: '' });
    assert.deepEqual(metadata, { name: 'x' });
  });

  it('spells times and amounts one way', () => {
    const lease = written('Lease', { spec: { renewTime: '2025-01-01T02:00:00.5+02:00' } });
    assert.equal((lease.spec as JsonObject).renewTime, '2025-01-01T00:00:00.500000Z');
    const node = written('Node', { status: { capacity: { cpu: 4, memory: '1024Ki' } } });
    assert.deepEqual((node.status as JsonObject).capacity, { cpu: '4', memory: '1Mi' });
  });

  it('shows times that are not there as null where Kubernetes does', () => {
    const node = written('Node', { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    const [condition] = (node.status as JsonObject).conditions as JsonObject[];
    assert.deepEqual([condition?.lastHeartbeatTime, condition?.lastTransitionTime], [null, null]);
  });
});
