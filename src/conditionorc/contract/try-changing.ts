import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { type Answered, imageA, imageB, type OrcRig, serverA, serverB, setA } from '../testing/orc-rig.ts';
import type { StartOrc } from './orc-contract.ts';

/** For tests: changing, cancelling and deleting. */
export function tryChanging(start: StartOrc): void {
  const path = `/servers/${serverA}/condition`;

  async function withCondition(t: TestContext): Promise<{ rig: OrcRig; first: Answered }> {
    const rig = await start(t);
    await rig.addMachine(serverA);
    const first = await rig.call('POST', path, { kind: 'biosControl', parameters: { action: 'reset_config' } });
    assert.equal(first.status, 200);
    return { rig, first };
  }

  async function leased(rig: OrcRig) {
    await rig.engine.worker.online({ id: 'w1', kinds: ['biosControl'], facilities: ['fc1'] });
    const [lease] = await rig.engine.worker.lease('w1', { max: 1, waitMs: 0 });
    assert.ok(lease);
    return { lease, held: { conditionId: lease.condition.id, token: lease.token } };
  }

  describe('changing a condition', () => {
    test('with the current lock it changes, and the lock too', async (t) => {
      const { rig, first } = await withCondition(t);
      const answer = await rig.call('PUT', `${path}/biosControl`, { lock: first.record.lock, priority: 7 });
      assert.equal(answer.status, 200);
      assert.equal(answer.record.priority, 7);
      assert.notEqual(answer.record.lock, first.record.lock);
    });

    test('without a lock or with an old one it is 409 with the record as it is', async (t) => {
      const { rig, first } = await withCondition(t);
      const { id, lock } = first.record;
      assert.equal((await rig.call('PUT', `/conditions/${id}`, { lock, status: { msg: 'one' } })).status, 200);
      for (const body of [{ lock, status: { msg: 'two' } }, { status: { msg: 'two' } }]) {
        const answer = await rig.call('PUT', `/conditions/${id}`, body);
        assert.equal(answer.status, 409);
        assert.equal(answer.body.code, 'staleLock');
        assert.deepEqual(answer.record.status, { msg: 'one' });
        const current = await rig.call('GET', `/conditions/${id}`);
        assert.equal(answer.record.lock, current.record.lock);
      }
    });

    test('of fifty with one lock exactly one wins', async (t) => {
      const { rig, first } = await withCondition(t);
      const { id, lock } = first.record;
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => rig.call('PUT', `/conditions/${id}`, { lock, status: { n } })),
      );
      const winners = answers.filter(({ status }) => status === 200);
      assert.equal(winners.length, 1);
      assert.equal(answers.filter(({ status }) => status === 409).length, 49);
      const now = await rig.call('GET', `/conditions/${id}`);
      assert.deepEqual(now.record.status, winners[0]?.record.status);
    });

    test('the kind cannot be changed, but may be named in any case', async (t) => {
      const { rig, first } = await withCondition(t);
      const { id, lock } = first.record;
      const other = await rig.call('PUT', `/conditions/${id}`, { lock, kind: 'powerOn' });
      assert.equal(other.status, 400);
      assert.match(String(other.body.error), /cannot be changed/);
      const same = await rig.call('PUT', path, { lock, kind: 'BiosControl', priority: 3 });
      assert.equal(same.status, 200);
      assert.equal(same.record.priority, 3);
    });

    test('new firmware of an install is frozen as that of a new one, and what is sent back as shown stays', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      const log = 'https://user:s3cret@images';
      rig.inventory.sets.set(setA, [firmwareForTests(imageA, { url: `${log}/a` })]);
      rig.inventory.sets.set(serverB, [firmwareForTests(imageB, { url: `${log}/b` })]);
      const { record } = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmware_set_id: setA });
      const put = async (parameters: object) => {
        const { lock } = (await rig.call('GET', `/conditions/${record.id}`)).record;
        const answer = await rig.call('PUT', `/conditions/${record.id}`, { lock, parameters });
        return { answer, parameters: (await rig.engine.get(record.id))?.parameters };
      };
      const { answer, parameters } = await put({ firmware_set_id: serverB, asset_id: serverA });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(parameters?.firmware_set_id, serverB);
      assert.match(JSON.stringify(parameters?.firmwares), /s3cret@images\/b.*000b"/);
      rig.inventory.sets.delete(serverB);
      const flagged = await put({ ...answer.record.parameters, dry_run: true });
      assert.equal(flagged.answer.status, 200, JSON.stringify(flagged.answer.body));
      assert.deepEqual(flagged.parameters, { ...parameters, dry_run: true });
      const gone = await put({ firmware_set_id: serverB });
      assert.equal(gone.answer.status, 400);
      assert.match(String(gone.answer.body.error), /there is no firmware set/);
      assert.equal((await put({ ...answer.record.parameters, firmware_set_id: setA })).answer.status, 400);
    });

    test('nothing follows a final state', async (t) => {
      const { rig, first } = await withCondition(t);
      const { id, lock } = first.record;
      const failed = await rig.call('PUT', `/conditions/${id}`, { lock, state: 'failed' });
      assert.equal(failed.record.state, 'failed');
      const again = await rig.call('PUT', `/conditions/${id}`, { lock: failed.record.lock, state: 'succeeded' });
      assert.equal(again.status, 409);
      assert.equal(again.body.code, 'illegalChange');
    });

    test('one that is not there is 404', async (t) => {
      const { rig } = await withCondition(t);
      assert.equal((await rig.call('PUT', `/conditions/${serverB}`, { lock: 'x' })).status, 404);
      assert.equal((await rig.call('PUT', `${path}/powerOn`, { lock: 'x' })).status, 404);
      assert.equal((await rig.call('PUT', `/servers/${serverB}/condition/powerOn`, { lock: 'x' })).status, 404);
    });
  });

  describe('cancelling a condition', () => {
    test('what waits fails at once as cancelled, by whom', async (t) => {
      const { rig } = await withCondition(t);
      const answer = await rig.call('POST', `${path}/biosControl/cancel`, {});
      assert.equal(answer.record.state, 'failed');
      assert.equal(answer.record.reason?.code, 'Cancelled');
      assert.match(String(answer.record.reason?.message), /dustin/);
    });

    test('what runs is told, and stops at its safe point', async (t) => {
      const { rig, first } = await withCondition(t);
      const { held } = await leased(rig);
      const answer = await rig.call('POST', `/conditions/${first.record.id}/cancel`, {});
      assert.equal(answer.status, 200);
      assert.equal(answer.record.state, 'active');
      assert.equal(answer.record.cancel?.by, 'dustin');
      const outcome = await rig.engine.worker.report(held, {});
      assert.ok(outcome.outcome === 'kept' && outcome.cancel?.by === 'dustin');
    });

    test('the answer says whether it was cancelled, asked to stop, or had finished before', async (t) => {
      const { rig, first } = await withCondition(t);
      const cancel = async () =>
        String((await rig.call('POST', `/conditions/${first.record.id}/cancel`, {})).body.message);
      const { held } = await leased(rig);
      assert.match(await cancel(), /^cancel requested: .* at its next safe point/);
      await rig.engine.worker.report(held, { state: 'succeeded' });
      assert.match(await cancel(), /^nothing to cancel: .* succeeded at 20/);
      const second = await rig.call('POST', path, { kind: 'biosControl', parameters: { action: 'reset_config' } });
      const again = await rig.call('POST', `/conditions/${second.record.id}/cancel`, {});
      assert.match(String(again.body.message), /^condition cancelled/);
    });

    test('a forced cancel in the middle of a flash has to insist', async (t) => {
      const { rig, first } = await withCondition(t);
      const { held } = await leased(rig);
      await rig.engine.worker.report(held, { isCancelUnsafe: true });
      const refused = await rig.call('POST', `/conditions/${first.record.id}/cancel`, { force: true });
      assert.equal(refused.status, 409);
      assert.match(String(refused.body.message), /unless you insist/);
      assert.equal((await rig.engine.get(first.record.id))?.state, 'active');
      const insisted = await rig.call('POST', `/conditions/${first.record.id}/cancel`, { force: true, insist: true });
      assert.equal(insisted.record.state, 'failed');
      assert.match(String(insisted.record.reason?.message), /may be unusable/);
      assert.equal((await rig.engine.worker.report(held, {})).outcome, 'lost');
    });
  });

  describe('deleting a condition', () => {
    test('only once it is final', async (t) => {
      const { rig, first } = await withCondition(t);
      const early = await rig.call('DELETE', `${path}/biosControl`);
      assert.equal(early.status, 409);
      assert.equal(early.body.code, 'notFinal');
      await rig.call('POST', `${path}/biosControl/cancel`, {});
      assert.equal((await rig.call('DELETE', `${path}/biosControl`)).status, 200);
      assert.equal((await rig.call('GET', `/conditions/${first.record.id}`)).status, 404);
      assert.equal((await rig.call('DELETE', `/conditions/${first.record.id}`)).status, 404);
    });
  });
}
