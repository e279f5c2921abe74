import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { rereadClient } from '../../engine/index.ts';
import { type ServerConditions, updateServiceClients } from '../records/server-record.ts';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { imageA, type OrcRig, serverA, serverB, setA } from '../testing/orc-rig.ts';
import type { StartOrc } from './orc-contract.ts';

/** For tests: reading one, all, the status and the history. */
export function tryReading(start: StartOrc): void {
  const path = `/servers/${serverA}/condition`;

  async function withInstall(t: TestContext): Promise<OrcRig> {
    const rig = await start(t);
    await rig.addMachine(serverA);
    rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
    assert.equal(
      (await rig.call('POST', '/validateFirmware', { server_id: serverA, firmware_set_id: setA })).status,
      200,
    );
    await rig.engine.worker.online({ id: 'w1', kinds: ['firmwareInstall', 'firmwareValidation'], facilities: ['fc1'] });
    return rig;
  }

  async function finishOne(rig: OrcRig, state: 'failed' | 'succeeded'): Promise<void> {
    const [lease] = await rig.engine.worker.lease('w1', { max: 1, waitMs: 0 });
    assert.ok(lease);
    await rig.engine.worker.report({ conditionId: lease.condition.id, token: lease.token }, { state });
  }

  describe('reading conditions', () => {
    test('by kind in any case: the one that is not final, else the newest', async (t) => {
      const rig = await withInstall(t);
      const answer = await rig.call('GET', `${path}?kind=FirmwareInstall`);
      assert.equal(answer.status, 200);
      assert.equal(answer.record.kind, 'firmwareInstall');
      await rig.call('POST', path, { kind: 'inventory' });
      assert.equal((await rig.call('GET', `${path}?kind=inventory`)).record.kind, 'inventoryOOB');
      await rig.call('POST', `${path}/firmwareInstall/cancel`, {});
      const next = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmware_set_id: setA });
      assert.equal((await rig.call('GET', `${path}?kind=firmwareInstall`)).record.id, next.record.id);
    });

    test('all of a server, in the order in which they run', async (t) => {
      const rig = await withInstall(t);
      for (const where of [path, `/servers/${serverA}/conditions`]) {
        const answer = await rig.call('GET', where);
        assert.deepEqual(
          answer.conditions.map(({ kind }) => kind),
          ['firmwareInstall', 'firmwareValidation'],
        );
      }
    });

    test('a server, a kind or a condition that nobody knows is 404', async (t) => {
      const rig = await withInstall(t);
      await rig.addMachine(serverB);
      for (const where of [
        '/servers/0c000000-0000-4000-8000-00000000000c/condition?kind=powerOn',
        '/servers/0c000000-0000-4000-8000-00000000000c/status',
        `${path}?kind=powerOn`,
        `${path}?kind=makeCoffee`,
        `/servers/${serverB}/status`,
        `/conditions/${serverB}`,
      ]) {
        assert.equal((await rig.call('GET', where)).status, 404, where);
      }
      assert.deepEqual((await rig.call('GET', `/servers/${serverB}/conditions`)).conditions, []);
    });

    test('the status of a unit: pending, active between its parts, succeeded only when all have', async (t) => {
      const rig = await withInstall(t);
      const state = async () => {
        const { body } = await rig.call('GET', `/servers/${serverA}/status`);
        return (body.records as { state: string }).state;
      };
      assert.equal(await state(), 'pending');
      await finishOne(rig, 'succeeded');
      assert.equal(await state(), 'active');
      await finishOne(rig, 'succeeded');
      assert.equal(await state(), 'succeeded');
    });

    test('the status of a unit of which one failed is failed, and the rest says why', async (t) => {
      const rig = await withInstall(t);
      await finishOne(rig, 'failed');
      const answer = await rig.call('GET', `/servers/${serverA}/status`);
      assert.equal((answer.body.records as { state: string }).state, 'failed');
      assert.deepEqual(
        answer.conditions.map(({ state, reason }) => [state, reason?.code]),
        [
          ['failed', 'Failed'],
          ['failed', 'UnitFailed'],
        ],
      );
    });

    for (const client of [rereadClient, `${updateServiceClients}controllers`]) {
      test(`the status of a failed install stays when ${client} reads the server after it`, async (t) => {
        const rig = await withInstall(t);
        await finishOne(rig, 'failed');
        const status = async () =>
          (await rig.call('GET', `/servers/${serverA}/status`)).body.records as ServerConditions;
        const { id } = await status();
        const orders = [{ kind: 'inventoryOOB', parameters: {} }];
        await rig.engine.create({ target: `server/${serverA}`, client, orders });
        await rig.engine.worker.online({ id: 'w1', kinds: ['inventoryOOB'], facilities: ['fc1'] });
        for (const end of ['pending', 'succeeded']) {
          if (end === 'succeeded') await finishOne(rig, end);
          const shown = await status();
          assert.deepEqual([shown.id, shown.state, shown.conditions[0]?.kind], [id, 'failed', 'firmwareInstall'], end);
        }
      });
    }

    test('a reading that an operator asked for is the status of a server', async (t) => {
      const rig = await withInstall(t);
      await finishOne(rig, 'failed');
      await rig.call('POST', path, { kind: 'inventory' });
      const { body } = await rig.call('GET', `/servers/${serverA}/status`);
      assert.equal((body.records as ServerConditions).state, 'pending');
    });

    test('lists go on where they ended, and filters keep to what they are', async (t) => {
      const rig = await withInstall(t);
      const first = await rig.call('GET', '/conditions?limit=1');
      assert.equal((first.body.records as []).length, 1);
      const second = await rig.call('GET', `/conditions?limit=1&after=${String(first.body.next)}`);
      assert.equal((second.body.records as []).length, 1);
      assert.equal(second.body.next, null);
      assert.notDeepEqual(first.body.records, second.body.records);
      const hostile = encodeURIComponent("' OR 1=1; DROP TABLE conditions; --");
      for (const name of ['kind', 'facility', 'controller']) {
        const answer = await rig.call('GET', `/conditions?${name}=${hostile}`);
        assert.deepEqual(answer.body.records, [], name);
      }
      const history = await rig.call('GET', `/servers/${serverA}/conditions/history?kind=${hostile}`);
      assert.deepEqual(history.body.records, []);
      for (const where of [`condition?kind=${hostile}`, `condition-task/${hostile}`])
        assert.equal((await rig.call('GET', `/servers/${serverA}/${where}`)).status, 404, where);
      for (const where of [`condition-events?after=${hostile}`, `notices?before=${hostile}`])
        assert.equal((await rig.call('GET', `/${where}`)).status, 400, where);
      for (const query of ['state=x', 'unit=x', 'server=x', `after=${hostile}`, 'limit=0', 'orderby=id', 'limit=1e9']) {
        assert.equal((await rig.call('GET', `/conditions?${query}`)).status, 400, query);
      }
      assert.equal((await rig.engine.list({})).conditions.length, 2);
    });

    test('the history has what ended, also of servers that are gone', async (t) => {
      const rig = await withInstall(t);
      await finishOne(rig, 'succeeded');
      await finishOne(rig, 'succeeded');
      assert.equal((await rig.call('DELETE', `/servers/${serverA}`)).status, 200);
      await rig.engine.sweep();
      assert.equal((await rig.call('GET', `/servers/${serverA}/conditions`)).status, 404);
      const history = await rig.call('GET', `/servers/${serverA}/conditions/history`);
      assert.deepEqual(
        (history.body.records as { kind: string; state: string }[]).map(({ kind, state }) => [kind, state]).sort(),
        [
          ['firmwareInstall', 'succeeded'],
          ['firmwareValidation', 'succeeded'],
        ],
      );
    });
  });
}
