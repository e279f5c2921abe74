import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { InventoryReport } from '../../flasher/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createTestCondition, leaseTestWork, ProcessDied } from '../contract/test-work.ts';
import { startSimulatedScene } from '../testing/simulated-scene.ts';
import { readAtMember, redfish } from './redfish.ts';

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

test('an update reads its server under its own lease, says when, and keeps what it has stored and shown', async (context) => {
  const { condition, live } = await openUpdate(context);
  const read: InventoryReport[] = [];
  const shown: unknown[] = [];
  const end = await live(async (report) => {
    read.push(report);
    shown.push(condition.status.result, condition.progress.startedAt);
  });
  assert.ok(end.outcome === 'succeeded', JSON.stringify(end));
  assert.equal(end.status?.result, 'already-installed');
  assert.equal(typeof end.status?.[readAtMember], 'number');
  assert.equal(read.length, 1);
  assert.ok(condition.reports.every(({ progress }) => progress?.startedAt === undefined));
});

test('a worker that dies while it reads after an update is followed by one that ends the update', async (context) => {
  const { condition, live } = await openUpdate(context);
  const died = live(async () => {
    throw new ProcessDied('the process died');
  });
  await assert.rejects(died, ProcessDied);
  const second = await live(async () => {});
  assert.ok(second.outcome === 'succeeded', `${JSON.stringify(second)} ${JSON.stringify(condition.progress)}`);
});

test('an update whose reading does not end is tried again, and one that failed says nothing of having read', async (context) => {
  const clock = createFakeClock();
  const hangs = () => {
    void clock.advance(2 * 3_600_000);
    return new Promise<never>(() => {});
  };
  const succeeded = await openUpdate(context);
  await assert.rejects(succeeded.live(hangs, { clock }), { code: 'notRead', retry: 'transient' });
  const failed = await openUpdate(context, { vendor: 'hpe' });
  const end = await failed.live(hangs, { clock });
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.equal(end.reason.code, 'NothingFits');
  assert.equal(end.status?.[readAtMember], undefined);
});
