import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BareMetalHostSpec, BareMetalHostStatus } from '../../api/index.ts';
import { nobodyElse } from '../ports.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { claimOf, createClaimedMachines, onlyClaimed } from './claimed-machines.ts';

const address = 'redfish://10.0.0.7/redfish/v1/Systems/1';

const hostWithoutBmc = {
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { namespace: 'fleet', name: 'h1' },
  spec: { online: true },
} as const;

function claim(status: BareMetalHostStatus, spec: Partial<BareMetalHostSpec> = {}) {
  const host = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { namespace: 'fleet', name: 'h1' },
    spec: { online: true, bmc: { address, credentialsName: 'bmc' }, ...spec },
  } as const;
  return claimOf({ host, status, secret: { kind: 'missing' } });
}

const uses: readonly (readonly [string, ReturnType<typeof claim>, string | undefined])[] = [
  ['a new host', claim(statusIn('')), undefined],
  ['one that is inspected', claim(statusIn('inspecting')), undefined],
  ['one that is available', claim(statusIn('available')), undefined],
  ['one that is being provisioned', claim(statusIn('provisioning')), 'provisioning'],
  ['one that is provisioned', claim(statusIn('provisioned', deployed())), 'provisioned'],
  ['one of somebody else', claim(statusIn('externally provisioned')), 'externally provisioned'],
  ['one that is being wiped', claim(statusIn('deprovisioning')), 'deprovisioning'],
  [
    'one of somebody else that is not known yet',
    claim(statusIn('registering'), { externallyProvisioned: true }),
    'externally provisioned',
  ],
  ['one that is deleted with its image', claim(statusIn('deleting', deployed(undefined, 'deleting'))), 'provisioned'],
  ['one that is deleted after it was wiped', claim(statusIn('deleting')), undefined],
];

for (const [name, claimed, use] of uses) {
  test(`${name} is ${use === undefined ? 'not in use' : `in use: ${use}`}`, () => {
    assert.equal(claimed?.host.bmc?.address, address);
    assert.equal(claimed?.use, use);
  });
}

test('a host in use stays so during its live update, which the engine lets through by its owner', () => {
  const operationHistory = { service: { start: '2026-01-01T00:00:00Z' } };
  assert.equal(claim(statusIn('provisioned', { ...deployed(), operationHistory }))?.use, 'provisioned');
});

test('a host without a BMC claims nothing', () => {
  assert.equal(
    claimOf({ host: hostWithoutBmc, status: statusIn('unmanaged'), secret: { kind: 'missing' } }),
    undefined,
  );
});

test('the same is said once, and nothing is begun on a machine of which it could not be said', async () => {
  const said: (string | undefined)[] = [];
  let isAway = false;
  const machines = createClaimedMachines({
    ...nobodyElse.claims,
    async claim(_, { use }) {
      if (isAway) throw new Error('the store is away');
      said.push(use);
    },
  });
  const work = onlyClaimed(nobodyElse, machines);
  const free = claim(statusIn('available')) ?? assert.fail();
  const used = claim(statusIn('provisioned')) ?? assert.fail();
  assert.equal((await work.hold(free.host, 'power')).kind, 'refused');
  await machines.claim(free);
  await machines.claim(free);
  assert.equal((await work.hold(free.host, 'power')).kind, 'held');
  isAway = true;
  await assert.rejects(machines.claim(used), /away/);
  assert.equal((await work.hold(used.host, 'power')).kind, 'refused');
  isAway = false;
  await machines.claim(used);
  assert.equal((await work.hold(used.host, 'power')).kind, 'held');
  await machines.forget(used.host);
  assert.equal(machines.isClaimed(used.host), false);
  assert.deepEqual(said, [undefined, 'provisioned']);
});

test('the machine of a host is taken while others have it, and while nobody can tell', async () => {
  const isOurs = [true, false, undefined];
  const machines = createClaimedMachines({
    ...nobodyElse.claims,
    async isOurs() {
      return isOurs.shift() ?? assert.fail('the store is away');
    },
  });
  const host = { namespace: 'fleet', name: 'h1' };
  assert.deepEqual(
    [await machines.isTaken(host), await machines.isTaken(host), await machines.isTaken(host)],
    [false, true, true],
  );
});

test('a host without a BMC that came by itself claims its machine by all that it told of itself', () => {
  const { host, use } =
    claimOf({ host: hostWithoutBmc, status: statusIn('available'), secret: { kind: 'missing' } }) ?? assert.fail();
  assert.deepEqual(host.marks, { macs: ['52:54:00:aa:00:07'], serialNumber: 'SN0007' });
  assert.equal(use, undefined);
  const used = claimOf({ host: hostWithoutBmc, status: statusIn('provisioned'), secret: { kind: 'missing' } });
  assert.equal(used?.use, 'provisioned');
});
