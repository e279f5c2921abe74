import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renameOnly } from '../../apiserver/index.ts';
import { convertedKinds } from './conversions.ts';
import { convertedGroups } from './converted-groups.ts';
import { lazyConverterOfKinds } from './lazy-conversion.ts';

type Definition = Parameters<ReturnType<typeof lazyConverterOfKinds>>[0];

function definitionOf(group: string, kind: string): Definition {
  return { spec: { group, names: { kind } } } as Definition;
}

test('the groups that are looked for are those whose kinds have several versions', () => {
  assert.deepEqual(new Set(convertedKinds().map(({ group }) => group)), convertedGroups);
});

test('each kind of ours with several versions is converted by this program, and nothing else is', () => {
  const converterFor = lazyConverterOfKinds();
  for (const { group, kind } of convertedKinds()) {
    assert.notEqual(converterFor(definitionOf(group, kind)), renameOnly, `${kind}.${group}`);
  }
  assert.equal(converterFor(definitionOf('cluster.x-k8s.io', 'Unknown')), renameOnly);
  assert.equal(converterFor(definitionOf('example.com', 'Machine')), renameOnly);
});
