import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { handDriven } from './testing/hand-driven.ts';
import { inventoryOf, macOf, type StartedAgents, startedAgents } from './testing/started-agents.ts';

const shared = 'be:3a:f2:b6:05:9f';
const nics = (...macs: string[]) => ({ interfaces: macs.map((mac, at) => ({ name: `e${at}`, mac_address: mac })) });
const withShared = (number: number) => inventoryOf(number, nics(shared, macOf(number, 0)));

async function known({ agents }: StartedAgents): Promise<readonly string[]> {
  const outcome = await agents.source.list();
  return outcome.kind === 'done' ? outcome.value.map(({ id }) => id).sort() : assert.fail();
}

describe('machines that all have the same MAC inside', () => {
  test('are known beside each other, and stay who they are', async (t) => {
    const started = await startedAgents(t);
    const ids: string[] = [];
    for (const number of [1, 2, 3]) ids.push(String((await started.introduce(withShared(number))).body.id));
    assert.equal(new Set(ids).size, 3);
    for (const [at, id] of ids.entries()) {
      const again = await started.introduce(withShared(at + 1));
      assert.deepEqual([again.status, again.body.id], [200, id]);
    }
    assert.deepEqual(await known(started), ids.sort());
  });

  test('are let in also when one of them has a host', async (t) => {
    const started = await startedAgents(t);
    const { id } = await handDriven(started, 1);
    const more = inventoryOf(2, nics(macOf(2, 0), macOf(1, 1)));
    assert.equal((await started.introduce(more)).status, 201, 'a MAC that neither boots from says nothing');
    assert.ok((await known(started)).includes(id));
    const stolen = inventoryOf(3, { ...nics(macOf(3, 0), macOf(1, 0)), boot: { pxe_interface: macOf(3, 0) } });
    assert.equal((await started.introduce(stolen)).status, 409, 'the one that it boots from is its own');
  });
});

test('whoever names the MACs of machines that wait pushes none of them out while they speak', async (t) => {
  const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
  const ids: string[] = [];
  for (const number of [1, 2, 3]) ids.push(String((await started.introduce(inventoryOf(number))).body.id));
  const all = {
    ...nics(macOf(9, 0), ...[1, 2, 3].map((number) => macOf(number, 0))),
    boot: { pxe_interface: macOf(9, 0) },
  };
  const hostile = await started.introduce(inventoryOf(9, all));
  assert.equal(hostile.status, 201);
  assert.deepEqual(await known(started), [...ids, String(hostile.body.id)].sort());
  await started.clock.advance(60_000);
  const later = await started.introduce(inventoryOf(9, { ...all, hostname: 'later' }));
  assert.deepEqual(await known(started), [String(later.body.id)], 'those that are gone are gone');
});

test('other hardware that boots from the MAC of a machine that waits is refused while that speaks, and told of', async (t) => {
  const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
  const { id, token } = (await started.introduce(inventoryOf(1))).body;
  const built = (serial_number: string) => inventoryOf(1, { system_vendor: { serial_number } });
  const other = built('another');
  const refused = await started.introduce(other);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [409, '30']);
  assert.deepEqual(await known(started), [id]);
  const refusals = (await started.agents.source.refused?.()) ?? assert.fail();
  const [told] = refusals.kind === 'done' ? refusals.value : [];
  assert.match(told?.reason ?? '', /has the MAC .*, and the agent of that machine is there$/);
  const proven = await started.introduce({ ...other, earlier: { id, token } });
  assert.deepEqual([proven.status, proven.body.id], [200, id], 'whoever proves to be it has only changed');
  await started.clock.advance(60_000);
  const later = await started.introduce(built('a third'));
  assert.equal(later.status, 201, 'a silent one makes room');
  assert.deepEqual(await known(started), [later.body.id]);
});
