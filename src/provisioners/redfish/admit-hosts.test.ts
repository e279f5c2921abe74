import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { createAdmission } from './admit-hosts.ts';
import type { RecordKey } from './host-record.ts';

const named = (name: string): RecordKey => ({ namespace: 'n', name });
const said = (...names: readonly string[]) => names.map((name) => ({ ...named(name), address: 'redfish://10.0.0.1' }));

function setUp(limit: number | undefined) {
  const working: RecordKey[] = [];
  const clock = createFakeClock(0);
  return { working, clock, admission: createAdmission({ records: { working: async () => working }, clock, limit }) };
}

test('those that were ordered, that say so of themselves and that were let in count once each', async () => {
  const { working, admission } = setUp(4);
  working.push(named('a'));
  const serviced = () => said('a', 'b');
  const all = await Promise.all(['c', 'd', 'e', 'a', 'b', 'c'].map((name) => admission.admit(named(name), serviced)));
  assert.deepEqual(all, [true, true, false, true, true, true]);
});

test('whoever was let in before a restart counts though nothing was ordered for it', async () => {
  const { admission } = setUp(1);
  assert.equal(await admission.admit(named('b'), () => said('a')), false);
  assert.equal(await admission.admit(named('b'), () => []), true);
});

test('who is being serviced is asked for when it is decided, not when it was asked', async () => {
  const { admission } = setUp(2);
  let isBegun = false;
  const serviced = () => said('a', ...(isBegun ? ['b'] : []));
  const first = admission.admit(named('b'), serviced).then((isIn) => {
    isBegun = true;
    return isIn;
  });
  const second = admission.admit(named('c'), serviced);
  assert.deepEqual(await Promise.all([first, second]), [true, false]);
});

test('a host that was let in and did not begin makes room again', async () => {
  const { clock, admission } = setUp(1);
  assert.equal(await admission.admit(named('a')), true);
  assert.equal(await admission.admit(named('b')), false);
  clock.advance(30_001);
  assert.equal(await admission.admit(named('b')), true);
});

test('a store that fails once does not keep the next one from being let in', async () => {
  let isBroken = true;
  const working = async () => (isBroken ? Promise.reject(new Error('gone')) : []);
  const admission = createAdmission({ records: { working }, clock: createFakeClock(0), limit: 1 });
  await assert.rejects(admission.admit(named('a')), /gone/);
  isBroken = false;
  assert.equal(await admission.admit(named('a')), true);
});

for (const limit of [undefined, 0]) {
  test(`a limit of ${limit} is none`, async () => {
    const { admission } = setUp(limit);
    assert.equal(await admission.admit(named('a'), () => said('b', 'c')), true);
  });
}
