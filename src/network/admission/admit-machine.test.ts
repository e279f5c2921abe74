import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionRequest } from '../../kube/index.ts';
import { admitMachine } from './admit-configuration.ts';

function request(spec: object): AdmissionRequest {
  return {
    uid: '1',
    kind: { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta1', kind: 'Metal3Machine' },
    resource: { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta1', resource: 'metal3machines' },
    namespace: 'red',
    operation: 'CREATE',
    userInfo: {},
    object: { metadata: { name: 'm', namespace: 'red' }, spec },
  };
}

const refTo = (namespace?: string) => ({
  ConfigurationRef: { name: 'net', ...(namespace === undefined ? {} : { namespace }) },
});

test('a machine names configurations of its own namespace only', () => {
  assert.equal(admitMachine(request({ networkConfiguration: [refTo(), refTo('red')] })).kind, 'allowed');
  const verdict = admitMachine(request({ networkConfiguration: [refTo(), refTo('blue')] }));
  assert.ok(verdict.kind === 'denied');
  assert.deepEqual(
    verdict.reasons.map(({ field }) => field),
    ['spec.networkConfiguration[1].ConfigurationRef'],
  );
});

test('a template of machines does, too', () => {
  const verdict = admitMachine(request({ template: { spec: { networkConfiguration: [refTo('blue')] } } }));
  assert.ok(verdict.kind === 'denied');
  assert.match(verdict.reasons[0]?.field ?? '', /^spec\.template\.spec\./);
});

test("a machine without network configurations is nobody's business", () => {
  assert.equal(admitMachine(request({})).kind, 'allowed');
});
