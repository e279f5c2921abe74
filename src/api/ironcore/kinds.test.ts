import assert from 'node:assert/strict';
import { it } from 'node:test';
import { caseVerdict, ownCauses } from '../cases/kind-case.ts';
import { firmwareCases } from './firmware.cases.ts';
import { ironcoreKinds } from './index.ts';
import { serverCases } from './servers.cases.ts';

const cases = [...serverCases, ...firmwareCases];

for (const one of cases) {
  it(`${one.verdict === 'accepted' ? 'accepts' : 'refuses'} ${one.kind.kind} ${one.version}: ${one.title}`, () => {
    assert.equal(caseVerdict(one, ownCauses(one)), undefined);
  });
}

it('has six cases or more of every kind and version', () => {
  for (const kind of ironcoreKinds) {
    const own = cases.filter((one) => one.kind === kind);
    assert.ok(own.length >= 6, `${kind.kind} has ${own.length}`);
    for (const { version } of kind.versions) assert.ok(own.some((one) => one.version === version));
  }
});

it('keeps every kind cluster-scoped', () => {
  assert.deepEqual([...new Set(ironcoreKinds.map((kind) => kind.scope))], ['Cluster']);
});
