import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type InventoryReport, readAtMember } from '../../flasher/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createTestCondition, leaseTestWork } from '../contract/test-work.ts';
import { startSimulatedScene } from '../testing/simulated-scene.ts';
import { redfish } from './redfish.ts';

/** An update to what is installed, so that only its ends are tried, and the reading after it. */
async function openUpdate(context: TestContext, change: { readonly vendor?: string } = {}) {
  const scene = await startSimulatedScene(context, { speed: 20 });
  const installed = scene.machine.firmware.find(({ component, isUpdateable }) => component === 'bios' && isUpdateable);
  assert.ok(installed);
  const [image] = scene.parameters.firmwares as object[];
  const firmwares = [{ ...image, version: installed.version, ...change }] as never;
  const condition = createTestCondition({
    kind: 'firmwareInstall',
    target: scene.target,
    parameters: { ...scene.parameters, firmwares },
  });
  const strategy = await redfish.create(undefined);
  const live = (
    write: (report: InventoryReport) => Promise<void>,
    life: Partial<Parameters<typeof leaseTestWork>[1]> = {},
  ) => {
    const { clock = scene.clock } = life;
    const tools = { ...scene.tools, clock, inventorySink: { write } };
    return strategy.update(leaseTestWork(condition, { ...life, clock }), tools);
  };
  return { scene, condition, live };
}

test('an update reads its server under its own lease, says when, and keeps its own progress', async (context) => {
  const { condition, live } = await openUpdate(context);
  const read: InventoryReport[] = [];
  const end = await live(async (report) => void read.push(report));
  assert.ok(end.outcome === 'succeeded', JSON.stringify(end));
  assert.equal(end.status?.result, 'already-installed');
  assert.equal(typeof end.status?.[readAtMember], 'number');
  assert.equal(read.length, 1);
  assert.ok(condition.reports.every(({ progress }) => progress?.startedAt === undefined));
});

test('an update whose reading does not end succeeds, but neither it nor one that failed says that it has read', async (context) => {
  const clock = createFakeClock();
  const hangs = () => {
    void clock.advance(2 * 3_600_000);
    return new Promise<never>(() => {});
  };
  const unread = await openUpdate(context);
  const succeeded = await unread.live(hangs, { clock });
  assert.ok(succeeded.outcome === 'succeeded', JSON.stringify(succeeded));
  assert.equal(succeeded.status?.[readAtMember], undefined);
  const other = await openUpdate(context, { vendor: 'hpe' });
  const failed = await other.live(hangs, { clock });
  assert.ok(failed.outcome === 'failed', JSON.stringify(failed));
  assert.equal(failed.reason.code, 'NothingFits');
  assert.equal(failed.status?.[readAtMember], undefined);
});
