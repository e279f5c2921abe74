import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiscoveredFirmware, ironcoreApiVersion } from '../../api/index.ts';
import { fleetOf } from '../plan/settle-fleet.ts';
import { ago, planFacts, plannedServer } from '../testing/plan-facts.ts';

const sr530 = { manufacturer: 'Lenovo', model: 'ThinkSystem SR530', sku: '7X21CTO1WW' };

function discovered(model: string, minutesOld = 1): DiscoveredFirmware {
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'DiscoveredFirmware',
    metadata: { name: `of ${model}`, creationTimestamp: ago(minutesOld) },
    spec: { manufacturer: 'LENOVO', model },
  };
}

function modelFor(status: object, models: readonly string[]): string | undefined {
  const servers = [plannedServer('s', { status })];
  const fleet = fleetOf(planFacts({ servers, discovered: models.map((model, at) => discovered(model, at)) }));
  return fleet.discoveredFor(fleet.server('s'))?.spec.model;
}

for (const [status, models, expected] of [
  [sr530, ['thinksystem  sr530'], 'thinksystem  sr530'],
  [sr530, ['7x21'], '7x21'],
  [sr530, ['7x21cto1ww'], '7x21cto1ww'],
  [{ ...sr530, model: 'ThinkSystem SR530 -[7X21CTO1WW]-', sku: '' }, ['7x21'], '7x21'],
  [sr530, ['7x22', 'SR530', 'ThinkSystem'], undefined],
  [{ ...sr530, manufacturer: 'Dell Inc.' }, ['7x21'], undefined],
  [sr530, ['ThinkSystem SR530', '7x21', '7x21cto1ww'], '7x21cto1ww'],
  [sr530, ['7x21', 'ThinkSystem SR530'], '7x21'],
] as const) {
  test(`of DiscoveredFirmware for ${models.join(', ')} a ${status.model} ${status.sku} has ${expected}`, () => {
    assert.equal(modelFor(status, models), expected);
  });
}
