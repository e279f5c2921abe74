import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readPower } from '../../bmc/index.ts';
import { sleep } from '../../kube/index.ts';
import { type ProcessEnd, type ProcessOptions, startFlasherRig } from '../testing/flasher-rig.ts';
import { readAtMember } from './install-outcome.ts';
import type { InstallParameters } from './parameters.ts';

type ReadInventory = NonNullable<ProcessOptions['readInventory']>;

async function install(
  context: TestContext,
  how: Pick<ProcessOptions, 'readInventory' | 'settings'> & { readonly parameters?: Partial<InstallParameters> },
) {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bmc')], ...how.parameters });
  const end = await rig.process(order, how);
  return { rig, end };
}

function readAtOf(end: ProcessEnd): unknown {
  return end.outcome === 'killed' || end.outcome === 'released' ? undefined : end.status?.[readAtMember];
}

test('after an install that succeeded the inventory is read under its lease, and the status says when', async (context) => {
  const read: string[] = [];
  const readInventory: ReadInventory = async (work, held) => {
    read.push(`${work.condition.kind} ${(await readPower(held.bmc)).state}`);
  };
  const { end } = await install(context, { readInventory });
  assert.equal(end.outcome, 'succeeded');
  assert.deepEqual(read, ['firmwareInstall on']);
  assert.equal(typeof readAtOf(end), 'number');
});

test('an install whose inventory cannot be read afterwards succeeds, and does not say that it was read', async (context) => {
  const readInventory: ReadInventory = () => Promise.reject(new Error('the store is full'));
  const { end } = await install(context, { readInventory });
  assert.equal(end.outcome, 'succeeded');
  assert.equal(readAtOf(end), undefined);
});

test('a reading that takes too long ends after five minutes and can send nothing more; the install succeeds', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bmc')] });
  let reading: Promise<unknown> = Promise.resolve();
  const readInventory: ReadInventory = (work, held) => {
    reading = work.pause(60 * 60_000).then(() => readPower(held.bmc));
    return reading;
  };
  const end = await rig.process(order, { readInventory });
  assert.equal(end.outcome, 'succeeded');
  assert.equal(readAtOf(end), undefined);
  const refused = assert.rejects(reading, { code: 'cancelled' });
  await rig.within(({ clock }) => sleep(clock, 2 * 60 * 60_000));
  await refused;
});

test('nothing is read after a dry run, or after an install that failed', async (context) => {
  const readInventory: ReadInventory = () => assert.fail('it was read');
  const dry = await install(context, { readInventory, parameters: { isDryRun: true } });
  assert.equal(dry.end.outcome, 'succeeded');
  const failed = await install(context, { readInventory, parameters: { mustHostBeOff: true } });
  assert.equal(failed.end.outcome, 'failed');
});

test('an install that lost its lease while the inventory was read is not said to be over', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bmc')] });
  const lost = new Error('the lease is lost');
  const losing: AbortController = new AbortController();
  const readInventory: ReadInventory = () => {
    losing.abort(lost);
    return Promise.reject(lost);
  };
  const onLease: ProcessOptions['onLease'] = (work) => Object.defineProperty(work, 'signal', { value: losing.signal });
  await assert.rejects(rig.process(order, { readInventory, onLease }), lost);
});
