import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { waitForPost } from './wait-for-post.ts';

const system = '/redfish/v1/Systems/1';

/** A host that goes through these states, one every so often. */
function booting(states: readonly JsonObject[], everyMs = 20_000) {
  const [first = {}, ...rest] = states;
  const scripted = createScriptedBmc({ tree: sampleTree({ system: first }) });
  rest.forEach((state, index) => {
    scripted.clock.after((index + 1) * everyMs, () => scripted.gate.change(system, state));
  });
  return scripted;
}

const progress = (LastState: string): JsonObject => ({ BootProgress: { LastState } });

test('the end of POST is seen in BootProgress', async () => {
  const { bmc } = booting([
    progress('MemoryInitializationStarted'),
    progress('PCIResourceConfigStarted'),
    progress('OSBootStarted'),
  ]);
  const { by, said, tookMs } = await waitForPost(bmc);
  assert.deepEqual([by, said], ['boot-progress', 'OSBootStarted']);
  assert.ok(tookMs >= 40_000 && tookMs < 60_000, `${tookMs}`);
});

test('hardware that is ready is not the end of POST: the host has yet to go on to a boot device', async () => {
  const dell = booting([
    progress('MemoryInitializationStarted'),
    progress('SystemHardwareInitializationComplete'),
    progress('OSBootStarted'),
  ]);
  const { said, tookMs } = await waitForPost(dell.bmc);
  assert.equal(said, 'OSBootStarted');
  assert.ok(tookMs >= 40_000 && tookMs < 43_000, `seen soon after it, since it was near: ${tookMs}`);
  const posts = ['InPost', 'InPostDiscoveryComplete', 'FinishedPost'].map((PostState) => ({
    Oem: { Hpe: { PostState } },
  }));
  assert.equal((await waitForPost(booting(posts).bmc)).said, 'FinishedPost');
});

test('a host that stays at the last step, as without anything to boot, is waited for no longer than that takes', async () => {
  const stuck = booting([progress('MemoryInitializationStarted'), progress('SystemHardwareInitializationComplete')]);
  const { by, said, tookMs } = await waitForPost(stuck.bmc, { lastStepMs: 120_000 });
  assert.deepEqual([by, said], ['boot-progress', 'SystemHardwareInitializationComplete']);
  assert.ok(tookMs >= 140_000 && tookMs < 160_000, `${tookMs}`);
});

test('a self-test of a minute costs its BMC few requests', async () => {
  const steps = [
    'MemoryInitializationStarted',
    'PCIResourceConfigStarted',
    'PCIResourceConfigStarted',
    'OSBootStarted',
  ];
  const { bmc, gate } = booting(steps.map(progress));
  await waitForPost(bmc);
  const looks = gate.sent.filter(({ path }) => path === system).length;
  assert.ok(looks <= 11, `${looks} looks`);
});

test('a state that may be of the boot before is not believed at once', async () => {
  const stale = booting([progress('OSRunning'), progress('MemoryInitializationStarted'), progress('OSRunning')]);
  assert.ok((await waitForPost(stale.bmc)).tookMs >= 40_000);
  const steady = booting([progress('OSRunning')]);
  const { tookMs } = await waitForPost(steady.bmc, { settleMs: 30_000 });
  assert.ok(tookMs >= 30_000 && tookMs < 45_000, `${tookMs}`);
});

test('HPE and Lenovo have words of their own', async () => {
  const hpe = booting([{ Oem: { Hpe: { PostState: 'InPost' } } }, { Oem: { Hpe: { PostState: 'FinishedPost' } } }]);
  assert.equal((await waitForPost(hpe.bmc)).by, 'vendor');
  const lenovo = booting([
    { Oem: { Lenovo: { SystemStatus: 'SystemOn/StartingUEFI' } } },
    { Oem: { Lenovo: { SystemStatus: 'OSBooted' } } },
  ]);
  assert.equal((await waitForPost(lenovo.bmc)).said, 'OSBooted');
});

test('where nothing is shown, time decides, and that is said', async () => {
  const { bmc } = booting([{}]);
  const { by, tookMs } = await waitForPost(bmc, { assumedMs: 300_000 });
  assert.equal(by, 'assumed');
  assert.ok(tookMs >= 300_000 && tookMs < 303_000, `no longer than that: ${tookMs}`);
});

test('a host that stays off or hangs in POST ends with a deadline that says what was seen', async () => {
  for (const state of [{ PowerState: 'Off' }, progress('MemoryInitializationStarted')]) {
    const { bmc } = booting([state]);
    await assert.rejects(
      waitForPost(bmc, { deadlineMs: 600_000 }),
      (error) => isBmcError(error, 'deadline') && /power Off|MemoryInitializationStarted/.test(error.message),
    );
  }
});

test('the wait can be cancelled', async () => {
  const { bmc, clock } = booting([progress('MemoryInitializationStarted')]);
  const controller = new AbortController();
  clock.after(30_000, () => controller.abort());
  await assert.rejects(waitForPost(bmc, { signal: controller.signal }), (error) => isBmcError(error, 'cancelled'));
});
