import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fleet, startFleet } from './cli-fixture.ts';

const manifests = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: Metal3Cluster
metadata: { name: prod }
spec: { controlPlaneEndpoint: { host: 192.0.2.10, port: 6443 } }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: prod }
spec: { infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3Cluster, name: prod } }
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3MachineTemplate
metadata: { name: workers }
spec: { template: { spec: { image: { url: "http://images.example/node.qcow2", checksum: abc } } } }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: { name: workers }
spec:
  clusterName: prod
  replicas: 1
  selector: { matchLabels: { pool: workers } }
  template:
    metadata: { labels: { pool: workers } }
    spec:
      clusterName: prod
      bootstrap: { dataSecretName: boot }
      infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3MachineTemplate, name: workers }
`;

let fleet: Fleet;
before(async () => {
  fleet = await startFleet(['--simulate', '0']);
});
after(() => fleet.close());

test('rackwright up brings clusters and sets as far as their hosts, and says what they wait for', async () => {
  const applied = await fleet.cli(['apply', '-f', '-'], { input: manifests });
  assert.equal(applied.code, 0, applied.err);
  const wait = async (what: string, condition: string): Promise<void> => {
    const { code, err } = await fleet.cli(['wait', what, `--for=${condition}`, '--timeout', '60s']);
    assert.equal(code, 0, err);
  };
  await wait('cluster/prod', 'jsonpath={.status.phase}=Provisioned');
  await wait('machineset/workers', 'jsonpath={.status.replicas}=1');
  const { out } = await fleet.cli([
    'get',
    'machines.cluster.x-k8s.io',
    '-l',
    'pool=workers',
    '-o',
    'jsonpath={.items[0].metadata.name}',
  ]);
  await wait(`metal3machine/${out}`, 'create');
  await wait(`metal3machine/${out}`, 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}=NoHostAvailable');
  const message = await fleet.fieldOf(`metal3machine/${out}`, '.status.conditions[?(@.type=="Ready")].message');
  assert.match(message, /^No BareMetalHost of the namespace can be taken: 1 /);
});
