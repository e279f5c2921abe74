import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpUpdates, type UpdateRig } from '../testing/update-rig.ts';

async function startUpdate(rig: UpdateRig) {
  await rig.addFirmware('2.10.0');
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  const [lease] = await rig.lease('flasher');
  assert.equal(lease?.condition.id, job.id);
  const held = { conditionId: job.id, token: lease?.token ?? 0 };
  const show = async () => await rig.desks.book.show(await rig.desks.book.require(job.id));
  return { held, show };
}

test('a job is shown as unsafe to cancel during a flash, whichever worker flashes', async (t) => {
  const rig = await setUpUpdates(t);
  const { held, show } = await startUpdate(rig);
  assert.equal((await show()).isCancelUnsafe, false);
  await rig.engine.worker.report(held, { isCancelUnsafe: true, status: { state: 'uploading' } });
  assert.equal((await show()).isCancelUnsafe, true);
  await rig.engine.worker.report(held, { status: { state: 'following' } });
  assert.equal((await show()).isCancelUnsafe, true);
  await rig.engine.worker.report(held, { isCancelUnsafe: false });
  assert.equal((await show()).isCancelUnsafe, false);
});

test('a job that waits for another worker in the middle of a flash is unsafe to cancel, one that ended is not', async (t) => {
  const rig = await setUpUpdates(t);
  const { held, show } = await startUpdate(rig);
  await rig.engine.worker.report(held, { isCancelUnsafe: true });
  await rig.engine.worker.release(held, 'the worker stops', {});
  assert.deepEqual([(await show()).isCancelUnsafe], [true]);
  await rig.engine.cancel(held.conditionId, { client: 'c', isForced: true, doesInsist: true });
  assert.equal((await show()).isCancelUnsafe, false);
});
