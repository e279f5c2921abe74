import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcIdentity } from '../../bmc/index.ts';
import { setUpEngine } from '../testing/rig.ts';
import { bmcOf, trySharedBmc } from '../testing/try-shared-bmc.ts';
import { isSameBmc, isSameMachine } from './bmc-identity.ts';

const uuid = '0a1b2c3d-1111-4222-8333-444455556666';
const swapped = '3d2c1b0a-1111-2242-8333-444455556666';
const elsewhere = '99999999-1111-4222-8333-444455556666';

trySharedBmc((t) => setUpEngine(t));

test('systems decide what is one BMC; serial numbers tell two boards with one UUID apart', () => {
  const service = { serviceUuid: 'aaaaaaaa-1111-4222-8333-444455556666' };
  const cases: readonly (readonly [boolean, BmcIdentity, BmcIdentity])[] = [
    [true, bmcOf({ uuid }), bmcOf({ uuid: swapped })],
    [true, bmcOf({ uuid, serial: 'S1' }), bmcOf({ uuid })],
    [true, bmcOf({ serial: 'S1' }), bmcOf({ uuid, serial: 's1' })],
    [false, bmcOf({ uuid, serial: 'S1' }), bmcOf({ uuid, serial: 'S2' })],
    [false, bmcOf({ uuid, serial: 'S1' }, service), bmcOf({ uuid: elsewhere, serial: 'S2' }, service)],
    [true, { systems: [], ...service }, bmcOf({ uuid }, service)],
    [false, { systems: [] }, { systems: [] }],
    [false, bmcOf({}), bmcOf({})],
  ];
  for (const [expected, one, other] of cases) {
    const what = JSON.stringify([one, other]);
    assert.equal(isSameBmc(one, other), expected, what);
    assert.equal(isSameBmc(other, one), expected, what);
  }
  assert.equal(isSameMachine(bmcOf({ uuid }), { systems: [{ uuid }] }), false);
});
