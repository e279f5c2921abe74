import assert from 'node:assert/strict';
import { it } from 'node:test';
import { caseVerdict, ownCauses } from '../cases/kind-case.ts';
import { clusterCoreCases } from './core.cases.ts';
import { clusterKinds, contractLabels, coreClusterKinds, infrastructureKinds } from './index.ts';
import { infrastructureCases } from './infrastructure.cases.ts';

const cases = [...infrastructureCases, ...clusterCoreCases];

for (const one of cases) {
  it(`${one.verdict === 'accepted' ? 'accepts' : 'refuses'} ${one.kind.kind} ${one.version}: ${one.title}`, () => {
    assert.equal(caseVerdict(one, ownCauses(one)), undefined);
  });
}

it('has six cases or more of every kind and version', () => {
  for (const kind of clusterKinds) {
    const own = cases.filter((one) => one.kind === kind);
    assert.ok(own.length >= 6, `${kind.kind} has ${own.length}`);
    for (const { version } of kind.versions) assert.ok(own.some((one) => one.version === version));
  }
});

it('stores v1beta2 and serves v1beta1 beside it', () => {
  for (const kind of clusterKinds) {
    const versions = kind.versions.map(({ version, storage }) => `${version}${storage ? ' stored' : ''}`);
    assert.deepEqual(versions, ['v1beta1', 'v1beta2 stored'], kind.kind);
  }
});

it('labels the infrastructure kinds, and only those, with the contracts they follow', () => {
  for (const kind of infrastructureKinds) assert.deepEqual(kind.labels, contractLabels, kind.kind);
  for (const kind of coreClusterKinds) assert.equal(kind.labels, undefined, kind.kind);
});

it('lets kubectl scale sets and deployments in both versions', () => {
  const scaled = clusterKinds.filter((kind) => kind.versions.every((version) => version.scale !== undefined));
  assert.deepEqual(
    scaled.map((kind) => kind.kind),
    ['MachineSet', 'MachineDeployment'],
  );
});
