import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { openTestGate } from './testing/test-gate.ts';

const path = '/redfish/v1/Systems/1';
const root = 'GET /redfish/v1/';
const logIn = 'POST /redfish/v1/SessionService/Sessions';
const known = '92384634-2938-2342-8820-489239905423';
const other = '00000000-2938-2342-8820-489239905423';

test('nothing is sent over plain HTTP unless an operator allows that (security.md: bmc-plain-http)', async (t) => {
  const { bmc, gates, endpoint } = await openTestGate(t);
  const lane = gates.open({ ...endpoint, trust: { kind: 'system' } });
  const unchecked = gates.open({ ...endpoint, trust: { kind: 'insecure' } });
  for (const each of [lane, unchecked]) {
    for (const isPublic of [false, true]) {
      await assert.rejects(each.request({ method: 'GET', path, isPublic }), (error) => {
        assert.ok(isBmcError(error, 'certificate'), String(error));
        assert.match(error.message, /plain HTTP.*--bmc-http yes/);
        return true;
      });
    }
  }
  assert.deepEqual(bmc.lines, []);
});

for (const authentication of ['session', 'basic'] as const) {
  test(`where no certificate is checked, another BMC is given no password (${authentication}) (security.md: attacker-on-bmc-network, bmc-uuid)`, async (t) => {
    const { bmc, gates, endpoint } = await openTestGate(t);
    bmc.on(root, () => ({ body: { UUID: other } }));
    const lane = gates.open({ ...endpoint, authentication, serviceUuid: known });
    await assert.rejects(lane.request({ method: 'GET', path }), (error) => {
      assert.ok(isBmcError(error, 'otherBmc'), String(error));
      assert.match(error.message, new RegExp(`${other} and not ${known}`));
      return true;
    });
    assert.deepEqual([...new Set(bmc.lines)], [root]);
    assert.ok(bmc.seen.every(({ headers }) => headers.authorization === undefined));
  });
}

for (const [what, answer] of [
  ['has the UUID that it is known by', { body: { UUID: known.toUpperCase() } }],
  ['has no UUID in its root', { body: {} }],
  ['hides its root from strangers', 401],
] as const) {
  test(`a BMC that ${what} is logged in to`, async (t) => {
    const { bmc, gates, endpoint } = await openTestGate(t);
    bmc.on(root, () => answer);
    const lane = gates.open({ ...endpoint, serviceUuid: known });
    await lane.request({ method: 'GET', path });
    assert.deepEqual(bmc.lines, [root, logIn, `GET ${path}`]);
  });
}
