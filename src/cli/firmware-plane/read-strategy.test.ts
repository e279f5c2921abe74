import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStrategy } from '../../jobs/index.ts';
import { readStrategy } from './read-strategy.ts';

test('jobs are told the name of the package, whatever its strategy calls itself', async () => {
  const work = async () => ({ outcome: 'succeeded' }) as const;
  const strategy = { name: 'acme', create: () => ({ name: 'acme', update: work, scan: work }) };
  const importPackage = async (name: string) => {
    if (name !== '@acme/rackwright-plugin') throw new Error(`Cannot find package ${name}`);
    return { strategy };
  };
  const choice = { enabled: [' @acme/rackwright-plugin'], settings: { a: 1 }, importPackage };
  const { strategy: here, told } = await readStrategy(choice);
  assert.equal(here.name, 'acme');
  assert.deepEqual(told, { name: '@acme/rackwright-plugin', settings: { a: 1 } });
  // As a job does it.
  const there = await loadStrategy({ enabled: [told.name], settings: told.settings, importPackage });
  assert.equal(there.name, 'acme');
});
