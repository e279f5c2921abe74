import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { silentLogger } from '../../telemetry/index.ts';
import { firmwareForTests, serverForTests } from '../testing/fake-inventory.ts';
import { imageA, serverA, serverB, setA } from '../testing/orc-rig.ts';
import { doValidations } from '../validation/do-validations.ts';
import type { StartOrc } from './orc-contract.ts';

/** For tests: servers taken in and away, and firmware sets tried. */
export function tryServers(start: StartOrc): void {
  const parameters = { facility: 'fc1', 'bmc-ip': '127.0.0.9', 'bmc-user': 'root', 'bmc-pwd': 'calvin' };

  describe('enrolling', () => {
    test('takes a server in and asks for its inventory; the password is in no answer', async (t) => {
      const rig = await start(t);
      const answer = await rig.call('POST', `/serverEnroll/${serverA}`, { parameters });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.record.kind, 'inventoryOOB');
      assert.equal(answer.record.target, serverA);
      assert.equal(rig.inventory.enrolled[0]?.bmc.password, 'calvin');
      assert.doesNotMatch(JSON.stringify(answer.body), /calvin/);
      const made = await rig.call('POST', '/serverEnroll', { parameters: { ...parameters, 'bmc-ip': '127.0.0.10' } });
      assert.equal(made.status, 200);
      assert.match(made.record.target, /^[0-9a-f-]{36}$/);
    });

    test('a second server with the same BMC is 409', async (t) => {
      const rig = await start(t);
      await rig.call('POST', `/serverEnroll/${serverA}`, { parameters });
      assert.equal((await rig.call('POST', `/serverEnroll/${serverB}`, { parameters })).status, 409);
    });

    test('nothing stays of a server whose inventory cannot be asked for', async (t) => {
      const rig = await start(t, { limits: { pending: 1 } });
      await rig.addMachine(serverB);
      await rig.call('POST', `/servers/${serverB}/condition`, { kind: 'powerOn' });
      const full = await rig.call('POST', `/serverEnroll/${serverA}`, { parameters });
      assert.equal(full.status, 429);
      assert.equal(await rig.engine.machines.get(serverA), undefined);
    });

    test('what is missing is named, and a password is not repeated', async (t) => {
      const rig = await start(t);
      const answer = await rig.call('POST', '/serverEnroll', { parameters: { 'bmc-pwd': ['calvin'] } });
      assert.equal(answer.status, 400);
      assert.match(String(answer.body.error), /lacks facility/);
      assert.doesNotMatch(JSON.stringify(answer.body), /calvin/);
      assert.equal((await rig.call('POST', '/serverEnroll', { parameters }, 'conditions')).status, 403);
    });
  });

  test('a server is deleted only when nothing waits for it or works on it', async (t) => {
    const rig = await start(t);
    await rig.addMachine(serverA);
    const waiting = await rig.call('POST', `/servers/${serverA}/condition`, { kind: 'powerOn' });
    const busy = await rig.call('DELETE', `/servers/${serverA}`);
    assert.equal(busy.status, 409);
    assert.equal(busy.record.id, waiting.record.id);
    assert.ok(await rig.engine.machines.get(serverA));
    await rig.call('POST', `/conditions/${waiting.record.id}/cancel`, {});
    assert.equal((await rig.call('DELETE', `/servers/${serverA}`)).status, 200);
    assert.equal(await rig.engine.machines.get(serverA), undefined);
    assert.equal((await rig.call('DELETE', `/servers/${serverA}`)).status, 404);
  });

  /** A set is installed and the server read again; then the validation is due. */
  const tried = async (t: TestContext) => {
    const rig = await start(t);
    await rig.addMachine(serverA);
    rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
    const answer = await rig.call('POST', '/validateFirmware', { server_id: serverA, firmware_set_id: setA });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { worker } = rig.engine;
    await worker.online({ id: 'w1', kinds: ['firmwareInstall', 'inventoryOOB'], facilities: ['fc1'] });
    const parts = { ...rig, workerId: 'orc/1', now: () => rig.clock.now(), logger: silentLogger };
    for (const kind of ['firmwareInstall', 'inventoryOOB']) {
      if (kind === 'firmwareInstall') assert.equal(await doValidations(parts), 0, kind);
      await rig.engine.sweep();
      const [lease] = await worker.lease('w1', { max: 1, waitMs: 0 });
      assert.equal(lease?.condition.kind, kind);
      await worker.report({ conditionId: lease.condition.id, token: lease.token }, { state: 'succeeded' });
    }
    // By the clock of the store, which is not this one.
    const show = (version: string, readAt = Number.MAX_SAFE_INTEGER) => {
      rig.inventory.installed.set(serverA, { readAt, server: serverForTests(version) });
    };
    const stateOf = async () => {
      const { body } = await rig.call('GET', `/servers/${serverA}/status`);
      return (body.records as { state: string }).state;
    };
    return { rig, answer, parts, show, stateOf };
  };

  test('a set that is tried on a server is installed, looked for, compared, and written down', async (t) => {
    const { rig, answer, parts, show, stateOf } = await tried(t);
    assert.deepEqual(
      answer.conditions.map(({ kind }) => kind),
      ['firmwareInstall', 'firmwareValidation'],
    );
    assert.notEqual(answer.record.deadline, null);
    show('2.1.0');
    assert.equal(await doValidations(parts), 1);
    assert.deepEqual(
      rig.inventory.validations.map(({ setId, serverId }) => [setId, serverId]),
      [[setA, serverA]],
    );
    assert.equal(await stateOf(), 'succeeded');
  });

  test('a set that the inventory does not find on the server is not written down as good', async (t) => {
    const { rig, answer, parts, show, stateOf } = await tried(t);
    show('2.0.9');
    assert.equal(await doValidations(parts), 1);
    assert.deepEqual(rig.inventory.validations, []);
    assert.equal(await stateOf(), 'failed');
    const validation = answer.conditions.at(-1);
    const { record } = await rig.call('GET', `/conditions/${validation?.id}`);
    assert.equal(record.reason?.code, 'FirmwareDiffers');
    assert.match(String(record.reason?.message), /bios 2\.1\.0: BIOS has 2\.0\.9/);
  });

  test('a set is not judged by an inventory of before', async (t) => {
    const { rig, parts, show, stateOf } = await tried(t);
    show('2.1.0', 0);
    assert.equal(await doValidations(parts), 1);
    assert.deepEqual(rig.inventory.validations, []);
    assert.equal(await stateOf(), 'active');
  });

  test('provisioning is not served, and the answer says what is', async (t) => {
    const rig = await start(t);
    const answer = await rig.call('POST', '/serverProvision');
    assert.equal(answer.status, 501);
    assert.match(String(answer.body.message), /BareMetalHost/);
  });
}
